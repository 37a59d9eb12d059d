/**
 * How far this computer's clock is ahead of engine time, which does not follow when the clock is set. A program that only reads the ledger
 * knows only the clock. Without this difference, it would show a wait as older or newer by as much as the clock was set.
 */
import { readMeta, writeMeta } from '../meta.ts';
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
