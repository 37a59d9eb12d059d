/** Formatting that only the command line needs: timestamps and tables. Figures are formatted as in the window. Pure. */
import { localDay } from '../../../preload/contract/calendarDay.ts';
import { formatCount } from '../../../preload/contract/figures.ts';
import { clean, exact, widthOf } from './shownText.ts';

export {
  countOf as count,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
} from '../../../preload/contract/figures.ts';

/** A timestamp as local date and time, to the minute. */
export function formatInstant(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${localDay(at)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A timestamp as ISO text; null stays null. */
export function iso(at: number): string;
export function iso(at: number | null): string | null;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A column of a table: its heading, and what is in it for one thing; null for nothing. */
export type Column<T> = readonly [heading: string, cellOf: (thing: T) => string | number | null];

/** One row for each thing, in aligned columns, already cleaned; a heading above them. `none` takes its place when there are no things. */
export function formatTable<T>(
  things: readonly T[],
  columns: readonly Column<T>[],
  none: string | null = null,
): readonly string[] {
  if (none !== null && things.length === 0) return [none];
  const headings = columns.map(([heading]) => heading);
  const rows = things.map((thing) => columns.map(([, cellOf]) => String(cellOf(thing) ?? '')));
  const shown = [headings, ...rows].map((row) => row.map(clean));
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

/** `1 needs you`, `2 need you`. */
export function needYou(files: number): string {
  return `${formatCount(files)} ${files === 1 ? 'needs' : 'need'} you`;
}
