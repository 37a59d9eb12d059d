/** Commands that run for good: after a full disk or a lost network they start again by themselves. */
import type { Result, SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import type { CommandContext } from '../session/context.ts';

/** Between two tries, ms. */
const AGAIN_MS = 10_000;
/** A failure of the same kind after a shorter run than this is not reported again, ms. */
const REPORT_AGAIN_MS = 60_000;

function isDisk({ code }: SluiceError): boolean {
  return code === 'disk.full' || code === 'disk.failed';
}

/** After a first failure of the disk a lost connection does not end the command either. */
function isNetwork({ code, next }: SluiceError): boolean {
  return (code.startsWith('network.') || code.startsWith('net.')) && next !== 'stop';
}

/**
 * Runs a command again and again while the disk fails, until it ends by itself or by the signal. Each run recovers what the one
 * before left behind. Answers how the last run ended.
 */
export async function keepRunning(
  context: Pick<CommandContext, 'signal' | 'output' | 'ports'>,
  run: () => Promise<Result<number>>,
): Promise<Result<number>> {
  const { signal, output } = context;
  const { clock } = context.ports();
  let lastError: SluiceError | null = null;
  for (;;) {
    const startedAt = clock.monotonicMs();
    const end = await run();
    if (end.ok || signal.aborted) return end;
    const { error } = end;
    if (!isDisk(error) && !(lastError !== null && isNetwork(error))) return end;
    if (lastError?.code !== error.code || clock.monotonicMs() - startedAt >= REPORT_AGAIN_MS) {
      const text = `${explain(error).message} Trying again every 10 seconds.`;
      output.event({ event: 'notice', code: error.code, text }, text);
    }
    lastError = error;
    await clock.sleep(AGAIN_MS, signal);
    if (signal.aborted) return end;
  }
}
