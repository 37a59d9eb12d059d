/** Reads columns of a row and checks their type: a value of another type means a damaged ledger. */
import type { SQLOutputValue } from 'node:sqlite';
import { ERROR_CODES, type ErrorCode, sluiceError, SluiceFailure } from '../core/errors.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

function damaged(column: string): SluiceFailure {
  return new SluiceFailure(sluiceError('store.corrupt', { column }));
}

/** A TEXT column. Throws store.corrupt for anything else. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : text(row, column);
}

/** An INTEGER column within the safe range. Throws store.corrupt for anything else. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw damaged(column);
  return value;
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : integer(row, column);
}

/** A TEXT column that holds one of the given words. Throws store.corrupt for anything else. */
export function oneOf<Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
  const value = text(row, column);
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw damaged(column);
  return word;
}

/** Like oneOf, for a column that may be NULL. */
export function oneOfOrNull<Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word | null {
  return textOrNull(row, column) === null ? null : oneOf(row, column, words);
}

/** An error code. An unknown code in a damaged row costs only the explanation: it counts as bug.unexpected. */
export function codeOf(row: Row, column: string): ErrorCode {
  return codeOrNull(row, column) ?? 'bug.unexpected';
}

/** Like codeOf, for a column that may be NULL; an unknown code counts as NULL. */
export function codeOrNull(row: Row, column: string): ErrorCode | null {
  const value = row[column];
  return value === null ? null : (ERROR_CODES.find((code) => code === value) ?? null);
}
