/** How a place is shown to a person without ever starting what is in it. */

/**
 * The path to open, or 'beside': it is marked in the folder that holds it. Only plain directories are opened: a file could be a
 * program, and a directory whose name has an ending is one on macOS (.app, .pkg, .workflow and others). Pure.
 */
export function wayToShow(path: string, isDirectory: boolean, platform: NodeJS.Platform): string {
  if (!isDirectory) return 'beside';
  const name = path.replace(/[/\\]+$/, '').replace(/^.*[/\\]/, '');
  if (platform === 'darwin' && name.includes('.')) return 'beside';
  // Windows would start C:\\tool.exe when it is asked for C:\\tool.
  return platform === 'win32' && !/[/\\]$/.test(path) ? `${path}\\` : path;
}
