/** Passes bytes on as fast as a rate limit allows. */
import { SluiceFailure, sluiceError } from './errors.ts';
import type { Throttle } from './ports.ts';

/** Limits nothing. */
export const UNLIMITED: Throttle = {
  isBound: () => false,
  take: (bytes) => Promise.resolve(bytes),
};

/** Passes on the chunks of a body, in slices while there is a limit; throws network.lost when the signal aborts. */
export async function* paced(
  throttle: Throttle,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const left = chunk.length - at;
      const granted = throttle.isBound() ? await throttle.take(left, signal) : left;
      if (granted === 0) throw new SluiceFailure(sluiceError('network.lost', { stopped: true }));
      yield granted === chunk.length ? chunk : chunk.subarray(at, at + granted);
      at += granted;
    }
  }
}
