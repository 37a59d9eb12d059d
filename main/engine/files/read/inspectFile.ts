/** Reads one file and reports everything about it. Synchronous: for use inside a worker. */
import { type BigIntStats, closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { type Result, sluiceError } from '../../core/errors.ts';
import { READ_CHUNK_BYTES, WHOLE_HASH_MAX_BYTES } from '../../core/limits.ts';
import type { FileFacts, HashKind, Inspection } from '../../core/model.ts';
import { bufferSource, fileSource, readFully } from '../byteSource.ts';
import { contentHash, createContentHasher } from '../contentHash.ts';
import { fileError, readCode } from '../../core/errno.ts';
import { factsOf, stampOf } from './fileFacts.ts';
import { READ_FLAGS } from './readSmall.ts';
import { largeFingerprint, smallFingerprint } from '../fingerprint.ts';
import { checkMedia } from '../media/mediaCheck.ts';
import { encodePath } from '../names/pathBytes.ts';

/**
 * Memory for one byte more than the largest small file, so that the same read shows whether the file has grown. Used by one call at a time.
 */
const scratch = Buffer.allocUnsafeSlow(WHOLE_HASH_MAX_BYTES + 1);

type Content = Pick<Inspection, 'fingerprint' | 'contentHash' | 'kind' | 'truncated'>;

/** What the bytes of a whole small file say. */
export function contentOf(bytes: Uint8Array, path: string, kind: HashKind): Content {
  const hash = contentHash(bytes, kind);
  const media = checkMedia(path, bufferSource(bytes));
  return { fingerprint: smallFingerprint(bytes.length, hash), contentHash: hash, ...media };
}

function smallContent(fd: number, path: string, sizeBytes: number, kind: HashKind): Content | null {
  const filled = readFully(fd, scratch.subarray(0, sizeBytes + 1), 0, sizeBytes);
  return filled === sizeBytes ? contentOf(scratch.subarray(0, sizeBytes), path, kind) : null;
}

function largeContent(fd: number, path: string, sizeBytes: number, kind: HashKind): Content | null {
  const source = fileSource(fd, sizeBytes, scratch);
  const fingerprint = largeFingerprint(source, kind);
  if (fingerprint === null) return null;
  return { fingerprint, contentHash: null, ...checkMedia(path, source) };
}

/** The result of an inspection: from the facts before reading, the content (null: it did not have that size), and a stat after reading. */
export function inspected(
  path: string,
  facts: FileFacts,
  content: Content | null,
  after: BigIntStats,
): Result<Inspection> {
  if (content === null || stampOf(after) !== facts.stamp) {
    // The file was written to, or it is not an ordinary file and its size means nothing.
    const bytesLater = Number(after.size);
    const error = sluiceError('item.changed', { path, bytes: facts.sizeBytes, bytesLater });
    return { ok: false, error };
  }
  return { ok: true, value: { ...facts, ...content } };
}

/** Stats a file without reading it, following a link. Errors: item.gone, item.unreadable, item.unsupported, file.busy. */
export function statFile(path: string): Result<FileFacts> {
  try {
    const stats = statSync(encodePath(path), { bigint: true });
    if (!stats.isFile()) return { ok: false, error: fileError('item.unsupported', path) };
    return { ok: true, value: factsOf(stats) };
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}

/**
 * Type, completeness and fingerprint of a file. Errors: item.gone, item.unreadable, item.unsupported (not a regular file),
 * item.changed (written to while it was read), file.busy (locked; resolves by itself).
 */
export function inspectFile(path: string, kind: HashKind): Result<Inspection> {
  let fd: number | null = null;
  try {
    fd = openSync(encodePath(path), READ_FLAGS);
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { ok: false, error: fileError('item.unsupported', path) };
    const facts = factsOf(before);
    const read = facts.sizeBytes <= WHOLE_HASH_MAX_BYTES ? smallContent : largeContent;
    const content = read(fd, path, facts.sizeBytes, kind);
    return inspected(path, facts, content, fstatSync(fd, { bigint: true }));
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Hashes a whole file in steps of one chunk: yields between steps, returns the result. Errors as for inspectFile. */
export function* hashFile(path: string, kind: HashKind): Generator<void, Result<string>> {
  let fd: number | null = null;
  try {
    fd = openSync(encodePath(path), READ_FLAGS);
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { ok: false, error: fileError('item.unsupported', path) };
    const whole = createContentHasher(kind);
    const chunk = Buffer.allocUnsafeSlow(READ_CHUNK_BYTES);
    for (let position = 0; ;) {
      const filled = readFully(fd, chunk, position);
      if (filled === 0) break;
      whole.update(chunk.subarray(0, filled));
      position += filled;
      yield;
    }
    if (stampOf(fstatSync(fd, { bigint: true })) !== stampOf(before)) {
      return { ok: false, error: fileError('item.changed', path) };
    }
    return { ok: true, value: whole.finish() };
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
