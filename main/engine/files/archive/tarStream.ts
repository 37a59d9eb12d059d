/** A shard's archive as a plan for reading: headers and padding around source files, so that it is never written to disk. */
import type { Fingerprint, SourceMember } from '../../core/model.ts';

const BLOCK_BYTES = 512;
/** Names in the plain header: ASCII, at most this long; others need an extended header. */
const PLAIN_NAME_BYTES = 100;
/** Sizes and times that eleven octal digits can hold. */
const OCTAL_LIMIT = 8 ** 11;

/** A source file that becomes a member. */
export interface TarEntry {
  readonly name: string;
  readonly sizeBytes: number;
  /** Modification time, epoch ms. */
  readonly mtimeMs: number;
  readonly path: string;
  readonly fingerprint: Fingerprint;
}

/** A member whose bytes are in memory: the notification member. */
export interface TarExtra {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What openSources needs to read the archive, and its exact length. */
export interface TarPlan {
  readonly members: readonly SourceMember[];
  readonly trailer: Uint8Array;
  readonly lengthBytes: number;
}

function paddingFor(sizeBytes: number): number {
  const over = sizeBytes % BLOCK_BYTES;
  return over === 0 ? 0 : BLOCK_BYTES - over;
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  // Memory of its own: a piece of Node's shared pool would drag the whole pool along to the worker.
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function headerBlock(name: string, sizeBytes: number, mtimeMs: number, type: string): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES);
  const seconds = Math.min(Math.max(Math.floor(mtimeMs / 1000), 0), OCTAL_LIMIT - 1);
  block.write(name, 0, PLAIN_NAME_BYTES, 'latin1');
  block.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
  // A size beyond the field stands in the extended header only.
  const size = sizeBytes < OCTAL_LIMIT ? sizeBytes : 0;
  block.write(`${octal(size, 11)}\0${octal(seconds, 11)}\0        ${type}`, 124, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

/** One pipeline of an extended header; its length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '_').slice(0, PLAIN_NAME_BYTES);
}

/** Everything before a member's own bytes. */
function headerOf(name: string, sizeBytes: number, mtimeMs: number): Uint8Array {
  const plain = asciiName(name);
  const records =
    (plain === name ? '' : paxRecord('path', name)) +
    (sizeBytes < OCTAL_LIMIT ? '' : paxRecord('size', String(sizeBytes)));
  const header = headerBlock(plain, sizeBytes, mtimeMs, '0');
  if (records === '') return join([header]);
  const extended = Buffer.from(records, 'utf8');
  const paxName = `PaxHeader/${plain}`.slice(0, PLAIN_NAME_BYTES);
  return join([
    headerBlock(paxName, extended.length, mtimeMs, 'x'),
    extended,
    new Uint8Array(paddingFor(extended.length)),
    header,
  ]);
}

/** Plans an archive of these files in order, then the extra members. A pure function: the same input gives the same bytes. */
export function tarMembers(entries: readonly TarEntry[], extra: readonly TarExtra[]): TarPlan {
  const members = entries.map((entry) => ({
    path: entry.path,
    sizeBytes: entry.sizeBytes,
    fingerprint: entry.fingerprint,
    prefix: headerOf(entry.name, entry.sizeBytes, entry.mtimeMs),
    suffix: new Uint8Array(paddingFor(entry.sizeBytes)),
  }));
  const tail = extra.flatMap(({ name, bytes }) => [
    headerOf(name, bytes.length, 0),
    bytes,
    new Uint8Array(paddingFor(bytes.length)),
  ]);
  const trailer = join([...tail, new Uint8Array(2 * BLOCK_BYTES)]);
  const lengthBytes = members.reduce(
    (sum, member) => sum + member.prefix.length + member.sizeBytes + member.suffix.length,
    trailer.length,
  );
  return { members, trailer, lengthBytes };
}
