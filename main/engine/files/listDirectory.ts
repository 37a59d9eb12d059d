/** Lists directories, so that one of a million files takes little memory and keeps nothing else waiting. */
import { opendir, readdir, stat } from 'node:fs/promises';
import { fileError, listCode } from '../core/errno.ts';
import type { Result } from '../core/errors.ts';
import type { DirectoryEntry, DirectoryListing } from '../core/model.ts';
import { entryTypeOf } from './entryType.ts';
import { decodeName, encodePath } from './names/pathBytes.ts';

/** A directory of this many bytes (1,500 entries on ext4) is read in parts; a smaller one at once, which takes fewer calls. Our choice. */
const LARGE_BYTES = 64 * 1024;
/** How many entries are read, sorted and packed together. Our choice. */
const PART_ENTRIES = 4096;

const BEYOND_ASCII = /[\u0080-\u00ff]/;
const TYPES = ['file', 'directory', 'link', 'other'] as const;
const TYPE_AFTER = '\0';
const END = '/';

/**
 * Node is asked for names as latin1 strings, with one character for each byte: they hold the same as buffers, in a fraction of the memory.
 * Only names that are not plain ASCII are converted back to bytes.
 */
function nameOf(latin1: string): string {
  return BEYOND_ASCII.test(latin1) ? decodeName(Buffer.from(latin1, 'latin1')) : latin1;
}

function inOrder(entries: DirectoryEntry[]): DirectoryListing {
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function entriesOf(path: string | Buffer): Promise<DirectoryListing> {
  const found = await readdir(path, { withFileTypes: true, encoding: 'latin1' });
  return inOrder(found.map((entry) => ({ name: nameOf(entry.name), type: entryTypeOf(entry) })));
}

/**
 * The same with buffers, for a disk that does not state types together with names: Node then looks up each name as it is written here,
 * which would fail for latin1 strings.
 */
async function entriesByBytes(path: string | Buffer): Promise<DirectoryListing> {
  const found = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
  return inOrder(
    found.map((entry) => ({ name: decodeName(entry.name), type: entryTypeOf(entry) })),
  );
}

/** Some entries in the order of their names, packed into bytes, and the first of them that was not taken yet. */
interface Part {
  readonly bytes: Buffer;
  at: number;
  head: string;
}

/** Moves on to the next entry of a part; false when there is none. */
function advance(part: Part): boolean {
  const { bytes, at } = part;
  const end = bytes.indexOf(END, at);
  if (end < 0) return false;
  part.head = bytes.toString('latin1', at, end);
  part.at = end + 1;
  return true;
}

/** Puts a part among others that are in the order of their heads. */
function insert(parts: Part[], part: Part): void {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.head ?? '') < part.head) low = middle + 1;
    else high = middle;
  }
  parts.splice(low, 0, part);
}

function* merged(packed: readonly Buffer[]): Generator<DirectoryEntry> {
  const parts: Part[] = [];
  for (const bytes of packed) {
    const part: Part = { bytes, at: 0, head: '' };
    if (advance(part)) insert(parts, part);
  }
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const { head } = part;
    const type = TYPES[Number(head.at(-1))] ?? 'other';
    yield { name: nameOf(head.slice(0, -2)), type };
    if (advance(part)) insert(parts, part);
  }
}

/** Reads a large directory in parts. Fails where the disk does not state types together with names. */
async function packedEntries(path: string | Buffer): Promise<DirectoryListing> {
  const packed: Buffer[] = [];
  let length = 0;
  let some: string[] = [];
  const pack = (): void => {
    length += some.length;
    packed.push(Buffer.from(some.sort().join(''), 'latin1'));
    some = [];
  };
  // Given bytes, Node does not look up the types that are missing one by one, while everything waits, but throws.
  const bytes = typeof path === 'string' && process.platform !== 'win32' ? Buffer.from(path) : path;
  const options = { encoding: 'latin1', bufferSize: PART_ENTRIES } as const;
  for await (const entry of await opendir(bytes, options)) {
    some.push(entry.name + TYPE_AFTER + String(TYPES.indexOf(entryTypeOf(entry))) + END);
    if (some.length === PART_ENTRIES) pack();
  }
  pack();
  return { length, [Symbol.iterator]: () => merged(packed) };
}

/** What a directory contains, in the order of the names. Errors: item.gone, directory.unreadable, item.unreadable, file.busy. */
export async function listDirectory(directory: string): Promise<Result<DirectoryListing>> {
  const path = encodePath(directory);
  try {
    const { size } = await stat(path);
    const read = size < LARGE_BYTES ? entriesOf(path) : packedEntries(path);
    return { ok: true, value: await read.catch(() => entriesByBytes(path)) };
  } catch (error) {
    return { ok: false, error: fileError(listCode(error), directory, error) };
  }
}
