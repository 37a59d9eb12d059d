/** A view of a table: filtered, sorted, and one page of it. Pure. */
import type { Table } from '../../core/csv.ts';
import type { TablePage, TableQuery } from '../../core/model.ts';

/** Maximum characters of a cell in a page: a cell on screen shows fewer. */
const MAX_CELL = 300;

/** True when every non-empty cell is a number, and there is at least one. */
function isNumeric(rows: Table['rows'], column: number): boolean {
  let some = false;
  for (const row of rows) {
    const cell = row[column] ?? '';
    if (cell === '') continue;
    if (cell.trim() === '' || !Number.isFinite(Number(cell))) return false;
    some = true;
  }
  return some;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Row numbers sorted by a column; empty cells come last. Equal cells keep the order of the file. */
function orderBy(table: Table, column: number, numeric: boolean): Uint32Array {
  const order = Uint32Array.from(table.rows, (_, index) => index);
  const cells = table.rows.map((row) => row[column] ?? '');
  const figures = numeric
    ? Float64Array.from(cells, (cell) => (cell === '' ? Number.POSITIVE_INFINITY : Number(cell)))
    : null;
  return order.sort((one, other) => {
    if (figures !== null) {
      const [a, b] = [figures[one] ?? 0, figures[other] ?? 0];
      return a === b ? one - other : a - b;
    }
    const [a, b] = [cells[one] ?? '', cells[other] ?? ''];
    if (a === '' || b === '') return a === b ? one - other : a === '' ? 1 : -1;
    return collator.compare(a, b) || one - other;
  });
}

/** Creates a view of a table; order and filter are cached from one page to the next. */
export function createTableView(table: Table): (query: TableQuery) => TablePage {
  const columns = table.columns.map((name, index) => ({
    name,
    numeric: isNumeric(table.rows, index),
  }));
  const orders = new Map<number, Uint32Array>();
  let key = '';
  let shown: Uint32Array = new Uint32Array();

  const orderOf = (sort: number | null): Uint32Array => {
    if (sort === null || columns[sort] === undefined)
      return Uint32Array.from(table.rows, (_, index) => index);
    const known = orders.get(sort) ?? orderBy(table, sort, columns[sort].numeric);
    orders.set(sort, known);
    return known;
  };
  const select = ({ search, sort, descending }: TableQuery): Uint32Array => {
    const wanted = search.trim().toLowerCase();
    const order = orderOf(sort).slice();
    const empty = order.findIndex((row) => sort !== null && !table.rows[row]?.[sort]);
    // Empty cells come last in both directions.
    if (descending) order.subarray(0, empty < 0 ? order.length : empty).reverse();
    if (wanted === '') return order;
    return order.filter((index) =>
      (table.rows[index] ?? []).some((cell) => cell.toLowerCase().includes(wanted)),
    );
  };
  return (query) => {
    const wanted = JSON.stringify([query.search, query.sort, query.descending]);
    if (wanted !== key) {
      shown = select(query);
      key = wanted;
    }
    const rows = [...shown.subarray(query.offset, query.offset + query.limit)].map((index) =>
      (table.rows[index] ?? []).map((cell) => cell.slice(0, MAX_CELL)),
    );
    return {
      columns,
      rows,
      total: shown.length,
      allRows: table.rows.length,
      unreadable: table.unreadable,
      truncated: table.truncated,
    };
  };
}
