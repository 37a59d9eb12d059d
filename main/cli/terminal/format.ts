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

/** A time that the service does not state is null, or 0 where records need a number. */
function isKnown(at: number | null): at is number {
  return at !== null && at !== 0;
}

/** A timestamp as local date and time, to the minute; nothing for one that is unknown. */
export function formatInstant(at: number | null): string {
  if (!isKnown(at)) return '';
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${localDay(at)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A timestamp as ISO text; null for one that is unknown. */
export function iso(at: number | null): string | null {
  return isKnown(at) ? new Date(at).toISOString() : null;
}

/** A record as --json shows it: its times, whose names end in `At`, as ISO text. */
export function withIsoTimes(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => [
      name,
      name.endsWith('At') && typeof value === 'number' ? iso(value) : value,
    ]),
  );
}

/** A column of a table: its heading, and what is in it for one thing; null for nothing. */
export type Column<T> = readonly [heading: string, cellOf: (thing: T) => string | number | null];

/** One row for each thing, in aligned columns, already cleaned; a heading above them. `none` takes its place when there are no things, unless it is null. */
export function formatTable<T>(
  things: readonly T[],
  none: string | null,
  columns: readonly Column<T>[],
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

/** `1 needs attention`, `2 need attention`. */
export function needAttention(files: number): string {
  return `${formatCount(files)} ${files === 1 ? 'needs' : 'need'} attention`;
}
