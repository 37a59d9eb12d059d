import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { formatDuration } from '../../../preload/contract/figures.ts';
import { openFiles } from '../../../preload/contract/toGo.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A sentence without a full stop; null when the state and the figures say everything: while files are open, still copied or missing, and
 * while it is paused. `paused`: everything is; `now` in epoch ms. Pure.
 */
export function watchNext(watch: WatchView, paused: boolean, now: number): string | null {
  const { state, counts, settling } = watch;
  if (paused || state === 'paused' || openFiles(counts) > 0 || settling > 0) return null;
  const closes = counts.confirmed === 0 ? null : closesWhen(watch, now);
  return closes === null ? null : `Batch closes ${closes}`;
}

/** When the open batch will be closed, relative to now; null when that is unknown. */
function closesWhen({ rule, lastFileAt }: WatchView, now: number): string | null {
  const { at, quietMinutes } = rule.seal;
  if (quietMinutes !== null && lastFileAt !== null) {
    const left = lastFileAt + quietMinutes * MINUTE_MS - now;
    if (left > 0) return `in ${formatDuration(left)} if quiet`;
  }
  return at === null ? null : `in ${formatDuration(untilClock(at, now))}`;
}

/** Ms until this computer's clock next shows "HH:MM". */
function untilClock(at: string, now: number): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const left = new Date(now).setHours(hours, minutes, 0, 0) - now;
  return left > 0 ? left : left + DAY_MS;
}
