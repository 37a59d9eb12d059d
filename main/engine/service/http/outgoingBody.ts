/** An outgoing request's body: exactly as long as declared, or never completed. */
import type { StreamBody } from '../../core/ports.ts';
import { uptimeMs } from '../../core/uptime.ts';

/** Sizes of slices, in bytes. Each one that leaves counts as progress. Large ones are twice as fast on a fast connection (measured). */
const SLICE_BYTES = { least: 64 * 1024, most: 1024 * 1024 } as const;
/** Slices grow while each leaves within QUICK_MS, and start small again after one that took SLOW_MS. Our choice. */
const QUICK_MS = 100;
const SLOW_MS = 1000;

export interface OutgoingWatch {
  /** The source is being read: waiting for it is not a stall of the network. */
  reading(): void;
  /** Called before each slice leaves; `last` is true for the final one. It must not leave when this returns false. */
  sending(last: boolean): boolean;
  /** True when the rest is no longer wanted. */
  stopped(): boolean;
}

const lengthMismatch = (): Error => new Error('the body is not as long as declared');

/** The size of the next slice after one that took this long. Pure. */
export function nextSliceBytes(bytes: number, tookMs: number): number {
  if (tookMs >= SLOW_MS) return SLICE_BYTES.least;
  return tookMs < QUICK_MS ? Math.min(SLICE_BYTES.most, bytes * 2) : bytes;
}

/** Cuts chunks into slices whose size adapts to how quickly they leave. */
function createSlicer(): (chunk: Uint8Array) => Generator<Uint8Array> {
  let bytes: number = SLICE_BYTES.least;
  return function* slices(chunk) {
    for (let at = 0; at < chunk.length;) {
      const slice = chunk.subarray(at, at + bytes);
      at += slice.length;
      const began = uptimeMs();
      yield slice;
      // A short slice says nothing about the connection: it fits into the socket's buffer.
      if (slice.length === bytes) bytes = nextSliceBytes(bytes, uptimeMs() - began);
    }
  };
}

/** True when the source has ended: only empty chunks follow. */
async function atEnd(source: AsyncIterator<Uint8Array>): Promise<boolean> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return true;
    if (next.value.length > 0) return false;
  }
}

/**
 * Hands out the body of a stream. Before the last byte, the source must have ended at exactly the declared length; otherwise throws, so
 * that the service cannot mistake the body for complete.
 */
export async function* outgoing(
  body: StreamBody,
  watch: OutgoingWatch,
): AsyncGenerator<Uint8Array, void, void> {
  const source = body.chunks()[Symbol.asyncIterator]();
  const slices = createSlicer();
  let left = body.lengthBytes;
  let finished = false;
  try {
    while (!watch.stopped()) {
      watch.reading();
      const next = await source.next();
      if (next.done === true) {
        finished = true;
        throw lengthMismatch();
      }
      const chunk = next.value;
      if (chunk.length === 0) continue;
      if (chunk.length > left) throw lengthMismatch();
      if (chunk.length === left) {
        if (!(await atEnd(source))) throw lengthMismatch();
        finished = true;
      }
      for (const slice of slices(chunk)) {
        if (watch.stopped()) return;
        left -= slice.length;
        if (!watch.sending(left === 0)) return;
        yield slice;
      }
      if (finished) return;
    }
  } finally {
    if (!finished) await source.return?.();
  }
}

/** Reads a source that declared no bytes; throws when it has some. */
export async function expectEmpty(body: StreamBody): Promise<void> {
  const source = body.chunks()[Symbol.asyncIterator]();
  if (await atEnd(source)) return;
  await source.return?.();
  throw lengthMismatch();
}
