/** How many transfers may use the network now, based on the last time window. */
import type { Clock } from '../../core/ports.ts';
import { adaptLanes, type LaneBounds, startLanes } from './adapt.ts';
import type { TransferOutcome } from './transferOutcome.ts';

/** How long a window lasts, in ms; shorter until something limits the rate. Our choice. */
const WINDOW_MS = { early: 200, later: 400 } as const;

export interface LaneCount {
  allowed(): number;
  /** Starts the next window if this one is over. */
  turnWindow(): void;
  /** Fewer transfers were due than could have been sent. */
  wasNotFull(): void;
  /** A try of `sizeBytes` bytes ended. */
  ended(outcome: TransferOutcome, sizeBytes: number): void;
}

function troubled(outcome: TransferOutcome): boolean {
  if (outcome.kind !== 'again' && outcome.kind !== 'unknown') return false;
  return outcome.error.code === 'service.busy' || outcome.error.code === 'network.timeout';
}

/** Starts with the initial number of lanes within the bounds. */
export function createLaneCount(clock: Clock, bounds: () => LaneBounds): LaneCount {
  let lanes = startLanes(bounds());
  let window = { from: clock.monotonicMs(), full: true, trouble: false, bytes: 0 };
  return {
    allowed: () => lanes.allowed,
    turnWindow: () => {
      const now = clock.monotonicMs();
      const durationMs = now - window.from;
      const lastsMs = lanes.early ? WINDOW_MS.early : WINDOW_MS.later;
      if (durationMs < lastsMs && !window.trouble) return;
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
