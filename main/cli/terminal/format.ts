/** Figures as people read them: decimal sizes, short durations. Pure. */
import { clean, exact, widthOf } from './shownText.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes as "41 MB" or "1.2 GB" (decimal units). */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${UNITS[unit] ?? 'B'}`;
}

/** Milliseconds as "8 s", "2 min", "3 h 5 min" or "2 d 4 h". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** A number with its noun: "1 file", "3 files". */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** A fraction between 0 and 1 as "42 %". */
export function formatPercent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}

/** An instant as local date and time to the minute. */
export function formatInstant(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Rows as columns of equal width, clean already; the first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((row) => row.map(clean));
  const widths = (shown[0] ?? []).map((_, column) =>
    shown.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  return shown.map((row) => {
    const cells = row.map((cell, column) => {
      const gap = (widths[column] ?? 0) - widthOf(cell);
      return `${cell}${' '.repeat(Math.max(0, gap))}`;
    });
    return exact(cells.join('  ').trimEnd());
  });
}
