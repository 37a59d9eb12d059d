/**
 * Reads the sources of a transfer as one stream of chunks, and proves while reading that each is what was identified.
 * Synchronous: for use inside a worker. The last chunk comes only after every member was verified, so that a transfer
 * whose source changed can never reach its declared length.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { WHOLE_HASH_MAX_BYTES } from '../../core/limits.ts';
import type { SourceMember, SourceOutcome, Stamp } from '../../core/model.ts';
import { readFully } from '../byteSource.ts';
import type { ChunkBuilder } from './chunkBuilder.ts';
import { createChunkBuilder } from './chunkBuilder.ts';
import { readCode } from '../../core/errno.ts';
import { stampOf } from './fileFacts.ts';
import { hashKindOf } from '../../core/ids.ts';
import { contentHash } from '../contentHash.ts';
import { createContentHash, smallFingerprint } from '../fingerprint.ts';
import { READ_FLAGS } from './inspectFile.ts';
import { encodePath } from '../names/pathBytes.ts';

/** One step of the stream: a chunk, none when reading ended without one, and how things stand after it. */
export interface SourceStep {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly outcome: SourceOutcome;
}

type Steps<T> = Generator<SourceStep, T>;

type ChangedCode = Extract<SourceOutcome, { kind: 'changed' }>['code'];

/** What became of one member: its hash, or null when it is not what was identified. */
type Verified = string | null;

const probe = new Uint8Array(1);

/** Opens a member and takes its stamp; null when it is no regular file of the expected size. */
function openStamp(fd: number, member: SourceMember): Stamp | null {
  const stats = fstatSync(fd, { bigint: true });
  if (!stats.isFile() || stats.size !== BigInt(member.sizeBytes)) return null;
  return stampOf(stats);
}

/** True when the file has no byte more than expected and was not touched since it was opened. */
function untouched(fd: number, member: SourceMember, stamp: Stamp): boolean {
  if (readFully(fd, probe, member.sizeBytes) > 0) return false;
  return stampOf(fstatSync(fd, { bigint: true })) === stamp;
}

/** The bytes of length up to the whole-hash limit, verified before any is handed out; null: changed. */
function readSmall(fd: number, member: SourceMember): { bytes: Buffer; hash: string } | null {
  const stamp = openStamp(fd, member);
  if (stamp === null) return null;
  const bytes = Buffer.allocUnsafe(member.sizeBytes);
  if (readFully(fd, bytes, 0) !== member.sizeBytes || !untouched(fd, member, stamp)) return null;
  const hash = contentHash(bytes, hashKindOf(member.fingerprint));
  return smallFingerprint(member.sizeBytes, hash) === member.fingerprint ? { bytes, hash } : null;
}

function chunkOf(builder: ChunkBuilder): SourceStep {
  return { bytes: builder.take(), outcome: { kind: 'reading' } };
}

function* append(builder: ChunkBuilder, bytes: Uint8Array): Steps<void> {
  for (let at = 0; at < bytes.length;) {
    if (builder.full()) yield chunkOf(builder);
    const room = builder.room(bytes.length - at);
    room.set(bytes.subarray(at, at + room.length));
    builder.filled(room.length);
    at += room.length;
  }
}

function* smallMember(builder: ChunkBuilder, fd: number, member: SourceMember): Steps<Verified> {
  const read = readSmall(fd, member);
  if (read === null) return null;
  yield* append(builder, member.prefix);
  yield* append(builder, read.bytes);
  return read.hash;
}

function* largeMember(builder: ChunkBuilder, fd: number, member: SourceMember): Steps<Verified> {
  const stamp = openStamp(fd, member);
  if (stamp === null) return null;
  yield* append(builder, member.prefix);
  const content = createContentHash(member.sizeBytes, hashKindOf(member.fingerprint));
  for (let position = 0; position < member.sizeBytes;) {
    if (builder.full()) yield chunkOf(builder);
    const room = builder.room(member.sizeBytes - position);
    if (readFully(fd, room, position) < room.length) return null;
    content.update(room);
    builder.filled(room.length);
    position += room.length;
  }
  if (!untouched(fd, member, stamp)) return null;
  const { hash, fingerprint } = content.finish();
  return fingerprint === member.fingerprint ? hash : null;
}

function* oneMember(builder: ChunkBuilder, member: SourceMember): Steps<Verified> {
  const fd = openSync(encodePath(member.path), READ_FLAGS);
  try {
    const read = member.sizeBytes <= WHOLE_HASH_MAX_BYTES ? smallMember : largeMember;
    const hash = yield* read(builder, fd, member);
    if (hash !== null) yield* append(builder, member.suffix);
    return hash;
  } finally {
    closeSync(fd);
  }
}

/** The length of the whole stream, bytes. */
export function streamLength(members: readonly SourceMember[], trailer: Uint8Array): number {
  return members.reduce(
    (sum, member) => sum + member.prefix.length + member.sizeBytes + member.suffix.length,
    trailer.length,
  );
}

/** Why reading a member failed, in the words of an outcome: what passes by itself is looked at again like a change. */
function failedCode(error: unknown): ChangedCode {
  const code = readCode(error);
  return code === 'file.busy' ? 'item.changed' : code;
}

/**
 * Reads the members in order, then the trailer. Every step but the last carries a chunk and the outcome `reading`; the last
 * carries the last chunk (none for an empty stream) with `complete`, or no chunk with `changed`. Stopping it closes the file.
 */
export function* readSources(
  members: readonly SourceMember[],
  trailer: Uint8Array,
): Generator<SourceStep, void> {
  const builder = createChunkBuilder(streamLength(members, trailer));
  const hashes: string[] = [];
  for (const [index, member] of members.entries()) {
    let code: ChangedCode = 'item.changed';
    let hash: Verified = null;
    try {
      hash = yield* oneMember(builder, member);
    } catch (error) {
      code = failedCode(error);
    }
    if (hash === null) {
      yield { bytes: null, outcome: { kind: 'changed', index, code } };
      return;
    }
    hashes.push(hash);
  }
  yield* append(builder, trailer);
  const last = builder.take();
  const bytes = last.length > 0 ? last : null;
  yield { bytes, outcome: { kind: 'complete', hashes } };
}
