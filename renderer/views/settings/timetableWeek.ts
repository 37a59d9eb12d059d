/** What a bandwidth timetable means for each day of the week, as drawn in its picture. */
import { capChanges, capOfChanges, type Timetable } from '../../../preload/contract/timetable.ts';
import { capText, clockText, shortWeekday, WEEK } from './settingsTimetable.ts';

interface WeekSpan {
  readonly from: number;
  readonly to: number;
  /** 0–1: how fast compared with the fastest cap; 1 without a cap. */
  readonly fraction: number;
  readonly says: string;
}

export interface WeekDay {
  readonly name: string;
  readonly spans: readonly WeekSpan[];
}

const DAY_MINUTES = 1440;
/** The palest shade that is still visible; a capped span is never as full as an uncapped one. */
const LEAST = 0.22;
const REACH = 0.4;

/** The week from Monday on; empty without entries. */
export function timetableWeek(entries: Timetable): readonly WeekDay[] {
  const changes = capChanges(entries);
  const fastest = Math.max(1, ...entries.map(({ bytesPerSecond }) => bytesPerSecond ?? 0));
  if (changes.length === 0) return [];
  return WEEK.map((day) => {
    const start = day * DAY_MINUTES;
    const inside = changes
      .map(({ minuteOfWeek }) => minuteOfWeek - start)
      .filter((at) => at > 0 && at < DAY_MINUTES);
    const edges = [0, ...inside, DAY_MINUTES];
    const spans = edges.slice(0, -1).map((from, index): WeekSpan => {
      const to = edges[index + 1] ?? DAY_MINUTES;
      const cap = capOfChanges(changes, start + from);
      const end = to === DAY_MINUTES ? '24:00' : clockText(to);
      return {
        from,
        to,
        fraction: cap === null ? 1 : LEAST + REACH * (cap / fastest),
        says: `${clockText(from)} to ${end}: ${capText(cap)}`,
      };
    });
    return { name: shortWeekday(day), spans };
  });
}
