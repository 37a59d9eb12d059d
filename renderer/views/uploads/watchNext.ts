/** What happens next with a watch: the end of its line. */
import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { countOf, formatDuration } from '../../../preload/contract/figures.ts';
import { filesWait } from '../../text/uploadProgress.ts';
import { segmentsOf } from '../batches/itemStates.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A sentence without a full stop; null when the state and the figures say everything. `line.held`: an outside cause holds everything
 * back; `line.needsKey`: a person must enter the key; `now` in epoch ms. Pure.
 */
export function watchNext(
  watch: WatchView,
  line: { readonly paused: boolean; readonly held: boolean; readonly needsKey: boolean },
  now: number,
): string | null {
  const { counts, settling } = watch;
  // Counted as in the bar: found but not being sent yet.
  const waiting = segmentsOf(counts).find(({ key }) => key === 'waiting')?.count ?? 0;
  const open = waiting + counts.sending + counts.sent;
  if (watch.state === 'paused' || line.paused) {
    return open === 0
      ? 'Nothing new is uploaded until you resume'
      : `${filesWait(open)} until you resume`;
  }
  if (open > 0 && line.needsKey) return 'Waiting for a new API key';
  if (open > 0 && line.held) return 'Resumes automatically';
  if (waiting + counts.sending > 0) return null;
  if (counts.sent > 0) return 'Waiting for the service to confirm';
  if (settling > 0) {
    const files = countOf(settling, 'file');
    return settling === 1 ? `${files} is still being copied` : `${files} are still being copied`;
  }
  if (counts.confirmed === 0) return 'Waiting for the first file';
  const seal = sealNext(watch, now);
  return seal === null ? null : `The batch closes ${seal}`;
}

/** When the open batch will be closed, relative to now; null when that is unknown. */
function sealNext({ rule, lastFileAt }: WatchView, now: number): string | null {
  const { at, quietMinutes } = rule.seal;
  if (quietMinutes !== null && lastFileAt !== null) {
    const left = lastFileAt + quietMinutes * MINUTE_MS - now;
    if (left > 0) return `in ${formatDuration(left)} if none comes`;
  }
  return at === null ? null : `in ${formatDuration(untilClock(at, now))}`;
}

/** Ms until this computer's clock next shows "HH:MM". */
function untilClock(at: string, now: number): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const left = new Date(now).setHours(hours, minutes, 0, 0) - now;
  return left > 0 ? left : left + DAY_MS;
}
