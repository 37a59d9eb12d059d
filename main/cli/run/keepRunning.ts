/** Commands that run until they are stopped: they wait out causes that may pass, from the start on. */
import type { Result, SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import type { CommandContext } from '../session/context.ts';
import type { PauseNote } from './pauseNote.ts';

/** Pause between two tries, in ms. */
const AGAIN_MS = 10_000;
/** After a shorter run than this, a failure of the same kind is not reported again, in ms. */
const REPORT_AGAIN_MS = 60_000;

/** What the engine would retry or wait for passes without this program; a disk that failed may work again. */
function mayPass({ code, next }: SluiceError): boolean {
  return next === 'retry' || next === 'unknown' || next === 'wait' || code === 'disk.failed';
}

/**
 * Runs a command again and again while the disk, the network, the key or the service fails, until it ends by itself or is aborted. Each
 * run recovers what the previous one left behind. `note`: where it says so meanwhile. Returns how the last run ended.
 */
export async function keepRunning(
  context: Pick<CommandContext, 'signal' | 'output' | 'clock'>,
  run: () => Promise<Result<number>>,
  note: Pick<PauseNote, 'pause'>,
): Promise<Result<number>> {
  const { signal, output, clock } = context;
  let lastError: SluiceError | null = null;
  for (;;) {
    const startedAt = clock.monotonicMs();
    const end = await run();
    if (end.ok || signal.aborted) return end;
    const { error } = end;
    // Between two tries, another program may take the folder for a while, or the file of the key be replaced.
    const isTaken = error.code === 'store.owned';
    const isChanging = isTaken || error.context['keyFile'] === true;
    if (!mayPass(error) && !(isChanging && lastError !== null)) return end;
    if (lastError?.code !== error.code || clock.monotonicMs() - startedAt >= REPORT_AGAIN_MS) {
      const text = `${explain(error).message} Trying again every 10 seconds.`;
      output.event({ event: 'notice', code: error.code, text }, text);
    }
    lastError = error;
    if (!isTaken) note.pause(error, AGAIN_MS);
    await clock.sleep(AGAIN_MS, signal);
    if (signal.aborted) return end;
  }
}
