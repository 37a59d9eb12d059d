/**
 * The timetable of the bandwidth cap as it is written: "2M", "off", or "08:00,2M 18:00,off Mon-07:00,500k". The engine
 * reads it again when it is saved; this one says at once, beside the field, what is wrong and what would hold when.
 */

/** One line of the timetable. */
export interface TimetableEntry {
  /** 0 Sunday to 6 Saturday; null: every day. */
  readonly weekday: number | null;
  /** Minute of the day, 0 to 1439. */
  readonly minute: number;
  /** null: no cap. */
  readonly bytesPerSecond: number | null;
}

/** What a text says, or what is wrong with it. */
export type TimetableReading =
  | { readonly ok: true; readonly entries: readonly TimetableEntry[] }
  | { readonly ok: false; readonly wrong: string };

/** The least cap that the engine takes, bytes per second; what is slower is a pause. */
const LEAST_BYTES_PER_SECOND = 1000;
const MOST_ENTRIES = 500;
const MOST_CHARACTERS = 500;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

function wrong(text: string): { readonly ok: false; readonly wrong: string } {
  return { ok: false, wrong: text };
}

type CapReading =
  | { readonly ok: true; readonly bytesPerSecond: number | null }
  | { readonly ok: false; readonly wrong: string };

function readCap(text: string): CapReading {
  const word = text.trim().toLowerCase();
  if (word === 'off') return { ok: true, bytesPerSecond: null };
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([kmg]?)$/.exec(word);
  const factor = FACTORS[match?.[2] ?? ''];
  if (match === null || factor === undefined) {
    return wrong(`“${text}” is no rate. Write 500k, 2M, 1.5G or off.`);
  }
  const rate = Math.round(Number(match[1]) * factor);
  return rate < LEAST_BYTES_PER_SECOND
    ? wrong(`“${text}” is under 1 kB per second. Pause uploads instead.`)
    : { ok: true, bytesPerSecond: rate };
}

type EntryReading =
  | { readonly ok: true; readonly entry: TimetableEntry }
  | { readonly ok: false; readonly wrong: string };

function readEntry(text: string): EntryReading {
  const match = /^(?:([a-z]+)-)?(\d{1,2}):(\d{2}),(.*)$/is.exec(text);
  if (match === null) return wrong(`“${text}” is no entry. Write 08:00,2M or Mon-08:00,2M.`);
  const day = match[1]?.toLowerCase();
  const weekday = day === undefined ? null : DAYS.indexOf(day);
  if (weekday === -1) return wrong(`“${match[1] ?? ''}” is no day. Write Mon, Tue, … Sun.`);
  const [hour, minute] = [Number(match[2]), Number(match[3])];
  if (hour > 23 || minute > 59) return wrong(`“${text}” names no time of day.`);
  const cap = readCap(match[4] ?? '');
  if (!cap.ok) return cap;
  const entry = { weekday, minute: hour * 60 + minute, bytesPerSecond: cap.bytesPerSecond };
  return { ok: true, entry };
}

/** Reads a timetable. An empty text means no cap: no entries. */
export function readTimetable(text: string): TimetableReading {
  if (text.length > MOST_CHARACTERS) return wrong('Too long: at most 500 characters.');
  const words = text.split(/\s+/).filter((word) => word !== '');
  const [only] = words;
  if (only === undefined) return { ok: true, entries: [] };
  if (words.length > MOST_ENTRIES) return wrong('Too many entries.');
  if (words.length === 1 && !only.includes(':')) {
    const cap = readCap(only);
    return cap.ok
      ? { ok: true, entries: [{ weekday: null, minute: 0, bytesPerSecond: cap.bytesPerSecond }] }
      : cap;
  }
  const entries: TimetableEntry[] = [];
  for (const word of words) {
    const read = readEntry(word);
    if (!read.ok) return read;
    const { weekday, minute } = read.entry;
    if (entries.some((entry) => entry.weekday === weekday && entry.minute === minute)) {
      return wrong(`“${word}” names a time that is there already.`);
    }
    entries.push(read.entry);
  }
  return { ok: true, entries: entries.toSorted(byTime) };
}

function byTime(one: TimetableEntry, other: TimetableEntry): number {
  return (one.weekday ?? -1) - (other.weekday ?? -1) || one.minute - other.minute;
}

/** "08:00" */
export function clockText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** "2 MB/s", "500 kB/s", "no cap". */
export function capText(bytesPerSecond: number | null): string {
  if (bytesPerSecond === null) return 'no cap';
  const [factor, unit] =
    bytesPerSecond >= 1e9 ? [1e9, 'GB/s'] : bytesPerSecond >= 1e6 ? [1e6, 'MB/s'] : [1e3, 'kB/s'];
  return `${String(Math.round((bytesPerSecond / factor) * 100) / 100)} ${unit}`;
}

/** One row of the small table beside the field. */
export interface TimetableLine {
  readonly when: string;
  readonly span: string;
  readonly cap: string;
}

/**
 * The entries as people read them: which days, from when to when, how fast. An entry for every day holds until the next
 * one for every day; one for a single day until the next of that day or the end of what is said of it.
 */
export function timetableLines(entries: readonly TimetableEntry[]): readonly TimetableLine[] {
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && only.weekday === null) {
    return [{ when: 'Every day', span: 'always', cap: capText(only.bytesPerSecond) }];
  }
  return entries.map((entry) => ({
    when: entry.weekday === null ? 'Every day' : (DAY_NAMES[entry.weekday] ?? ''),
    span: `from ${clockText(entry.minute)} ${untilText(entries, entry)}`,
    cap: capText(entry.bytesPerSecond),
  }));
}

const DAY_MINUTES = 24 * 60;

/** The minutes of the week at which something changes for this entry's days. */
function untilText(entries: readonly TimetableEntry[], entry: TimetableEntry): string {
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
  return `to ${DAY_NAMES[((entry.weekday ?? 0) + days) % 7] ?? ''} ${clockText(end)}`;
}
