/** How many transfers may use the network now, by what was seen of the last window of time. */
import type { Clock } from '../../core/ports.ts';
import { adaptLanes, type LaneBounds, startLanes } from './adapt.ts';
import type { TransferOutcome } from './transferOutcome.ts';

const WINDOW_MS = 400;

export interface LaneCount {
  allowed(): number;
  /** Begins the next window where this one is over. */
  turnWindow(): void;
  /** Fewer were there to be sent than might have been. */
  wasNotFull(): void;
  /** A try of so many bytes ended. */
  ended(outcome: TransferOutcome, sizeBytes: number): void;
}

function troubled(outcome: TransferOutcome): boolean {
  if (outcome.kind !== 'again' && outcome.kind !== 'unknown') return false;
  return outcome.error.code === 'service.busy' || outcome.error.code === 'network.timeout';
}

/** Begins with as many as the bounds allow at the start. */
export function createLaneCount(clock: Clock, bounds: () => LaneBounds): LaneCount {
  let lanes = startLanes(bounds());
  let window = { from: clock.monotonicMs(), full: true, trouble: false, bytes: 0 };
  return {
    allowed: () => lanes.allowed,
    turnWindow: () => {
      const now = clock.monotonicMs();
      const durationMs = now - window.from;
      if (durationMs < WINDOW_MS && !window.trouble) return;
      lanes = adaptLanes(lanes, { ...window, durationMs }, bounds());
      window = { from: now, full: true, trouble: false, bytes: 0 };
    },
    wasNotFull: () => {
      window.full = false;
    },
    ended: (outcome, sizeBytes) => {
      if (outcome.kind === 'sent') window.bytes += sizeBytes + 1;
      if (troubled(outcome)) window.trouble = true;
    },
  };
}
