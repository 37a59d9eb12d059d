/** How uploads and watches end on the command line: the exit code, and the one closing summary. */
import { SluiceFailure, sluiceError } from '../../engine/core/errors.ts';
import type { Tally } from '../../engine/queries/overview.ts';
import type { RunEnd } from '../../engine/runner/runEnd.ts';
import { EXIT, exitCodeOf } from '../terminal/exitCode.ts';
import {
  count,
  formatBytes,
  formatCount,
  formatDuration,
  needAttention,
} from '../terminal/format.ts';
import type { Output } from '../terminal/output.ts';

export function sayInterrupted(output: Output): void {
  output.say('Interrupted. Nothing is lost: the same command continues where it stopped.');
}

/** The exit code for the end of a run, explained on the output. */
export function exitOfEnd(output: Output, end: RunEnd, needsAttention: boolean): number {
  switch (end.kind) {
    case 'settled':
      return needsAttention ? EXIT.attention : EXIT.done;
    case 'unreachable':
      output.error(sluiceError('network.lost'));
      return EXIT.unreachable;
    case 'stalled':
      if (end.cause !== null) output.error(end.cause);
      output.error(
        sluiceError('network.timeout', { said: 'nothing was confirmed for 15 minutes or more' }),
      );
      return EXIT.attention;
    case 'blocked':
      output.error(end.error);
      return exitCodeOf(end.error);
    case 'interrupted':
      sayInterrupted(output);
      return EXIT.interrupted;
  }
}

function describeEnd(
  tally: Tally,
  open: number,
  amount: string,
  none: string | null,
): string | null {
  const { found, confirmed, skipped, attention } = tally;
  if (found === 0) return none;
  const parts = [`${formatCount(confirmed)} of ${count(found, 'file')} confirmed by the service`];
  if (skipped > 0) parts.push(`${formatCount(skipped)} skipped`);
  if (attention > 0) parts.push(`${needAttention(attention)} (sluice problems)`);
  if (open > 0) parts.push(`${formatCount(open)} still on their way`);
  return `${parts.join(', ')}; ${amount}.`;
}

/** Before anything was found. */
export const NOTHING: Tally = {
  found: 0,
  confirmed: 0,
  skipped: 0,
  attention: 0,
  open: 0,
  queued: 0,
  sent: 0,
  unanswered: 0,
  confirmedBytes: 0,
  openBytes: 0,
};

/** The end of a run that broke off at this tally: the ledger cannot be written any more, for example. Rethrows what is a bug. */
export function brokenEnd(thrown: unknown, tally: Tally): { end: RunEnd; tally: Tally } {
  if (!(thrown instanceof SluiceFailure)) throw thrown;
  return { end: { kind: 'blocked', error: thrown.error }, tally };
}

/** The outputs that have their summary. */
const summed = new WeakSet<Output>();

/** What the summary of an upload says in addition. */
interface UploadFigures {
  readonly sentBytes: number;
  /** The batches that the files went to. */
  readonly batches: readonly string[];
}

/** What a summary says of no files: nothing if the run ended before it had looked everywhere. */
export function noneFound(end: RunEnd): string | null {
  return end.kind === 'settled' ? 'No files were found.' : null;
}

/** Prints the summary of a run that took `ms`; `none` is what it says of no files, null for nothing. */
export function summarize(
  output: Output,
  tally: Tally,
  ms: number,
  none: string | null,
  more: UploadFigures | null = null,
): void {
  const { found, confirmed, skipped, attention, confirmedBytes: bytes } = tally;
  const open = found - confirmed - skipped - attention;
  const seconds = Math.round(ms) / 1000;
  const figures = { found, confirmed, skipped, attention, open, bytes, seconds };
  // A repeated command that only looked must not read as if it had sent everything again.
  const amount =
    more?.sentBytes === 0
      ? 'nothing was sent this time'
      : `${formatBytes(bytes)} in ${formatDuration(ms)}`;
  summed.add(output);
  output.event({ event: 'summary', ...figures, ...more }, describeEnd(tally, open, amount, none));
}

/** The summary of a run that ended before it looked for files: people have read why. Nothing when it has its summary. */
export function summarizeNothing(output: Output, ms: number): void {
  if (!summed.has(output)) summarize(output, NOTHING, ms, null);
}
