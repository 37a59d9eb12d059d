/** A request's body on its way out: exactly as long as declared, or it is never completed. */
import type { StreamBody } from '../ports.ts';

/** Sent in slices of this size, bytes: each is a sign of progress, so that a slow upload is not mistaken for a stalled one. */
export const SLICE_BYTES = 64 * 1024;

/** What the body tells while it is asked for its bytes. */
export interface OutgoingWatch {
  /** The source is asked: waiting for it is no stall of the network. */
  reading(): void;
  /** The next slice is handed out; `last` just before the final one leaves. */
  sending(last: boolean): void;
  /** True when nobody wants the rest. */
  stopped(): boolean;
}

/** A source that is shorter or longer than it said. */
export class LengthMismatch extends Error {
  constructor() {
    super('the body is not as long as declared');
    this.name = 'LengthMismatch';
  }
}

function* slices(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
    yield chunk.subarray(at, at + SLICE_BYTES);
  }
}

/** True when the source has ended: nothing but empty chunks follow. */
async function atEnd(source: AsyncIterator<Uint8Array>): Promise<boolean> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return true;
    if (next.value.length > 0) return false;
  }
}

/**
 * Hands out the body of a stream. The last byte leaves only after the source has ended at exactly the declared length;
 * otherwise LengthMismatch is thrown before it, so that the service cannot take the body for complete.
 */
export async function* outgoing(
  body: StreamBody,
  watch: OutgoingWatch,
): AsyncGenerator<Uint8Array, void, void> {
  const source = body.chunks()[Symbol.asyncIterator]();
  let left = body.lengthBytes;
  let finished = false;
  try {
    while (!watch.stopped()) {
      watch.reading();
      const next = await source.next();
      if (next.done === true) {
        finished = true;
        throw new LengthMismatch();
      }
      const chunk = next.value;
      if (chunk.length === 0) continue;
      if (chunk.length > left) throw new LengthMismatch();
      if (chunk.length === left) {
        if (!(await atEnd(source))) throw new LengthMismatch();
        finished = true;
      }
      for (const slice of slices(chunk)) {
        if (watch.stopped()) return;
        left -= slice.length;
        watch.sending(left === 0);
        yield slice;
      }
      if (finished) return;
    }
  } finally {
    if (!finished) await source.return?.();
  }
}

/** Reads a source that declared no bytes at all; throws LengthMismatch when it has some. */
export async function expectEmpty(body: StreamBody): Promise<void> {
  const source = body.chunks()[Symbol.asyncIterator]();
  if (await atEnd(source)) return;
  await source.return?.();
  throw new LengthMismatch();
}
