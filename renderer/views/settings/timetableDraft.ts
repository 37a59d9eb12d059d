/** The bandwidth timetable as edited: no cap, one cap, or entries by time of day. Its text is what gets stored. */
import { readTimetable } from '../../../preload/contract/timetable.ts';
import { clockText, shortWeekday } from './settingsTimetable.ts';

/** An entry as edited; what is not filled in yet is null or ''. */
export interface TimetableRow {
  /** Identifies the row while it is being edited. */
  readonly key: number;
  /** 0 (Sunday) to 6 (Saturday); null for every day. */
  readonly weekday: number | null;
  /** "08:00" */
  readonly time: string;
  readonly capped: boolean;
  /** Megabytes per second. */
  readonly rate: number | null;
}

export interface TimetableDraft {
  readonly kind: 'none' | 'always' | 'clock';
  /** Megabytes per second, for `always`. */
  readonly rate: number | null;
  readonly rows: readonly TimetableRow[];
}

const MEGA = 1e6;
/** A sensible first cap: a tenth of a typical office connection. */
const FIRST_RATE = 2;

/** The initial rows: slow during working hours. */
const FIRST_ROWS: readonly TimetableRow[] = [
  { key: 0, weekday: null, time: '08:00', capped: true, rate: FIRST_RATE },
  { key: 1, weekday: null, time: '18:00', capped: false, rate: null },
];

/** Reads a stored text; one that cannot be read starts with no cap. */
export function timetableDraft(text: string): TimetableDraft {
  const read = readTimetable(text);
  const entries = read.ok ? read.value : [];
  const [only] = entries;
  const empty: TimetableDraft = { kind: 'none', rate: FIRST_RATE, rows: FIRST_ROWS };
  if (only === undefined) return empty;
  if (!text.includes(':')) {
    if (only.bytesPerSecond === null) return empty;
    return { ...empty, kind: 'always', rate: only.bytesPerSecond / MEGA };
  }
  const rows = entries.map(({ weekday, minute, bytesPerSecond }, key) => ({
    key,
    weekday,
    time: clockText(minute),
    capped: bytesPerSecond !== null,
    rate: bytesPerSecond === null ? null : bytesPerSecond / MEGA,
  }));
  return { ...empty, kind: 'clock', rows };
}

function rateText(rate: number): string {
  return `${String(Number(rate.toFixed(6)))}M`;
}

function rowText({ weekday, time, capped, rate }: TimetableRow): string {
  const day = weekday === null ? '' : `${shortWeekday(weekday)}-`;
  return `${day}${time},${capped ? rateText(rate ?? 0) : 'off'}`;
}

export function writeTimetable(
  draft: TimetableDraft,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly wrong: string } {
  const lacks = (rate: number | null): boolean => rate === null || rate < 0.001;
  const tooSlow = 'Enter at least 0.001 MB/s. To stop uploads, pause them.';
  if (draft.kind === 'none' || (draft.kind === 'clock' && draft.rows.length === 0)) {
    return { ok: true, text: '' };
  }
  if (draft.kind === 'always') {
    if (lacks(draft.rate)) return { ok: false, wrong: tooSlow };
    return { ok: true, text: rateText(draft.rate ?? 0) };
  }
  if (draft.rows.some(({ time }) => time === '')) {
    return { ok: false, wrong: 'Enter a time for every entry.' };
  }
  if (draft.rows.some(({ capped, rate }) => capped && lacks(rate))) {
    return { ok: false, wrong: tooSlow };
  }
  const text = draft.rows.map(rowText).join(' ');
  const read = readTimetable(text);
  return read.ok ? { ok: true, text } : { ok: false, wrong: 'Two entries name the same time.' };
}

/** The draft with one more entry, an hour after the last. */
export function withRow(draft: TimetableDraft): TimetableDraft {
  const last = draft.rows.at(-1);
  const hour = (Number(last?.time.slice(0, 2) ?? '7') + 1) % 24;
  const row: TimetableRow = {
    key: Math.max(-1, ...draft.rows.map(({ key }) => key)) + 1,
    weekday: last?.weekday ?? null,
    time: clockText(hour * 60),
    capped: true,
    rate: draft.rows.findLast(({ rate }) => rate !== null)?.rate ?? FIRST_RATE,
  };
  return { ...draft, rows: [...draft.rows, row] };
}
