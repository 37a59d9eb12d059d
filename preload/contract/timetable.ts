/**
 * The timetable of the bandwidth cap: how fast Sluice may send at which time of the week. It is written as one rate ("2M", "off") or as
 * changes at local times ("08:00,2M Mon-18:00,off"). Pure; times are wall-clock times, so daylight saving needs no extra rules.
 */
import { MIN_CAP_BYTES_PER_SECOND } from './bounds.ts';

/** A wall-clock time: the day of the week from 0 (Sunday), and the minute of the day from 0 to 1439. */
export interface LocalTime {
  readonly weekday: number;
  readonly minute: number;
}

/** A cap that applies from a time of day on. */
export interface TimetableEntry {
  /** 0 (Sunday) to 6; null for every day. */
  readonly weekday: number | null;
  /** Minute of the day, 0 to 1439. */
  readonly minute: number;
  /** null for no cap. */
  readonly bytesPerSecond: number | null;
}

/** Entries for every day come first; each group is in order of time. No two have the same time. Empty: no cap. */
export type Timetable = readonly TimetableEntry[];

/** The cap that applies from this minute of the week on (0: Sunday 00:00). */
export interface CapChange {
  readonly minuteOfWeek: number;
  readonly bytesPerSecond: number | null;
}

/** A value, or a sentence without a full stop that says what is wrong with the text. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

const DAY_MINUTES = 24 * 60;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FACTORS = { '': 1, k: 1e3, m: 1e6, g: 1e9 } as const;
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 500;

function wrong(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

/** Reads "2M", "500k", "1.5M" or "off": decimal bytes per second, null for no cap. */
export function readCap(text: string): Reading<number | null> {
  const word = text.trim().toLowerCase();
  if (word === 'off') return { ok: true, value: null };
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([kmg]?)$/.exec(word);
  if (match === null) return wrong(`“${text}” is not a valid rate; use 500k, 2M, 1.5G or off`);
  const unit = match[2] === 'k' || match[2] === 'm' || match[2] === 'g' ? match[2] : '';
  const rate = Math.round(Number(match[1]) * FACTORS[unit]);
  return rate < MIN_CAP_BYTES_PER_SECOND
    ? wrong(`“${text}” is under 1 kB per second; pause uploads instead`)
    : { ok: true, value: rate };
}

function readEntry(text: string): Reading<TimetableEntry> {
  const match = /^(?:([a-z]+)-)?(\d{1,2}):(\d{2}),(.*)$/is.exec(text);
  if (match === null) return wrong(`“${text}” is not a valid entry; use 08:00,2M or Mon-08:00,2M`);
  const day = match[1]?.toLowerCase();
  const weekday = day === undefined ? null : WEEKDAYS.indexOf(day);
  if (weekday === -1) return wrong(`“${match[1] ?? ''}” is not a day; use Mon, Tue, … Sun`);
  const [hour, minute] = [Number(match[2]), Number(match[3])];
  if (hour > 23 || minute > 59) {
    return wrong(`“${text}” has no valid time of day; use 00:00 to 23:59`);
  }
  const cap = readCap(match[4] ?? '');
  if (!cap.ok) return cap;
  return { ok: true, value: { weekday, minute: hour * 60 + minute, bytesPerSecond: cap.value } };
}

function compareEntries(one: TimetableEntry, other: TimetableEntry): number {
  return (one.weekday ?? -1) - (other.weekday ?? -1) || one.minute - other.minute;
}

/** Reads a timetable: an empty text, a single rate, or entries separated by spaces, each "HH:MM,RATE" or "Mon-HH:MM,RATE". */
export function readTimetable(text: string): Reading<Timetable> {
  if (text.length > MAX_CHARACTERS) return wrong(`Too long; at most ${MAX_CHARACTERS} characters`);
  const words = text.split(/\s+/).filter((word) => word !== '');
  const [only] = words;
  if (only === undefined) return { ok: true, value: [] };
  if (words.length > MAX_ENTRIES) return wrong(`Too many entries; at most ${MAX_ENTRIES}`);
  if (words.length === 1 && !only.includes(':')) {
    const cap = readCap(only);
    if (!cap.ok) return cap;
    return { ok: true, value: [{ weekday: null, minute: 0, bytesPerSecond: cap.value }] };
  }
  const entries: TimetableEntry[] = [];
  for (const word of words) {
    const entry = readEntry(word);
    if (!entry.ok) return entry;
    const { weekday, minute } = entry.value;
    if (entries.some((other) => other.weekday === weekday && other.minute === minute)) {
      return wrong(`“${word}” repeats a time`);
    }
    entries.push(entry.value);
  }
  return { ok: true, value: entries.toSorted(compareEntries) };
}

/** The changes of a whole week in order; an entry for one day replaces an every-day entry at the same time. */
export function capChanges(timetable: Timetable): readonly CapChange[] {
  const changes = new Map<number, number | null>();
  // Entries for every day come first.
  for (const { weekday, minute, bytesPerSecond } of timetable) {
    const days = weekday === null ? [0, 1, 2, 3, 4, 5, 6] : [weekday];
    for (const day of days) changes.set(day * DAY_MINUTES + minute, bytesPerSecond);
  }
  return [...changes]
    .map(([minuteOfWeek, bytesPerSecond]) => ({ minuteOfWeek, bytesPerSecond }))
    .sort((one, other) => one.minuteOfWeek - other.minuteOfWeek);
}

/** The cap at a minute of the week, in bytes per second; null when there is none. The last change of a week applies until the first. */
export function capOfChanges(changes: readonly CapChange[], minuteOfWeek: number): number | null {
  const change = changes.findLast((one) => one.minuteOfWeek <= minuteOfWeek) ?? changes.at(-1);
  return change?.bytesPerSecond ?? null;
}

/** The cap at a local time, in bytes per second; null when there is none. */
export function capAt(timetable: Timetable, { weekday, minute }: LocalTime): number | null {
  return capOfChanges(capChanges(timetable), weekday * DAY_MINUTES + minute);
}

/** The local wall-clock time of a timestamp (epoch ms). */
export function localTimeOf(at: number): LocalTime {
  const date = new Date(at);
  return { weekday: date.getDay(), minute: date.getHours() * 60 + date.getMinutes() };
}
