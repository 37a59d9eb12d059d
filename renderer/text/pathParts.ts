/** The part of a path after the last separator of any system; a path without one is its own name. Pure. */
export function baseName(path: string): string {
  const trimmed = path.replace(/[/\\]+$/, '');
  return trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1) || path;
}

/** The directory of a path; '' for a path without one. Pure. */
export function directoryOf(path: string): string {
  return path.slice(0, path.length - baseName(path).length).replace(/[\\/]$/, '');
}
