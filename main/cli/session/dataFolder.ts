/** Whether the data folder answers. The ledger is read on the main thread, which a drive that does not answer would hold. */
import { statfs } from 'node:fs/promises';
import { fail, ok, type Result } from '../../engine/core/errors.ts';
import { inTime } from '../../engine/core/inTime.ts';
import { DRIVE_ANSWER_MS } from '../../engine/core/limits.ts';
import type { CommandContext } from './context.ts';

/** Error: disk.missing when it does not answer, or when the command is interrupted meanwhile. */
export async function askDataFolder(
  { dataDirectory, clock, signal }: Pick<CommandContext, 'dataDirectory' | 'clock' | 'signal'>,
  ask: (directory: string) => Promise<unknown> = statfs,
): Promise<Result<null>> {
  // A failure is an answer, too.
  const look = ask(dataDirectory).catch(() => null);
  if ((await inTime(clock, DRIVE_ANSWER_MS, look, signal)) !== null) return ok(null);
  const said = `${dataDirectory} does not answer`;
  return fail('disk.missing', { path: dataDirectory, said });
}
