/** How a path is shown to the user without ever starting a program. */

/**
 * The path to open, or null when it must be selected in its parent folder instead. Only plain directories are opened: a file could be a
 * program, and on macOS so can a directory with an extension (.app, .pkg, .workflow and others). Pure.
 */
export function pathToOpen(
  path: string,
  isDirectory: boolean,
  platform: NodeJS.Platform,
): string | null {
  if (!isDirectory) return null;
  const name = path.replace(/[/\\]+$/, '').replace(/^.*[/\\]/, '');
  if (platform === 'darwin' && name.includes('.')) return null;
  // If asked for C:\tool, Windows would start C:\tool.exe.
  return platform === 'win32' && !/[/\\]$/.test(path) ? `${path}\\` : path;
}
