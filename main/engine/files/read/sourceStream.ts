/** A source stream as its user sees it: an async iterable of chunks that ends, or throws when a source changed. */
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type { SourceMember, SourceOutcome } from '../../core/model.ts';
import type { SourceStream } from '../../core/ports.ts';
import type { SourceStep } from './sourceReader.ts';

/** Where the steps of a stream come from. */
export interface StepSource {
  next(): Promise<SourceStep>;
  /** Gives up reading; called once when the stream is left in any way. */
  stop(): void;
}

/** The failure of a stream whose source changed. */
function changedFailure(
  members: readonly SourceMember[],
  outcome: Extract<SourceOutcome, { kind: 'changed' }>,
): SluiceFailure {
  const path = members[outcome.index]?.path ?? null;
  return new SluiceFailure(sluiceError(outcome.code, { path }));
}

/**
 * Makes a stream of the steps that `open` brings. Its chunks can be asked once; leaving the loop, an error or the signal
 * stops the reading.
 */
export function streamOfSteps(
  members: readonly SourceMember[],
  signal: AbortSignal,
  open: () => StepSource,
): SourceStream {
  let outcome: SourceOutcome = { kind: 'reading' };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    const source = open();
    try {
      while (outcome.kind === 'reading') {
        const step = await source.next();
        signal.throwIfAborted();
        outcome = step.outcome;
        if (outcome.kind === 'changed') throw changedFailure(members, outcome);
        if (step.bytes !== null) yield step.bytes;
      }
    } finally {
      source.stop();
    }
  }
  return { chunks: chunks(), outcome: () => outcome };
}
