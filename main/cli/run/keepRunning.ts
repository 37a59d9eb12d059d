/** Commands that stay: what a full disk breaks off begins again by itself. */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { explain } from '../../../preload/errorText.ts';
import type { CommandContext } from '../session/context.ts';

/** Between two tries, ms. */
const AGAIN_MS = 10_000;
/** A failure of the same kind after a shorter run than this is not reported again, ms. */
const REPORT_AGAIN_MS = 60_000;

function isDisk({ code }: SluiceError): boolean {
  return code === 'disk.full' || code === 'disk.failed';
}

/** Once it had begun, a lost connection is no reason to end either. */
function isNetwork({ code, next }: SluiceError): boolean {
  return (code.startsWith('network.') || code.startsWith('net.')) && next !== 'stop';
}

/**
 * Runs a command that is to stay, again and again while the disk keeps it from working, until it ends by itself or by the
 * signal. Each run starts with the recovery of what the one before left behind. Answers how the last run ended.
 */
export async function keepRunning(
  context: Pick<CommandContext, 'signal' | 'output' | 'ports'>,
  run: () => Promise<Result<number>>,
): Promise<Result<number>> {
  const { signal, output } = context;
  const { clock } = context.ports();
  let brokenOff: SluiceError | null = null;
  for (;;) {
    const began = clock.monotonicMs();
    const end = await run();
    if (end.ok || signal.aborted) return end;
    const { error } = end;
    if (!isDisk(error) && !(brokenOff !== null && isNetwork(error))) return end;
    if (brokenOff?.code !== error.code || clock.monotonicMs() - began >= REPORT_AGAIN_MS) {
      const text = `${explain(error).message} It is tried again every 10 seconds.`;
      output.event({ event: 'notice', code: error.code, text }, text);
    }
    brokenOff = error;
    await clock.sleep(AGAIN_MS, signal);
    if (signal.aborted) return end;
  }
}
