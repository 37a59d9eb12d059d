/** "photo.JPG" → "jpg", "shard-1.tar.gz" → "tar.gz"; null for a name without an extension. */
export function fileType(name: string): string | null {
  return /[^./]\.((?:tar\.)?[^./]+)$/.exec(name.toLowerCase())?.[1] ?? null;
}
