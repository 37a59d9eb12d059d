/** Tables as CSV for other programs, and back: RFC 4180, and safe to open in a spreadsheet. Pure. */
import { parse } from 'csv-parse/sync';

/** A text that a spreadsheet would run as a formula, also behind a character that it skips. */
const FORMULA = /^[\s\0]*[=+\-@]|^[\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Each row as a line that ends in CR LF. Texts that begin like a formula get a ' in front. */
export function csvRows(rows: readonly (readonly (string | number | null)[])[]): readonly string[] {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`);
}

/** The records of a table, by the names in its first row; null when the text is no such table. A ' that csvRows put in front of a formula goes. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] | null {
  const cast = (value: string): string =>
    value.startsWith("'") && FORMULA.test(value.slice(1)) ? value.slice(1) : value;
  try {
    return parse<Record<string, string>>(text, { bom: true, columns: true, cast });
  } catch {
    return null;
  }
}
