/**
 * Reads the sources of a transfer as one stream of chunks, and proves while reading that each is what was identified. For use inside a
 * worker, because large files are read with synchronous calls; with readSmallAsync() also elsewhere, if all files are small. The last chunk
 * comes only after every member was verified, so that a transfer whose source changed can never reach its declared length.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WHOLE_HASH_MAX_BYTES } from '../../core/limits.ts';
import type { SourceMember, SourceOutcome, SourcePlan, Stamp } from '../../core/model.ts';
import { hashKindOf } from '../../core/ids.ts';
import { readFully, readFullyAsync } from '../byteSource.ts';
import { createContentHash } from '../fingerprint.ts';
import { encodePath } from '../names/pathBytes.ts';
import { bodyBytes, framing, trailerOf } from './bodyLayout.ts';
import { factsOf } from './fileFacts.ts';
import type { Memories } from './memories.ts';
import { READ_FLAGS, type ReadSmall, readSmallSync } from './readSmall.ts';
import { type ChangedCode, failedCode, fillSmall, type Verified } from './smallFile.ts';
import { uptimeMs } from '../../core/uptime.ts';

type End = Exclude<SourceOutcome, { kind: 'reading' }>;
type Chunks<T> = AsyncGenerator<Uint8Array, T, void>;

/** How small files are read, and the buffers that the blocks of large ones are read into, in turn. */
interface Reading {
  readonly readSmall: ReadSmall;
  readonly blocks: () => Buffer;
}

/**
 * Approximate size of a chunk of small files, and size of a block of a large file, in bytes. Our choice: three buffers of this size nearly
 * fit into the cache of a processor core; with larger ones, copying and hashing take longer.
 */
const CHUNK_BYTES = 256 * 1024;
/** Room for what surrounds a small file: headers of archives and forms are far shorter. */
const FRAME_BYTES = 16 * 1024;
/** How long to read small files before yielding to other work on this thread, in ms. */
const TURN_MS = 20;

const probe = new Uint8Array(1);

/** Room for the small files of a body, plus one byte, so that the same read shows whether a file has grown. */
function chunkBytes(plan: SourcePlan): number {
  const small = plan.members.filter(({ sizeBytes }) => sizeBytes <= WHOLE_HASH_MAX_BYTES);
  const largest = small.reduce((most, { sizeBytes }) => Math.max(most, sizeBytes), 0);
  return Math.min(bodyBytes(plan) + 1, Math.max(CHUNK_BYTES, largest + FRAME_BYTES));
}

/** A chunk that is being filled with small files and the bytes around files. */
class Chunk {
  readonly #memories: () => Buffer;
  #memory: Buffer | null = null;
  #bytes: Uint8Array = new Uint8Array(0);
  #isClosed = false;

  constructor(memories: () => Buffer) {
    this.#memories = memories;
  }

  /** The chunk is a block of a large file. */
  get isHeld(): boolean {
    return this.#isClosed;
  }

  get length(): number {
    return this.#bytes.length;
  }

