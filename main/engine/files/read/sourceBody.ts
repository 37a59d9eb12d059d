/** The body of a transfer, read and checked in the thread that sends it. */
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type { ComputedChecksums, SourceOutcome, SourcePlan } from '../../core/model.ts';
import { paced, UNLIMITED } from '../../core/paced.ts';
import type { SourceBody, SourceOptions } from '../../core/ports.ts';
import { createBodyChecksums, UNKNOWN_CHECKSUMS } from './bodyChecksums.ts';
import { bodyBytes } from './bodyLayout.ts';
import { createMemories } from './memories.ts';
import type { ReadSmall } from './readSmall.ts';
import type * as SourceReader from './sourceReader.ts';

/** Loaded only when this thread reads, because it includes the native hashes. */
let reader: typeof SourceReader | null = null;

function changedFailure(
  { members }: SourcePlan,
  outcome: Extract<SourceOutcome, { kind: 'changed' }>,
): SluiceFailure {
  const path = members[outcome.index]?.path ?? null;
  return new SluiceFailure(sluiceError(outcome.code, { path }));
}

export interface OpenBody extends SourceBody {
  /** To be called when none of the bytes handed out are needed any more: once reading has ended, other bodies use the memory. */
  release(): void;
}

/** Opens a body; nothing is read before its chunks are requested. `readSmall` as for readSources(). */
export function openSourceBody(
  plan: SourcePlan,
  options: SourceOptions,
  signal: AbortSignal,
  readSmall?: ReadSmall,
): OpenBody {
  let outcome: SourceOutcome = { kind: 'reading' };
  let sums = UNKNOWN_CHECKSUMS;
  const memories = createMemories();
  let isReading = false;
  let isOver = false;
  const release = (): void => {
    if (isOver && !isReading) memories.release();
  };
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    reader ??= await import('./sourceReader.ts');
    const end = (ended: SourceOutcome): void => {
      outcome = ended;
    };
    for await (const chunk of reader.readSources(plan, end, memories, readSmall)) {
      signal.throwIfAborted();
      yield chunk;
    }
    if (outcome.kind === 'changed') throw changedFailure(plan, outcome);
  }
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    signal.throwIfAborted();
    outcome = { kind: 'reading' };
    const computed = createBodyChecksums(plan, { md5: options.withMd5 });
    isReading = true;
    try {
      for await (const piece of paced(options.throttle, pieces(), signal)) {
        computed.update(piece);
        options.onSent(piece.length);
        yield piece;
      }
      sums = { ...computed.finish(), sha256: null };
    } finally {
      // No read is in progress any more: the generators below this one wait for theirs.
      isReading = false;
      release();
    }
  }
  return {
    lengthBytes: bodyBytes(plan),
    chunks,
    outcome: () => outcome,
    checksums: () => sums,
    release() {
      isOver = true;
      release();
    },
  };
}

/** Reads a body to its end for its checksums; null when a source has changed or the signal aborts. */
export async function sumBody(
  plan: SourcePlan,
  signal: AbortSignal,
): Promise<ComputedChecksums | null> {
  const options = { throttle: UNLIMITED, withMd5: true, onSent: () => undefined };
  const body = openSourceBody(plan, options, signal);
  try {
    for await (const piece of body.chunks()) void piece;
    return body.checksums();
  } catch (error) {
    if (error instanceof SluiceFailure || signal.aborted) return null;
    throw error;
  }
}
