/** Whether the data folder answers. The ledger is read on the main thread, which a drive that does not answer would hold. */
import { lstat, statfs } from 'node:fs/promises';
import { fail, ok, type Result } from '../../engine/core/errors.ts';
import { inTime } from '../../engine/core/inTime.ts';
import { DRIVE_ANSWER_MS } from '../../engine/core/limits.ts';
import type { CommandContext } from './context.ts';

/** A folder that is not there yet may be made; the place behind a link, such as a drive that is not mounted, only by its owner. */
async function look(directory: string): Promise<string | null> {
  if ((await statfs(directory).catch(() => null)) !== null) return null;
  const link = await lstat(directory).catch(() => null);
  return link?.isSymbolicLink() === true ? 'is a link to a folder that is not there' : null;
}

/** Error: disk.missing when it does not answer, or leads nowhere, or when the command is interrupted meanwhile. */
export async function askDataFolder(
  { dataDirectory, clock, signal }: Pick<CommandContext, 'dataDirectory' | 'clock' | 'signal'>,
  ask: (directory: string) => Promise<string | null> = look,
): Promise<Result<null>> {
  const answer = await inTime(clock, DRIVE_ANSWER_MS, ask(dataDirectory), signal);
  const wrong = answer === null ? 'does not answer' : answer.found;
  if (wrong === null) return ok(null);
  return fail('disk.missing', { path: dataDirectory, said: `${dataDirectory} ${wrong}` });
}
