import { visible } from '../../../preload/contract/visibleText.ts';
import { isTextPath } from '../../engine/queries/pathOnDisk.ts';

/** Text for the clipboard. Bytes of a path that are not text are written as the window shows them: `\xe9`. Pure. */
export function clipboardText(text: string): string {
  return isTextPath(text) ? text : text.replace(/[\uef80-\uefff]/g, (byte) => visible(byte));
}
