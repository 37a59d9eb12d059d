/** Reads JSON lines as a table. The text may be anything, so it is read piece by piece and within limits. Pure. */
import type { Table, TableBounds, TableParser } from '../../core/csv.ts';

/** Maximum characters of a JSON line: even a result with thousands of boxes has fewer. Our choice. */
const MAX_LINE = 4_000_000;
/** Nested objects become columns such as "usage.cpu", down to this depth. */
const MAX_DEPTH = 3;

function cellOf(value: unknown, maxCell: number): string {
  if (value === null || value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxCell);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Turns objects into rows; their fields are the columns, in the order of first appearance. */
function objectRows(bounds: TableBounds) {
  const rows: string[][] = [];
  const places = new Map<string, number>();
  let isWide = false;
  const put = (row: string[], name: string, value: unknown): void => {
    let place = places.get(name);
    if (place === undefined && places.size < bounds.maxColumns) {
      place = places.size;
      places.set(name, place);
    }
    if (place === undefined) isWide = true;
    else {
      while (row.length < place) row.push('');
      row[place] = cellOf(value, bounds.maxCell);
    }
  };
  const flatten = (row: string[], prefix: string, value: object, depth: number): void => {
    for (const [key, field] of Object.entries(value)) {
      const name = `${prefix}${key}`.slice(0, bounds.maxCell);
      if (isObject(field) && depth < MAX_DEPTH) flatten(row, `${name}.`, field, depth + 1);
      else put(row, name, field);
    }
  };
  return {
    rows,
    add: (value: unknown): void => {
      const row: string[] = [];
      if (isObject(value)) flatten(row, '', value, 1);
      else put(row, 'value', value);
      rows.push(row);
    },
    table: (unreadable: number, truncated: boolean): Table => {
      return { columns: [...places.keys()], rows, unreadable, truncated: truncated || isWide };
    },
  };
}

export function jsonLinesParser(bounds: TableBounds): TableParser {
  const built = objectRows(bounds);
  let rest = '';
  let isSkipping = false;
  let unreadable = 0;
  let truncated = false;
  const line = (text: string): void => {
    if (text.trim() === '') return;
    try {
      built.add(JSON.parse(text));
    } catch {
      unreadable += 1;
    }
  };
  return {
    push: (text) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const one of lines) {
        truncated = built.rows.length >= bounds.maxRows;
        if (truncated) return false;
        // The end of a line that was too long.
        if (!isSkipping) line(one);
        isSkipping = false;
      }
      // A single endless line is not kept.
      if (rest.length > MAX_LINE) {
        if (!isSkipping) unreadable += 1;
        isSkipping = true;
        rest = '';
      }
      return true;
    },
    end: () => {
      if (!isSkipping) line(rest);
      rest = '';
      return built.table(unreadable, truncated);
    },
  };
}
