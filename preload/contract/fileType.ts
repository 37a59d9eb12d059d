/** What a file is, by the ending of its name. Pure. */

/** "photo.JPG" → "jpg", "shard-1.tar.gz" → "tar.gz"; null for a name without an ending. */
export function fileType(name: string): string | null {
  return /[^./]\.((?:tar\.)?[^./]+)$/.exec(name.toLowerCase())?.[1] ?? null;
}
