/**
 * Errors as the engine makes and handles them: values, results, and promises whose failure must not get lost. Only
 * evidence/answers.ts and files/ decide which code applies. The engine imports the contract only through this folder.
 */
import {
  type ErrorCode,
  type ErrorContext,
  NEXT_STEPS,
  type Result,
  type SluiceError,
} from '../../../preload/contract/errors.ts';
import { hideSecrets, redact } from './redact.ts';

export { ERROR_CODES } from '../../../preload/contract/errors.ts';
export { detailOf, plainWords, shownCode } from '../../../preload/contract/errorDetail.ts';
export { AGAIN, explain, wordsOf } from '../../../preload/contract/messages.ts';
export type { ErrorCode, ErrorContext, Result, SluiceError };

/** Causes that may pass while a command waits to start something; all other waits need a person. */
export const PASSING_WAITS: readonly ErrorCode[] = [
  'net.offline',
  'network.intercepted',
  'network.proxy',
  'network.unresolved',
];

/** Facts that are paths on this computer; `of` is the file whose content a duplicate repeats. */
const PATHS = ['path', 'of'];

/** Makes an error value. Strings in the context are redacted here, so that no error can carry a key or a signed URL. */
export function sluiceError(
  code: ErrorCode,
  context: ErrorContext = {},
  retryAfterMs?: number,
): SluiceError {
  const clean: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(context)) {
    const hide = PATHS.includes(name) ? hideSecrets : redact;
    clean[name] = typeof value === 'string' ? hide(value) : value;
  }
  const error = { code, next: NEXT_STEPS[code], context: clean };
  return retryAfterMs === undefined ? error : { ...error, retryAfterMs };
}

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** The values of several results by name; the first error if there is one. */
export function allOf<T extends object>(results: {
  readonly [K in keyof T]: Result<T[K]>;
}): Result<T> {
  const values = Object.assign({});
  for (const [name, result] of Object.entries<Result<unknown>>(results)) {
    if (!result.ok) return result;
    values[name] = result.value;
  }
  return ok(values);
}

/** A failed result; see sluiceError for the arguments. */
export function fail<T = never>(code: ErrorCode, context?: ErrorContext): Result<T> {
  return { ok: false, error: sluiceError(code, context) };
}

/** A failed result for input that is not valid: usage.invalid, with what is wrong. */
export function usage<T = never>(said: string): Result<T> {
  return fail('usage.invalid', { said });
}

/** Thrown where an expected error must pass through layers that cannot return it; caught only at the outermost layer. */
export class SluiceFailure extends Error {
  readonly error: SluiceError;
  constructor(error: SluiceError) {
    super(error.code);
    this.name = 'SluiceFailure';
    this.error = error;
  }
}

/** The failed result of a SluiceFailure that was caught; throws anything else again. */
export function caught<T = never>(thrown: unknown): Result<T> {
  if (thrown instanceof SluiceFailure) return { ok: false, error: thrown.error };
  throw thrown;
}

/** Marks the end of an exhaustive switch; a value reaching it is a bug. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** This process, or the system, cannot open more files. */
export const FILES_SHORT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/**
 * The error value of a SluiceFailure; bug.unexpected for anything else that was thrown, except when this process cannot open more files,
 * or when this program was updated while it ran: then any part of it may fail to load.
 */
export function errorOf(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceFailure) return thrown.error;
  if (thrown instanceof Error && 'code' in thrown) {
    if (FILES_SHORT.has(thrown.code))
      return sluiceError('system.openFiles', { errno: String(thrown.code) });
    if (thrown.code === 'ERR_MODULE_NOT_FOUND')
      return sluiceError('system.replaced', { said: thrown.message });
  }
  const said = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return sluiceError('bug.unexpected', { said });
}

/** Marks a promise that is deliberately not awaited: its failure is handled where it was made. */
export function drop(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

/** Rejects when any of the promises does; never resolves. For lanes that never end by themselves. */
export function firstFailure(works: readonly Promise<unknown>[]): Promise<never> {
  const broken = Promise.race(
    works.map((work) => work.then(() => new Promise<never>(() => undefined))),
  );
  broken.catch(() => undefined);
  return broken;
}
