/** Maps the operating system's error codes for files to ours. */
import { constants } from 'node:os';
import type {
  ErrorCode,
  ErrorContext,
  Result,
  SluiceError,
} from '../../../preload/contract/errors.ts';
import { FILES_SHORT, sluiceError, SluiceFailure } from './errors.ts';

/**
 * Conditions that may pass by themselves: the file is locked, the process has run out of something, or a network drive (or a
 * loose cable) fails for a moment. Such a check or read is repeated a limited number of times.
 */
const PASSING = new Set([
  'EBUSY',
  'ETXTBSY',
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EINTR',
  'ESTALE',
  'ETIMEDOUT',
  'EIO',
  'EREMOTEIO',
  'ENOTCONN',
  'ECONNABORTED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  // Windows: a drive that is not ready, a network path that is not there, and others that Node has no name for.
  'UNKNOWN',
]);
const GONE = new Set(['ENOENT', 'ENOTDIR']);
/** The other end of a pipe is closed: `EOF` on Windows, `ECONNRESET` where the pipe is a socket. */
const CLOSED = new Set(['EPIPE', 'EOF', 'ECONNRESET']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** Write failures that a person can fix, in words. */
const WRITE_REASONS: ReadonlyMap<string | null, string> = new Map([
  ['EACCES', 'no permission'],
  ['EPERM', 'no permission'],
  ['EROFS', 'the disk is read-only'],
  ['ENOENT', 'its directory does not exist'],
  ['EEXIST', 'a file is where a directory belongs'],
  ['ENOTDIR', 'a file is where a directory belongs'],
  ['EINVAL', 'the disk does not accept this name'],
  ['EILSEQ', 'the disk does not accept this name'],
  ['ENAMETOOLONG', 'the name is too long for the disk'],
  ['EFBIG', 'the file is too large for the disk'],
  ['EIO', 'the disk reports an error'],
  ['ESTALE', 'the network drive reports an error'],
  ['ENOTCONN', 'the network drive is not connected'],
  ['ETIMEDOUT', 'the network drive does not answer'],
  ['EHOSTDOWN', 'the network drive does not answer'],
  ['EHOSTUNREACH', 'the network drive does not answer'],
]);

/** Errors that Node has no name for: it reports "Unknown system error -116". Neither occurs on Windows. */
const UNNAMED: ReadonlyMap<unknown, string> = new Map([
  [-constants.errno.ESTALE, 'ESTALE'],
  [-constants.errno.EDQUOT, 'EDQUOT'],
]);

/** The system's name for a failure ("ENOENT"), or null when it is not a system error. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  const named = 'errno' in error ? UNNAMED.get(error.errno) : undefined;
  return named ?? (typeof error.code === 'string' ? error.code : null);
}

/** Why a worker thread could not start ("EMFILE"); null when not known. Node states it only in the error's message. */
export function threadErrno(cause: unknown): string | null {
  if (errnoOf(cause) !== 'ERR_WORKER_INIT_FAILED' || !(cause instanceof Error)) return null;
  return /\bE[A-Z]+$/.exec(cause.message)?.[0] ?? null;
}

/** True when nothing exists under the path. */
export function isGone(error: unknown): boolean {
  return GONE.has(errnoOf(error) ?? '');
}

/** True for a failed write to a program that has stopped reading, such as `head`. */
export function isReaderGone(error: unknown): boolean {
  return CLOSED.has(errnoOf(error) ?? '');
}

/** The code for a failed stat or read of a source file. */
export function readCode(
  error: unknown,
): 'item.gone' | 'item.link' | 'item.unreadable' | 'file.busy' {
  const errno = errnoOf(error) ?? '';
  if (GONE.has(errno)) return 'item.gone';
  if (errno === 'ELOOP') return 'item.link';
  return PASSING.has(errno) ? 'file.busy' : 'item.unreadable';
}

/** The code for a failed listing of a directory. */
export function listCode(error: unknown): ErrorCode {
  const errno = errnoOf(error) ?? '';
  if (errno === 'ENOENT') return 'item.gone';
  if (errno === 'ENOTDIR') return 'item.unreadable';
  return PASSING.has(errno) ? 'file.busy' : 'directory.unreadable';
}

type WriteCode = 'disk.full' | 'disk.failed' | 'system.openFiles' | 'file.busy';

/** The code for a failed write or rename. On Windows, a file that another program has open is busy. */
export function writeCode(error: unknown): WriteCode {
  const errno = errnoOf(error) ?? '';
  if (FILES_SHORT.has(errno)) return 'system.openFiles';
  if (errno === 'EBUSY') return 'file.busy';
  return FULL.has(errno) ? 'disk.full' : 'disk.failed';
}

/** An error about a path, with the system's name for it. */
export function fileError(code: ErrorCode, path: string, error?: unknown): SluiceError {
  const context: ErrorContext =
    error === undefined ? { path } : { path, errno: errnoOf(error) ?? 'unknown' };
  return sluiceError(code, context);
}

/** Runs a write; returns its failure as a WriteCode. */
export async function writing<T>(path: string, act: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await act() };
  } catch (error) {
    const { code, context } = fileError(writeCode(error), path, error);
    const reason = WRITE_REASONS.get(errnoOf(error));
    return { ok: false, error: sluiceError(code, { ...context, ...(reason && { reason }) }) };
  }
}

/** A failed call of the system on a path, as a SluiceFailure with a WriteCode; any other error unchanged. */
export function diskFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { code, context } = fileError(writeCode(error), path, error);
  const said = WRITE_REASONS.get(errnoOf(error)) ?? error.message;
  return new SluiceFailure(sluiceError(code, { ...context, said }));
}

/** The errno of an error that means that this process cannot open more files; null for any other. */
export function shortageOf(error: SluiceError): string | null {
  const { errno } = error.context;
  return typeof errno === 'string' && FILES_SHORT.has(errno) ? errno : null;
}

/** The same error, but as system.openFiles when its cause is that this process cannot open more files. */
export function withShortageNamed(error: SluiceError): SluiceError {
  return shortageOf(error) === null ? error : sluiceError('system.openFiles', error.context);
}
