import { localDay } from '../../preload/contract/calendarDay.ts';
import { countOf, formatBytes, formatDuration } from '../../preload/contract/figures.ts';
import { dayText, shortDayText } from './dates.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Bytes per second: "41 MB/s". */
export function formatRate(bytesPerSecond: number): string {
  if (!Number.isFinite(bytesPerSecond) || bytesPerSecond < 0) return '–';
  const text = formatBytes(bytesPerSecond);
  const [value = '0', unit = 'B'] = text.split(' ');
  return `${Number(value) >= 10 ? String(Math.round(Number(value))) : value} ${unit}/s`;
}

/** A duration from the settings, spelled out: "45 seconds", "90 minutes", "2 hours", "2 hours 30 minutes". */
export function spellDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < MINUTE_MS) return countOf(ms / 1000, 'second');
  const minutes = Math.round(ms / MINUTE_MS);
  const rest = minutes % 60;
  if (rest !== 0 && minutes < 120) return countOf(minutes, 'minute');
  const hours = countOf(Math.floor(minutes / 60), 'hour');
  return rest === 0 ? hours : `${hours} ${countOf(rest, 'minute')}`;
}

/** Time left, rounded to stay readable: "under 10 s", "about 2 min". */
export function formatLeft(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 10_000) return 'under 10 s';
  // In steps of 10 s up to two minutes: going from "2 min" straight to "60 s" would look like a jump.
  if (ms <= 2 * MINUTE_MS - 10_000) return `${Math.ceil(ms / 10_000) * 10} s`;
  if (ms < HOUR_MS) return `${Math.ceil(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return formatDuration(Math.ceil(ms / (10 * MINUTE_MS)) * 10 * MINUTE_MS);
  return formatDuration(Math.ceil(ms / HOUR_MS) * HOUR_MS);
}

/** A relative time: "just now", "12 min ago", "in 3 h", "4 Oct". */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (at === 0 || !Number.isFinite(distance)) return '–';
  if (distance < 10_000) return 'just now';
  if (distance > 7 * DAY_MS) {
    const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
    return (sameYear ? shortDayText : dayText)(localDay(at));
  }
  const length = formatDuration(distance).split(' ').slice(0, 2).join(' ');
  return at <= now ? `${length} ago` : `in ${length}`;
}
