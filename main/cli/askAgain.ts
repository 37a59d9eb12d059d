/** After a lost answer to something that must not happen twice: asking whether it is there now. */
import type { Result, SluiceError } from '../../preload/errorCodes.ts';
import { sluiceError } from '../engine/errors.ts';
import type { CommandContext } from './context.ts';

/** Pauses before each look, ms; together the 30 s within which a service may still act on what it got (limits.ts). */
const PAUSES_MS = [0, 1_000, 2_000, 4_000, 8_000, 15_000] as const;

/**
 * Looks until the thing is there or half a minute is over, and never sends anything again. `look` answers null while
 * it is not there. Error: the given one with what the looks showed.
 */
export async function lookAfterLostAnswer<T>(
  context: CommandContext,
  lost: SluiceError,
  noun: string,
  look: () => Promise<Result<T | null>>,
): Promise<Result<T>> {
  const { output, signal } = context;
  output.say(`The answer of the service was lost. Looking whether the ${noun} is there now…`);
  let answered = false;
  for (const pause of PAUSES_MS) {
    await context.ports().clock.sleep(pause, signal);
    if (signal.aborted) break;
    const found = await look();
    if (!found.ok) continue;
    answered = true;
    if (found.value !== null) return { ok: true, value: found.value };
  }
  const said = answered
    ? `the ${noun} is not there; the same command looks again before it makes one`
    : `whether the ${noun} is there could not be asked; the same command asks before it makes one`;
  return { ok: false, error: sluiceError(lost.code, { said }) };
}
