/** Formatting that only the command line needs: timestamps and tables. Figures are formatted as in the window. Pure. */
import { localDay } from '../../../preload/contract/calendarDay.ts';
import { clean, exact, widthOf } from './shownText.ts';

export {
  countOf as count,
  formatBytes,
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

/** Rows as aligned columns, already cleaned; the first row is the heading. `none` takes its place when no other row follows. */
export function formatTable(
  rows: readonly (readonly string[])[],
  none: string | null = null,
): readonly string[] {
  if (none !== null && rows.length === 1) return [none];
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
