/**
 * The content of small files that this thread has just inspected: most are sent by the same thread a moment later, and need not be
 * opened, read and hashed again. Only bytes that still belong to the file are handed out; whoever finds none reads the file.
 */
import { statSync } from 'node:fs';
import { uptimeMs } from '../../core/uptime.ts';
import type { FileFacts, Fingerprint, SourceMember, Stamp } from '../../core/model.ts';
import { encodePath } from '../names/pathBytes.ts';
import { stampOf } from './fileFacts.ts';

/** Larger files are not kept: a few of them would push out all others, and reading them again costs little beside sending. Our choice. */
export const RECENT_FILE_BYTES = 64 * 1024;
/**
 * Size of a block, and most blocks that a thread keeps: about 1,000 small files are identified ahead of sending, and memory that is
 * touched for the first time costs as much as reading a file again. Our choice.
 */
const BLOCK_BYTES = 1024 * 1024;
const MOST_BLOCKS = 8;
/** How long a file is kept at least, and how long all of them when no further one comes, in ms. Our choice. */
const KEPT_MS = 10_000;
/**
 * A file that was written to within this time, in ms, is not kept: time stamps have steps, of 2 s on FAT, and another write within the
 * same step would not show.
 */
const STAMP_STEP_MS = 2_000;

/** Memory for a number of files, filled from the front and freed as a whole. */
interface Block {
  readonly memory: Buffer;
  filled: number;
  begunAt: number;
  readonly paths: Set<string>;
}

interface Kept {
  readonly block: Block;
  readonly bytes: Buffer;
  readonly stamp: Stamp;
  readonly fingerprint: Fingerprint;
  readonly hash: string;
}

const files = new Map<string, Kept>();
/** In the order in which they were begun; only the last one is being filled. */
let blocks: Block[] = [];
let forgetting: NodeJS.Timeout | null = null;

function forgetAll(): void {
  files.clear();
  blocks = [];
  forgetting = null;
}

/**
 * A block with room: the last one, an empty one, a new one, or the oldest one if it is too old to be waited for. Null when there is
 * none: files are sent in the order in which they came, so a newer one must not push out an older one.
 */
function blockFor(bytes: number): Block | null {
  const last = blocks.at(-1);
  if (last !== undefined && last.filled + bytes <= BLOCK_BYTES) return last;
  const now = uptimeMs();
  const at = blocks.findIndex(({ paths, begunAt }) => paths.size === 0 || begunAt < now - KEPT_MS);
  if (at < 0 && blocks.length >= MOST_BLOCKS) return null;
  const [known] = at < 0 ? [] : blocks.splice(at, 1);
  const block = known ?? {
    ...{ memory: Buffer.allocUnsafeSlow(BLOCK_BYTES), filled: 0, begunAt: now, paths: new Set() },
  };
  for (const path of block.paths) files.delete(path);
  block.paths.clear();
  Object.assign(block, { filled: 0, begunAt: now });
  blocks.push(block);
  return block;
}

function forget(path: string, { block }: Kept): void {
  files.delete(path);
  block.paths.delete(path);
}

/** Keeps a copy of a file's content, which was inspected as a whole and did not change meanwhile. */
export function keepRecent(
  path: string,
  bytes: Uint8Array,
  known: Pick<Kept, 'stamp' | 'fingerprint' | 'hash'> & Pick<FileFacts, 'touchedAt'>,
): void {
  if (bytes.length > RECENT_FILE_BYTES || known.touchedAt > Date.now() - STAMP_STEP_MS) return;
  const before = files.get(path);
  if (before !== undefined) forget(path, before);
  const block = blockFor(bytes.length);
  if (block === null) return;
  const own = block.memory.subarray(block.filled, block.filled + bytes.length);
  own.set(bytes);
  block.filled += bytes.length;
  block.paths.add(path);
  const { stamp, fingerprint, hash } = known;
  files.set(path, { block, bytes: own, stamp, fingerprint, hash });
  if (forgetting === null) forgetting = setTimeout(forgetAll, KEPT_MS).unref();
  else forgetting.refresh();
}

/**
 * The content of a member if it was kept, is what was identified, and the file was not touched since; null otherwise. It is handed
 * out once, and valid until the next file is inspected.
 */
export function takeRecent(
  member: SourceMember,
): { readonly bytes: Uint8Array; readonly hash: string } | null {
  const kept = files.get(member.path);
  if (kept === undefined) return null;
  forget(member.path, kept);
  if (kept.fingerprint !== member.fingerprint || kept.bytes.length !== member.sizeBytes)
    return null;
  const stats = statSync(encodePath(member.path), { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() === true && stampOf(stats) === kept.stamp ? kept : null;
}
