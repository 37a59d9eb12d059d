/** A cell for tab-separated text: a spreadsheet must not see more cells than there are. */
function plainCell(cell: string): string {
  return cell.replaceAll(/[\t\r\n]+/g, ' ');
}

/** Rows with a heading, cells separated by tabs, which a spreadsheet pastes as cells. */
export function rowsAsText(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => cells.map(plainCell).join('\t');
  return [line(columns), ...rows.map((row) => line(columns.map((_, at) => row[at] ?? '')))].join(
    '\n',
  );
}

/** A row as an object by column name; a name that occurs twice keeps both values. */
export function rowAsObject(
  columns: readonly string[],
  row: readonly string[],
): Readonly<Record<string, string>> {
  const names = columns.map((name, at) =>
    columns.indexOf(name) === at ? name : `${name} (${String(at + 1)})`,
  );
  return Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']));
}
