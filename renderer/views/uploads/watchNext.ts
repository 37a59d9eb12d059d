/** What happens next with a watch: the end of its line. */
import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { countOf, formatDuration } from '../../../preload/contract/figures.ts';
import { segmentsOf } from '../batches/itemStates.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A sentence without its full stop. `line.held`: something outside keeps everything back; `now` in epoch ms. Pure. */
export function watchNext(
  watch: WatchView,
  line: { readonly paused: boolean; readonly held: boolean },
  now: number,
): string {
  const { counts, settling } = watch;
  // As the bar counts them: found, and not on its way yet.
  const waiting = segmentsOf(counts).find(({ key }) => key === 'waiting')?.count ?? 0;
  const open = waiting + counts.sending;
  if (watch.state === 'paused' || line.paused) {
    return open === 0
      ? 'Takes nothing new until you resume'
      : `${countOf(open, 'file')} wait${open === 1 ? 's' : ''} until you resume`;
  }
  if (open > 0 && line.held) return 'Goes on by itself as soon as it can';
  if (waiting > 0) return `Sends ${countOf(waiting, 'more file')}`;
  if (counts.sending > 0) return 'Waits for the service to confirm what is on its way';
  if (settling > 0) {
    const files = countOf(settling, 'file');
    return settling === 1 ? `${files} is still being written` : `${files} are still being written`;
  }
  if (counts.confirmed === 0) return 'Waits for the first file';
  const seal = sealNext(watch, now);
  return seal === null ? 'Waits for new files' : `Waits for new files; the batch is closed ${seal}`;
}

/** When the open batch is closed, seen from now; null when nothing tells. */
function sealNext({ rule, lastFileAt }: WatchView, now: number): string | null {
  const { at, quietMinutes } = rule.seal;
  if (quietMinutes !== null && lastFileAt !== null) {
    const left = lastFileAt + quietMinutes * MINUTE_MS - now;
    if (left > 0) return `in ${formatDuration(left)} if none comes`;
  }
  return at === null ? null : `in ${formatDuration(untilClock(at, now))}`;
}

/** Ms until the next time the clock of this computer shows "HH:MM". */
function untilClock(at: string, now: number): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const left = new Date(now).setHours(hours, minutes, 0, 0) - now;
  return left > 0 ? left : left + DAY_MS;
}
