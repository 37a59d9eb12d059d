/** Figures formatted for people, on the command line and in the window. Sizes are decimal: 1 MB is 1,000,000 bytes. Pure. */
import type { ByteProgress } from './snapshot.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Before every third digit from the end. Intl would do the same, after 9 ms of preparation in every command. */
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** 17342 → "17,342". */
export function formatCount(count: number): string {
  return Number.isFinite(count) ? Math.round(count).toString().replace(THOUSANDS, ',') : '–';
}

/** A count with its noun: "1 file", "3 files". */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${Math.round(count) === 1 ? one : many}`;
}

/** "3 files need attention", "1 problem needs attention"; without a noun, "3 need attention". */
export function needAttention(count: number, one: string | null = null): string {
  const things = one === null ? formatCount(count) : countOf(count, one);
  return `${things} ${count === 1 ? 'needs' : 'need'} attention`;
}

/** 41250000 → "41.3 MB", 41000000 → "41 MB". */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '–';
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${UNITS[unit] ?? 'B'}`;
}

/** A duration in its two largest units, rounded down: "2 d 4 h", "3 min", "12 s". */
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

/** 0.4267 → "42 %"; never 100 before everything is done, never 0 once something is done. */
export function formatPercent(fraction: number): string {
  if (!Number.isFinite(fraction)) return '–';
  if (fraction >= 1) return '100 %';
  if (fraction <= 0) return '0 %';
  // In floating point, 0.29 * 100 is slightly less than 29.
  return `${Math.max(1, Math.floor(fraction * 100 + 1e-9))} %`;
}

/** Bytes that have left this computer. */
export function bytesGone({ confirmed, sent, onWire }: ByteProgress): number {
  return confirmed + sent + onWire;
}

/** How much of the work is done, 0 to 1; less than 1 until the last file is confirmed. */
export function doneFraction(bytes: ByteProgress): number {
  if (bytes.total === 0) return 0;
  const fraction = bytesGone(bytes) / bytes.total;
  return bytes.confirmed < bytes.total ? Math.min(0.99, fraction) : 1;
}
