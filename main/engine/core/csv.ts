/**
 * Writes CSV (RFC 4180) that a spreadsheet opens safely, and reads it. Input may be anything, so rows, columns and cells can be limited.
 * The library csv-parse needs the whole text and takes up to eight times as long. Pure.
 */

/** Text that a spreadsheet would run as a formula, even after characters that it skips. */
const FORMULA = /^[\s\0]*[=+\-@]|^[\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Each row as a line that ends in CR LF. Text that starts like a formula gets a leading '. */
export function csvRows(rows: readonly (readonly (string | number | null)[])[]): readonly string[] {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`);
}

/** A table, as far as it was read. */
export interface Table {
  readonly columns: readonly string[];
  /** Cells by column; a row may be shorter than the columns. */
  readonly rows: readonly (readonly string[])[];
  /** Number of lines that are not rows of this table. */
  readonly unreadable: number;
  /** True when reading stopped at a limit: there is more. */
  readonly truncated: boolean;
}

export interface TableBounds {
  readonly maxRows: number;
  readonly maxColumns: number;
  /** How many characters of a cell to keep. */
  readonly maxCell: number;
}

export interface TableParser {
  /** False once a limit is reached: more text changes nothing. */
  push(text: string): boolean;
  end(): Table;
}

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter that occurs most in the first line, outside quotes. */
function delimiterOf(text: string): string {
  const line = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Column names, made unique and non-empty. */
function columnNames(cells: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return cells.map((cell, index) => {
    const name = cell.trim() === '' ? `Column ${index + 1}` : cell.trim();
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/** The index at which text without a delimiter or line end stops. */
function endOfPlain(text: string, from: number, delimiter: string): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const sign = text[end];
    if (sign === delimiter || sign === '\n' || sign === '\r') break;
  }
  return end;
}

/** Assembles cells into rows; the first row names the columns. */
function rowBuilder(bounds: TableBounds) {
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
    add: (text: string) => {
      if (cell.length < bounds.maxCell) cell += text.slice(0, bounds.maxCell - cell.length);
    },
    endCell,
    endRow,
    table: (truncated: boolean): Table => {
      if (cell !== '' || cells.length > 0) endRow();
      return { columns: columns ?? [], rows, unreadable: 0, truncated: truncated || isWide };
    },
  };
}

/** A CSV parser (RFC 4180, also with semicolons or tabs). The first line names the columns. */
export function csvParser(bounds: TableBounds): TableParser {
  const built = rowBuilder(bounds);
  let delimiter = '';
  let isQuoted = false;
  /** The last character was a quote within quoted text: its end, or the first half of a doubled quote. */
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
  /** Consumes text at an index and returns the next index. */
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

const UNBOUNDED: TableBounds = {
  maxRows: Number.POSITIVE_INFINITY,
  maxColumns: Number.POSITIVE_INFINITY,
  maxCell: Number.POSITIVE_INFINITY,
};

/** The records of a table, keyed by its first row; null when the text is not such a table. Removes the ' that csvRows puts before a formula. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] | null {
  // A quote that is never closed: the text was cut off.
  const isQuoteOpen = text.split('"').length % 2 === 0;
  if (isQuoteOpen) return null;
  const parser = csvParser(UNBOUNDED);
  parser.push(text.replace(/^\uFEFF/, ''));
  const { columns, rows } = parser.end();
  if (rows.some((row) => row.length !== columns.length)) return null;
  const plain = (cell: string): string =>
    cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, plain(row[index] ?? '')])),
  );
}
