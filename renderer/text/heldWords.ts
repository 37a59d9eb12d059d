/** What the window says while something is held over it. */

/** A sentence about so many held files or folders; 0: the system does not say how many. */
export function heldWords(held: number): string {
  if (held === 0) return 'Drop to upload';
  return held === 1 ? 'Drop to upload or watch this' : `Drop to upload these ${held}`;
}

/** The part of a path after the last separator of any system. */
export function baseName(path: string): string {
  const trimmed = path.replace(/[/\\]+$/, '');
  return trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1) || path;
}

/** Whether a path may well be a directory: only main knows for sure. */
export function looksLikeDirectory(path: string): boolean {
  return !/\.[a-z0-9]{2,4}$/i.test(baseName(path));
}
