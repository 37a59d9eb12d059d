import type { Timetable, TimetableEntry } from '../../../preload/contract/timetable.ts';
import { weekdayName } from '../../text/dates.ts';

/** The days of the week from Monday on; 0 is Sunday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0];

/** "Sun" */
export function shortWeekday(weekday: number): string {
  return weekdayName(weekday).slice(0, 3);
}

/** "08:00" */
export function clockText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** "2 MB/s", "500 kB/s", "no limit". */
export function capText(bytesPerSecond: number | null): string {
  if (bytesPerSecond === null) return 'no limit';
  const [factor, unit] =
    bytesPerSecond >= 1e9 ? [1e9, 'GB/s'] : bytesPerSecond >= 1e6 ? [1e6, 'MB/s'] : [1e3, 'kB/s'];
  return `${String(Math.round((bytesPerSecond / factor) * 100) / 100)} ${unit}`;
}

export interface TimetableLine {
  readonly when: string;
  readonly span: string;
  readonly cap: string;
}

/**
 * The entries as rows: which days, from when to when, how fast. An entry for every day applies until the next one for every day; one for
 * a single day applies until the next entry of any kind.
 */
export function timetableLines(entries: Timetable): readonly TimetableLine[] {
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && only.weekday === null) {
    return [{ when: 'Every day', span: 'always', cap: capText(only.bytesPerSecond) }];
  }
  return entries.map((entry) => ({
    when: entry.weekday === null ? 'Every day' : weekdayName(entry.weekday),
    span: `from ${clockText(entry.minute)} ${untilText(entries, entry)}`,
    cap: capText(entry.bytesPerSecond),
  }));
}

const DAY_MINUTES = 24 * 60;

/** When an entry ends: "to 18:00", "for the whole week". */
function untilText(entries: Timetable, entry: TimetableEntry): string {
  const start = (entry.weekday ?? 0) * DAY_MINUTES + entry.minute;
  const rivals = entries.flatMap((other) => {
    if (entry.weekday === null && other.weekday !== null) return [];
    const days = other.weekday === null ? [0, 1, 2, 3, 4, 5, 6] : [other.weekday];
    return days.map((day) => day * DAY_MINUTES + other.minute);
  });
  const waits = rivals.map((at) => (at - start + 7 * DAY_MINUTES) % (7 * DAY_MINUTES));
  const wait = Math.min(...waits.filter((value) => value > 0));
  if (!Number.isFinite(wait)) return 'for the whole week';
  const end = (start + wait) % DAY_MINUTES;
  const days = Math.floor((entry.minute + wait) / DAY_MINUTES);
  if (days === 0 || (days === 1 && end === 0)) return `to ${end === 0 ? '24:00' : clockText(end)}`;
  if (days === 1) return `to ${clockText(end)} the next day`;
  return `to ${weekdayName(((entry.weekday ?? 0) + days) % 7)} ${clockText(end)}`;
}
