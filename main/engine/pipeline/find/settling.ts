/** How many files of a watched directory are not in the ledger yet: until there are none, the watch is not finished. */
import type { WatchState } from './checkFiles.ts';

type Seen = Pick<WatchState, 'unsettled' | 'touched' | 'inHand' | 'busy'>;

/** Files and directories that are not stable, or not in the ledger yet; each counts once. */
export function countSettling({ unsettled, touched, inHand, busy }: Seen): number {
  let count = busy.expected();
  for (const path of unsettled.keys()) if (!busy.expects(path)) count += 1;
  for (const path of touched) if (!unsettled.has(path) && !busy.expects(path)) count += 1;
  for (const path of inHand) {
    if (!touched.has(path) && !unsettled.has(path) && !busy.expects(path)) count += 1;
  }
  return count;
}
