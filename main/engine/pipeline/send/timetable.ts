/**
 * How fast the line may send at which time of day: one rate for always, or changes at local times as people write them,
 * "08:00,2M 18:00,off". Pure; everything is told by the wall clock, so that summer time needs no rules of its own.
 */
import type { Result } from '../../../../preload/contract/errors.ts';
import { fail, ok } from '../../core/errors.ts';
import { LEAST_CAP_BYTES_PER_SECOND } from '../../core/limits.ts';

/** A wall clock: the day of the week from 0 (Sunday), and the minute of the day from 0 to 1439. */
export interface LocalTime {
  readonly weekday: number;
  readonly minute: number;
}

/** From this minute of the week on (0: Sunday 00:00), at most so many bytes per second; null: no bound. */
interface CapChange {
  readonly minuteOfWeek: number;
  readonly bytesPerSecond: number | null;
}

/** At least one change, in order, no two at the same minute. The last of the week holds until the first. */
export type Timetable = readonly CapChange[];

const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FACTORS = { '': 1, k: 1e3, m: 1e6, g: 1e9 } as const;
/** Entries of one timetable; more is a mistake. */
const MAX_ENTRIES = 500;

function wrong<T>(said: string): Result<T> {
  return fail('usage.invalid', { said });
}

/** Reads "2M", "500k", "1.5M" or "off": decimal bytes per second, null for no bound. Error: usage.invalid. */
export function readCap(text: string): Result<number | null> {
  const word = text.trim().toLowerCase();
  if (word === 'off') return ok(null);
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([kmg]?)$/.exec(word);
  if (match === null) return wrong(`"${text}" is no rate: 500k, 2M, 1.5G or off`);
  const unit = match[2] === 'k' || match[2] === 'm' || match[2] === 'g' ? match[2] : '';
  const rate = Math.round(Number(match[1]) * FACTORS[unit]);
  if (rate < LEAST_CAP_BYTES_PER_SECOND) {
    return wrong(
      `"${text}" is under ${LEAST_CAP_BYTES_PER_SECOND} bytes per second; pause instead`,
    );
  }
  return ok(rate);
}

interface Entry extends CapChange {
  readonly weekday: number | null;
  readonly text: string;
}

function readEntry(text: string): Result<Entry> {
  const match = /^(?:([a-z]+)-)?(\d{1,2}):(\d{2}),(.*)$/is.exec(text);
  if (match === null) return wrong(`"${text}" is no entry: 08:00,2M or Mon-08:00,2M`);
  const [day, hour, minute] = [match[1]?.toLowerCase(), Number(match[2]), Number(match[3])];
  const weekday = day === undefined ? null : DAYS.indexOf(day);
  if (weekday === -1) return wrong(`"${match[1]}" is no day: Mon, Tue, Wed, Thu, Fri, Sat or Sun`);
  if (hour > 23 || minute > 59) return wrong(`"${text}" names no time of day: 00:00 to 23:59`);
  const cap = readCap(match[4] ?? '');
  if (!cap.ok) return cap;
  const minuteOfWeek = (weekday ?? 0) * DAY_MINUTES + hour * 60 + minute;
  return ok({ weekday, minuteOfWeek, bytesPerSecond: cap.value, text });
}

/** Every day's entries on every day, then what is said of single days over them. */
function spread(entries: readonly Entry[]): Result<Timetable> {
  const changes = new Map<number, number | null>();
  for (const single of [false, true]) {
    const said = new Set<number>();
    for (const { weekday, minuteOfWeek, bytesPerSecond, text } of entries) {
      if ((weekday !== null) !== single) continue;
      if (said.has(minuteOfWeek)) return wrong(`"${text}" names a time that is there already`);
      said.add(minuteOfWeek);
      const step = single ? WEEK_MINUTES : DAY_MINUTES;
      for (let at = minuteOfWeek; at < WEEK_MINUTES; at += step) changes.set(at, bytesPerSecond);
    }
  }
  return ok(
    [...changes]
      .map(([minuteOfWeek, bytesPerSecond]) => ({ minuteOfWeek, bytesPerSecond }))
      .sort((one, other) => one.minuteOfWeek - other.minuteOfWeek),
  );
}

/**
 * Reads a timetable: a single rate ("2M", "500k", "off"), or entries separated by spaces, each "HH:MM,RATE" or
 * "Mon-HH:MM,RATE". Error: usage.invalid, saying what is wrong; what was in force before is the caller's to keep.
 */
export function readTimetable(text: string): Result<Timetable> {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const [only] = words;
  if (only === undefined) return wrong('the timetable is empty; off means no bound');
  if (words.length > MAX_ENTRIES) return wrong(`more than ${MAX_ENTRIES} entries`);
  if (words.length === 1 && !only.includes(':')) {
    const cap = readCap(only);
    return cap.ok ? ok([{ minuteOfWeek: 0, bytesPerSecond: cap.value }]) : cap;
  }
  const entries: Entry[] = [];
  for (const word of words) {
    const entry = readEntry(word);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return spread(entries);
}

/** The wall clock of this computer at an instant. */
export function localTimeOf(at: number): LocalTime {
  const date = new Date(at);
  return { weekday: date.getDay(), minute: date.getHours() * 60 + date.getMinutes() };
}

/** The bound that holds at a local time, bytes per second; null: none. */
export function capAt(timetable: Timetable, { weekday, minute }: LocalTime): number | null {
  const now = weekday * DAY_MINUTES + minute;
  const last = timetable.findLast((change) => change.minuteOfWeek <= now) ?? timetable.at(-1);
  return last?.bytesPerSecond ?? null;
}
