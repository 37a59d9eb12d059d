/**
 * How far this computer's clock is ahead of engine time, which does not follow when the clock is set. A program that only reads the ledger
 * knows only the clock. Without this difference, it would show a wait as older or newer by as much as the clock was set.
 */
import { deleteMeta, readMeta, writeMeta } from '../meta.ts';
import type { Store } from '../store.ts';

/** The difference in ms; 0 until the clock is set. */
export function engineBehindMs(store: Store, connectionId: number): number {
  return Number(readMeta(store, `engineClock:${connectionId}`) ?? 0);
}

export function noteEngineBehind(store: Store, connectionId: number, ms: number): void {
  writeMeta(store, `engineClock:${connectionId}`, `${Math.round(ms)}`);
}

/**
 * Called when a run starts: its engine time starts from this computer's clock. Converts the waits that an earlier run noted by its own
 * engine time.
 */
export function beginEngineTime(store: Store, connectionId: number): void {
  const behindMs = engineBehindMs(store, connectionId);
  if (behindMs === 0) return;
  // Only a shortage of open files begins by the computer's clock.
  const sql = `UPDATE waits SET since = since + ?, next_at = next_at + ? WHERE connection_id = ? AND subject <> 'files'`;
  store.run(sql, behindMs, behindMs, connectionId);
  noteEngineBehind(store, connectionId, 0);
}

/**
 * Notes when a run starts, in its engine time, and how long the computer has been on (null: not known). Returns how much must be added to an
 * engine time of the run before, in ms, so that it is not earlier in the engine time of this run than it really was; null when that is not
 * known. The clock may be set between two runs, and the ledger may move to another computer, but hardly both: what passed is the smaller of
 * the two differences.
 */
export function noteRunClocks(
  store: Store,
  connectionId: number,
  { startedAt, bootMs }: { readonly startedAt: number; readonly bootMs: number | null },
): number | null {
  const key = `runClocks:${connectionId}` as const;
  const [startedBefore = Number.NaN, bootBefore = Number.NaN] =
    readMeta(store, key)?.split(' ').map(Number) ?? [];
  if (bootMs === null) {
    deleteMeta(store, key);
    return null;
  }
  writeMeta(store, key, `${startedAt} ${Math.round(bootMs)}`);
  const aheadMs = startedAt - startedBefore - (bootMs - bootBefore);
  return Number.isNaN(aheadMs) ? null : Math.max(0, Math.round(aheadMs));
}
