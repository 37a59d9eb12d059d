import { localDay } from '../../../preload/contract/calendarDay.ts';

/** "drop-2026-11-21", by this computer's calendar. */
export function dropBatch(now: number): string {
  return `drop-${localDay(now)}`;
}
