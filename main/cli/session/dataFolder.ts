/** Whether the data folder answers. The ledger is read on the main thread, which a drive that does not answer would hold. */
import { statfs } from 'node:fs/promises';
import { fail, ok, type Result } from '../../engine/core/errors.ts';
import type { CommandContext } from './context.ts';

/** How long it has to answer, in ms: a disk that sleeps needs 10 s to start. Our choice. */
const ANSWER_MS = 15_000;

/** Error: disk.missing when it does not answer, or when the command is interrupted meanwhile. */
export async function askDataFolder(
  { dataDirectory, clock, signal }: Pick<CommandContext, 'dataDirectory' | 'clock' | 'signal'>,
  ask: (directory: string) => Promise<unknown> = statfs,
): Promise<Result<null>> {
  const answered = new AbortController();
  const late = clock.sleep(ANSWER_MS, AbortSignal.any([signal, answered.signal]));
  const isThere = await Promise.race([
    late.then(() => false),
    ask(dataDirectory).then(
      () => true,
      () => true,
    ),
  ]);
  answered.abort();
  const said = `${dataDirectory} does not answer`;
  return isThere ? ok(null) : fail('disk.missing', { path: dataDirectory, said });
}
