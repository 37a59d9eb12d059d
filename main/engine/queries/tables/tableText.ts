/**
 * Reading tables from text: CSV and JSON lines. The text may be anything, so it is read piece by piece and rows, columns and cells are
 * bounded; csv-parse takes whole texts and up to eight times as long. Pure.
 */

/** A table as far as it was read. */
export interface Table {
  readonly columns: readonly string[];
  /** Cells by column; a row may be shorter than the columns. */
  readonly rows: readonly (readonly string[])[];
  /** Lines that are no rows of this table. */
  readonly unreadable: number;
  /** True when reading stopped at a limit: there is more. */
  readonly truncated: boolean;
}

/** How much of a file is read. */
export interface TableBounds {
  readonly maxRows: number;
  readonly maxColumns: number;
  /** Characters kept of a cell. */
  readonly maxCell: number;
}

/** Takes text piece by piece. */
export interface TableParser {
  /** False once a limit is reached: more text changes nothing. */
  push(text: string): boolean;
  end(): Table;
}

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter that the first line uses most; quoted text does not count. */
function delimiterOf(text: string): string {
  const line = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Names for the columns: no two alike, none empty. */
function columnNames(cells: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return cells.map((cell, index) => {
    const name = cell.trim() === '' ? `Column ${index + 1}` : cell.trim();
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/** The place after text that holds no delimiter, quote or line end. */
function endOfPlain(text: string, from: number, delimiter: string): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const sign = text[end];
    if (sign === delimiter || sign === '\n' || sign === '\r') break;
  }
  return end;
}

/** Puts cells together to rows; the first row names the columns. */
interface RowBuilder {
  readonly rows: readonly (readonly string[])[];
  isCellEmpty(): boolean;
  add(text: string): void;
  endCell(): void;
  endRow(): void;
  table(truncated: boolean): Table;
}

function rowBuilder(bounds: TableBounds): RowBuilder {
  const rows: string[][] = [];
  let columns: readonly string[] | null = null;
  let cells: string[] = [];
  let cell = '';
  let isWide = false;
  const endCell = (): void => {
    if (cells.length < bounds.maxColumns) cells.push(cell);
    else isWide = true;
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    const isEmpty = cells.length === 1 && cells[0] === '';
    if (!isEmpty && columns === null) columns = columnNames(cells);
    else if (!isEmpty) rows.push(cells);
    cells = [];
  };
  return {
    rows,
    isCellEmpty: () => cell === '',
    add: (text) => {
      if (cell.length < bounds.maxCell) cell += text.slice(0, bounds.maxCell - cell.length);
    },
    endCell,
    endRow,
    table: (truncated) => {
      if (cell !== '' || cells.length > 0) endRow();
      return { columns: columns ?? [], rows, unreadable: 0, truncated: truncated || isWide };
    },
  };
}

/** A parser of CSV (RFC 4180, also with semicolons or tabs). The first line names the columns. */
export function csvParser(bounds: TableBounds): TableParser {
  const built = rowBuilder(bounds);
  let delimiter = '';
  let isQuoted = false;
  /** The last sign was a quote in quoted text: the end of it, or the first half of a doubled one. */
  let wasQuote = false;
  let wasReturn = false;
  let truncated = false;

  const stepInQuotes = (text: string, at: number): number => {
    const end = text.indexOf('"', at);
    built.add(text.slice(at, end === -1 ? text.length : end));
    wasQuote = end !== -1;
    return end === -1 ? text.length : end + 1;
  };
  const stepOutside = (text: string, at: number): number => {
    const sign = text[at] ?? '';
    const followsReturn = wasReturn;
    wasReturn = sign === '\r';
    if (sign === '\n' && followsReturn) return at + 1;
    if (sign === '\r' || sign === '\n') built.endRow();
    else if (sign === delimiter) built.endCell();
    else if (sign === '"' && built.isCellEmpty()) isQuoted = true;
    else {
      const end = endOfPlain(text, at + 1, delimiter);
      built.add(text.slice(at, end));
      return end;
    }
    return at + 1;
  };
  /** Takes the text at a place; gives the place of the next. */
  const step = (text: string, at: number): number => {
    if (wasQuote) {
      wasQuote = false;
      if (text[at] === '"') {
        built.add('"');
        return at + 1;
      }
      isQuoted = false;
    }
    return isQuoted ? stepInQuotes(text, at) : stepOutside(text, at);
  };
  return {
    push: (text) => {
      if (delimiter === '') delimiter = delimiterOf(text);
      for (let at = 0; at < text.length;) {
        truncated = built.rows.length >= bounds.maxRows;
        if (truncated) return false;
        at = step(text, at);
      }
      return true;
    },
    end: () => built.table(truncated),
  };
}

/** Objects in objects become columns such as "usage.cpu", this deep. */
const MAX_DEPTH = 3;

function cellOf(value: unknown, maxCell: number): string {
  if (value === null || value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxCell);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts objects together to rows; their fields are the columns, in the order in which they are met. */
function objectRows(bounds: TableBounds): {
  readonly rows: readonly (readonly string[])[];
  add(value: unknown): void;
  table(unreadable: number, truncated: boolean): Table;
} {
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
    add: (value) => {
      const row: string[] = [];
      if (isObject(value)) flatten(row, '', value, 1);
      else put(row, 'value', value);
      rows.push(row);
    },
    table: (unreadable, truncated) => {
      return { columns: [...places.keys()], rows, unreadable, truncated: truncated || isWide };
    },
  };
}

/** A parser of JSON lines: one object in each line. */
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
        // The end of a line that was given up.
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

/** Characters of a line of JSON: a result with thousands of boxes has less. Ours. */
const MAX_LINE = 4_000_000;
