/** Passes files and folders to the desktop, which accepts only text. If a path is not text, its nearest parent whose path is text is opened. */
import { dirname } from 'node:path';
import { shell } from 'electron';
import { isTextPath } from '../../engine/queries/pathOnDisk.ts';

/** Opens what is at a path. The caller makes sure that it is no program. */
export async function openPath(path: string): Promise<void> {
  await (isTextPath(path) ? shell.openPath(path) : openPath(dirname(path)));
}

/** Shows a file in its folder. */
export async function showInFolder(path: string): Promise<void> {
  if (isTextPath(path)) shell.showItemInFolder(path);
  else await openPath(dirname(path));
}
