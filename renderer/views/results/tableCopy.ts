/** Rows of a table as other programs take them. Pure. */

/** A cell as it is in a text of tabs and lines: a spreadsheet must not see more cells than there are. */
function plainCell(cell: string): string {
  return cell.replaceAll(/[\t\r\n]+/g, ' ');
}

/** Rows with their heading, cells between tabs: what a spreadsheet pastes as cells. */
export function rowsAsText(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => cells.map(plainCell).join('\t');
  return [line(columns), ...rows.map((row) => line(columns.map((_, at) => row[at] ?? '')))].join(
    '\n',
  );
}

/** A row with the names of its cells; a name that is there twice keeps both. */
export function rowAsObject(
  columns: readonly string[],
  row: readonly string[],
): Readonly<Record<string, string>> {
  const names = columns.map((name, at) =>
    columns.indexOf(name) === at ? name : `${name} (${String(at + 1)})`,
  );
  return Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']));
}
