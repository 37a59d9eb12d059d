/** Figures as people read them. Sizes are decimal: 1 MB is 1,000,000 bytes. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const counts = new Intl.NumberFormat('en');
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const monthDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const monthDayYear = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/** 17342 → "17,342". */
export function formatCount(count: number): string {
  return Number.isFinite(count) ? counts.format(Math.round(count)) : '–';
}

/** A count with its noun: "1 file", "3 files". */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${Math.round(count) === 1 ? one : many}`;
}

/** 41250000 → "41.3 MB". */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '–';
  let value = bytes;
  let unit = 0;
  while (Math.round(value * 10) >= 10_000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? 'B'}`;
}

/** Bytes per second: "41 MB/s". */
export function formatRate(bytesPerSecond: number): string {
  if (!Number.isFinite(bytesPerSecond) || bytesPerSecond < 0) return '–';
  const text = formatBytes(bytesPerSecond);
  const [value = '0', unit = 'B'] = text.split(' ');
  return `${Number(value) >= 10 ? String(Math.round(Number(value))) : value} ${unit}/s`;
}

/** A length of time in its two largest units: "2 d 4 h", "3 min", "12 s". */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const rest = Math.max(0, ms);
  if (rest < MINUTE_MS) return `${Math.floor(rest / 1000)} s`;
  if (rest < HOUR_MS) return `${Math.floor(rest / MINUTE_MS)} min`;
  if (rest < DAY_MS) {
    const minutes = Math.floor((rest % HOUR_MS) / MINUTE_MS);
    return `${Math.floor(rest / HOUR_MS)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  const hours = Math.floor((rest % DAY_MS) / HOUR_MS);
  return `${Math.floor(rest / DAY_MS)} d${hours === 0 ? '' : ` ${hours} h`}`;
}

/** A length of time that somebody set, written out: "45 seconds", "90 minutes", "2 hours", "2 hours 30 minutes". */
export function spellDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < MINUTE_MS) return countOf(ms / 1000, 'second');
  const minutes = Math.round(ms / MINUTE_MS);
  const rest = minutes % 60;
  if (rest !== 0 && minutes < 120) return countOf(minutes, 'minute');
  const hours = countOf(Math.floor(minutes / 60), 'hour');
  return rest === 0 ? hours : `${hours} ${countOf(rest, 'minute')}`;
}

/** Time left, rounded so that it stays readable: "under 10 s", "about 2 min". */
export function formatLeft(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 10_000) return 'under 10 s';
  if (ms < MINUTE_MS) return `${Math.ceil(ms / 10_000) * 10} s`;
  if (ms < HOUR_MS) return `${Math.ceil(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return formatDuration(Math.ceil(ms / (10 * MINUTE_MS)) * 10 * MINUTE_MS);
  return formatDuration(Math.ceil(ms / HOUR_MS) * HOUR_MS);
}

/** An instant seen from now: "just now", "12 min ago", "in 3 h", "4 Oct". */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (!Number.isFinite(distance)) return '–';
  if (distance < 10_000) return 'just now';
  if (distance > 7 * DAY_MS) {
    const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
    return (sameYear ? monthDay : monthDayYear).format(at);
  }
  const length = formatDuration(distance).split(' ').slice(0, 2).join(' ');
  return at <= now ? `${length} ago` : `in ${length}`;
}

/** The exact time, as this computer writes it. */
export function formatExact(at: number): string {
  return Number.isFinite(at) ? exact.format(at) : '–';
}

/** 0.4267 → "43 %"; never 100 before it is true, never 0 when something is done. */
export function formatPercent(fraction: number): string {
  if (!Number.isFinite(fraction)) return '–';
  if (fraction >= 1) return '100 %';
  if (fraction <= 0) return '0 %';
  return `${Math.min(99, Math.max(1, Math.round(fraction * 100)))} %`;
}
