/** Saving a file where the user chooses; it is written completely or not at all. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dialog } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import type { AppContext } from '../appContext.ts';

/** Asks for a path and writes the text there. null: the user cancelled. Error: disk.failed. */
export async function saveAs(
  context: {
    readonly window: Pick<AppContext['window'], 'current'>;
    readonly allowed: Pick<AppContext['allowed'], 'allow'>;
  },
  name: string,
  text: AsyncIterable<string> | Iterable<string>,
): Promise<Result<{ path: string } | null>> {
  const window = context.window.current();
  if (window === null) return ok(null);
  const answer = await dialog.showSaveDialog(window, { defaultPath: name });
  if (answer.canceled || answer.filePath === '') return ok(null);
  // A name that no file of the user has.
  const part = `${answer.filePath}.${randomUUID().slice(0, 8)}.part`;
  try {
    const file = await open(part, 'wx', 0o600);
    try {
      for await (const piece of text) await file.write(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, answer.filePath);
  } catch (error) {
    await rm(part, { force: true });
    return fail('disk.failed', { said: error instanceof Error ? error.message : String(error) });
  }
  // The window may then show it in its folder.
  context.allowed.allow([answer.filePath]);
  return ok({ path: answer.filePath });
}