  hasRoom(bytes: number): boolean {
    if (this.#bytes.length === 0) return true;
    return !this.#isClosed && this.#bytes.length + bytes <= (this.#memory?.length ?? 0);
  }

  /** Memory after the current bytes; call hasRoom() first. */
  room(bytes: number): Buffer {
    if (this.#memory === null || this.#bytes.length === 0) this.#memory = this.#memories();
    return this.#memory.subarray(this.#bytes.length, this.#bytes.length + bytes);
  }

  /** Marks this many bytes of the room as filled. */
  filled(bytes: number): void {
    this.#bytes = this.#memory?.subarray(0, this.#bytes.length + bytes) ?? this.#bytes;
  }

  /** Makes a block of a large file the chunk; nothing can be added to it. */
  hold(block: Uint8Array): void {
    this.#bytes = block;
    this.#isClosed = true;
  }

  take(): Uint8Array {
    const bytes = this.#bytes;
    this.#bytes = new Uint8Array(0);
    this.#isClosed = false;
    return bytes;
  }
}

async function* append(chunk: Chunk, bytes: Uint8Array): Chunks<void> {
  for (let at = 0; at < bytes.length;) {
    if (!chunk.hasRoom(1)) yield chunk.take();
    const room = chunk.room(bytes.length - at);
    room.set(bytes.subarray(at, at + room.length));
    chunk.filled(room.length);
    at += room.length;
  }
}

/** A member up to WHOLE_HASH_MAX_BYTES: the whole file is in memory and verified before any of it is handed out. */
async function* smallMember(
  chunk: Chunk,
  plan: SourcePlan,
  member: SourceMember,
  { readSmall }: Reading,
): Chunks<Verified> {
  const around = framing(plan, member);
  const bytes = around.prefix.length + member.sizeBytes + around.suffix.length;
  if (!chunk.hasRoom(bytes + 1)) yield chunk.take();
  const hash = await fillSmall(member, around, chunk.room(bytes + 1), readSmall);
  if (hash !== null) chunk.filled(bytes);
  return hash;
}

/** The stamp of a member; null when it is not a regular file of the expected size. */
function openStamp(fd: number, member: SourceMember): Stamp | null {
  const stats = fstatSync(fd, { bigint: true });
  if (!stats.isFile() || stats.size !== BigInt(member.sizeBytes)) return null;
  return factsOf(stats).stamp;
}

/** True when the file is no longer than expected and was not touched since it was opened. */
function untouched(fd: number, member: SourceMember, stamp: Stamp): boolean {
  if (readFully(fd, probe, member.sizeBytes) > 0) return false;
  return factsOf(fstatSync(fd, { bigint: true })).stamp === stamp;
}

/** The blocks of an open file; each is read while the previous one is being sent. Ends early if the file does. */
async function* blocksOf(fd: number, sizeBytes: number, { blocks }: Reading): Chunks<void> {
  const read = async (position: number): Promise<Buffer> => {
    const block = blocks().subarray(0, Math.min(CHUNK_BYTES, sizeBytes - position));
    return block.subarray(0, await readFullyAsync(fd, block, position));
  };
  const begin = (position: number): Promise<Buffer> => {
    const reading = read(position);
    // This promise is awaited below; until then, its rejection must not count as unhandled.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = begin(0);
  try {
    for (let position = 0; position < sizeBytes;) {
      const block = await ahead;
      position += block.length;
      if (block.length === 0) return;
      if (position < sizeBytes) ahead = begin(position);
      yield block;
    }
  } finally {
    // The file must not be closed during a read.
    await ahead.catch(() => undefined);
  }
}

async function* largeMember(
  chunk: Chunk,
  plan: SourcePlan,
  member: SourceMember,
  reading: Reading,
): Chunks<Verified> {
  const { prefix, suffix } = framing(plan, member);
  const { sizeBytes, fingerprint } = member;
  // The chunk may hold the last block of the previous file: once it is handed out, this file's blocks may use the buffers.
  if (chunk.isHeld) yield chunk.take();
  const fd = openSync(encodePath(member.path), READ_FLAGS);
  try {
    const stamp = openStamp(fd, member);
    if (stamp === null) return null;
    yield* append(chunk, prefix);
    const content = createContentHash(sizeBytes, hashKindOf(fingerprint));
    let left = sizeBytes;
    for await (const block of blocksOf(fd, sizeBytes, reading)) {
      content.update(block);
      left -= block.length;
      // The last block of the file is held back until the file is verified; everything before it is handed out now.
      if (chunk.length > 0) yield chunk.take();
      if (left > 0) yield block;
      else chunk.hold(block);
    }
    if (left > 0 || !untouched(fd, member, stamp)) return null;
    const found = content.finish();
    if (found.fingerprint !== fingerprint) return null;
    yield* append(chunk, suffix);
    return found.hash;
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the members in order, with the bytes around them. `end` is called before the last chunk is handed out: with `complete`,
 * or with `changed`, after which no chunk follows. A chunk is valid until the second one after it is requested. Leaving the
 * loop closes the file.
 * @param memories to be released when the last chunk has left
 * @param readSmall by default with synchronous calls
 */
export async function* readSources(
  plan: SourcePlan,
  end: (outcome: End) => void,
  memories: Memories,
  readSmall: ReadSmall = readSmallSync,
): AsyncGenerator<Uint8Array, void, void> {
  const chunk = new Chunk(memories.turn(chunkBytes(plan)));
  const reading = { readSmall, blocks: memories.turn(CHUNK_BYTES) };
  const hashes: string[] = [];
  let turnBegan = uptimeMs();
  for (const [index, member] of plan.members.entries()) {
    let code: ChangedCode = 'item.changed';
    let hash: Verified = null;
    try {
      hash =
        member.sizeBytes <= WHOLE_HASH_MAX_BYTES
          ? yield* smallMember(chunk, plan, member, reading)
          : yield* largeMember(chunk, plan, member, reading);
    } catch (error) {
      code = failedCode(error);
    }
    if (hash === null) {
      end({ kind: 'changed', index, code });
      return;
    }
    hashes.push(hash);
    if (uptimeMs() - turnBegan < TURN_MS) continue;
    await nextTurn();
    turnBegan = uptimeMs();
  }
  yield* append(chunk, trailerOf(plan));
  end({ kind: 'complete', hashes });
  if (chunk.length > 0) yield chunk.take();
}
