/** Tables as CSV for other programs: RFC 4180, and safe to open in a spreadsheet. Pure. */

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
