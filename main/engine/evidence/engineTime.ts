/**
 * Two clocks that stay right even if this computer's clock is wrong or jumps, or the computer sleeps. Engine time runs evenly from the
 * start of the program; service time is read from the `Date` headers of the service's answers.
 */
import type { Clock } from '../core/ports.ts';

/** A `Date` header has whole seconds, so smaller differences mean nothing. */
const PRECISION_MS = 2_000;
/** If an answer took longer, it is too uncertain when its header was written, in ms. Our choice. */
const SLOW_ANSWER_MS = 10_000;

type Clocks = Pick<Clock, 'now' | 'monotonicMs' | 'sleptMs'>;

/**
 * The time that has really passed, in ms: monotonic, and it includes the time that the computer slept. That time is added at the first call
 * after the sleep, so that what is noted then does not look hours old a second later. The system measures sleep only roughly, so small
 * differences do not count.
 */
function createElapsed(clock: Clocks) {
  let slept = 0;
  let wokeAt = Number.NEGATIVE_INFINITY;
  let ahead = Number.NEGATIVE_INFINITY;
  const elapsed = (): number => {
    const now = clock.monotonicMs();
    // After a sleep, the wall clock is further ahead of the monotonic clock than before. It may also have been set, so `sleptMs` decides.
    const aheadNow = clock.now() - now;
    if (Math.abs(aheadNow - ahead) > PRECISION_MS) {
      ahead = aheadNow;
      const found = clock.sleptMs?.() ?? 0;
      if (found - slept > PRECISION_MS) [slept, wokeAt] = [found, now];
    }
    return now + slept;
  };
  /** When the last sleep was noticed, in monotonic ms. */
  return { elapsed, wokeAt: () => wokeAt };
}

export function createEngineTime(clock: Clocks) {
  const { elapsed, wokeAt } = createElapsed(clock);
  const offset = clock.now() - elapsed();
  let serviceOffset: number | null = null;
  const now = (): number => Math.round(elapsed() + offset);
  return {
    /** Epoch ms by this computer's clock when the program started, plus the time that has really passed. Never jumps. */
    now,
    /** Epoch ms by the service's clock; by the engine's own until the service has stated a time. */
    service: () => Math.round(elapsed() + (serviceOffset ?? offset)),
    knowsService: () => serviceOffset !== null,
    /** Records a time that the service stated in an answer to a request that began at `beganAt`, in monotonic ms. */
    note: (dateMs: number, beganAt: number): void => {
      const [arrivedAt, passed] = [clock.monotonicMs(), elapsed()];
      // The computer slept meanwhile: the header may have been written before that.
      if (beganAt <= wokeAt()) return;
      if (serviceOffset !== null && arrivedAt - beganAt > SLOW_ANSWER_MS) return;
      // The header was written between the start of the request and its answer, within the second that it names.
      const stated = dateMs + 500 - passed + (arrivedAt - beganAt) / 2;
      if (serviceOffset === null || Math.abs(stated - serviceOffset) > PRECISION_MS) {
        serviceOffset = stated;
      }
    },
  };
}

export type EngineTime = ReturnType<typeof createEngineTime>;
