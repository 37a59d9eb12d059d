/** A shard's archive as pieces around its source files, so that it is never written to disk. Pure: the same input gives the same bytes. */
import type { BodyFrame, SourceMember } from '../../core/model.ts';

const BLOCK_BYTES = 512;
/** Names in the plain header are ASCII and at most this long; others need an extended header. */
const PLAIN_NAME_BYTES = 100;
/** Sizes and times below this fit into eleven octal digits. */
const OCTAL_LIMIT = 8 ** 11;

export type TarEntry = Pick<SourceMember, 'name' | 'sizeBytes' | 'mtimeMs'>;

type Extra = Extract<BodyFrame, { kind: 'archive' }>['extra'];

/** Zero bytes after a member of this size. */
export function paddingBytes(sizeBytes: number): number {
  const over = sizeBytes % BLOCK_BYTES;
  return over === 0 ? 0 : BLOCK_BYTES - over;
}

/** The parts of a header that are the same for all members, with spaces for the checksum. */
const SAME = Buffer.alloc(BLOCK_BYTES);
SAME.write('0000644\x000000000\x000000000\0', 100, 'latin1');
SAME.write('        ', 148, 'latin1');
SAME.write('ustar\x0000', 257, 'latin1');
const SAME_SUM = SAME.reduce((sum, byte) => sum + byte, 0);

/** Writes a number in octal digits. Returns the sum of the bytes. */
function writeOctal(block: Buffer, value: number, from: number, digits: number): number {
  let left = value;
  let sum = 0;
  for (let at = from + digits - 1; at >= from; at -= 1) {
    const digit = 48 + (left % 8);
    left = Math.floor(left / 8);
    block[at] = digit;
    sum += digit;
  }
  return sum;
}

/**
 * Makes one header block. Writes byte by byte and adds up the checksum at the same time: several writes and another pass over the block
 * would take three times as long.
 */
function headerBlock(name: string, sizeBytes: number, mtimeMs: number, type: string): Buffer {
  const block = Buffer.from(SAME);
  const seconds = Math.min(Math.max(Math.floor(mtimeMs / 1000), 0), OCTAL_LIMIT - 1);
  // A larger size is only in the extended header.
  const size = sizeBytes < OCTAL_LIMIT ? sizeBytes : 0;
  const code = type.charCodeAt(0);
  let sum = SAME_SUM + code;
  for (let at = 0; at < name.length; at += 1) sum += block[at] = name.charCodeAt(at);
  sum += writeOctal(block, size, 124, 11) + writeOctal(block, seconds, 136, 11);
  block[156] = code;
  writeOctal(block, sum, 148, 6);
  block[154] = 0;
  return block;
}

/** One record of an extended header; its length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '_').slice(0, PLAIN_NAME_BYTES);
}

/** The records of what does not fit into the plain header; '' when everything fits. */
function extendedRecords({ name, sizeBytes }: TarEntry, plain: string): string {
  return (
    (plain === name ? '' : paxRecord('path', name)) +
    (sizeBytes < OCTAL_LIMIT ? '' : paxRecord('size', String(sizeBytes)))
  );
}

/** Everything before a member's content. */
export function tarHeader(entry: TarEntry): Buffer {
  const { sizeBytes, mtimeMs } = entry;
  const plain = asciiName(entry.name);
  const records = extendedRecords(entry, plain);
  const header = headerBlock(plain, sizeBytes, mtimeMs, '0');
  if (records === '') return header;
  const extended = Buffer.from(records, 'utf8');
  const paxName = `PaxHeader/${plain}`.slice(0, PLAIN_NAME_BYTES);
  return Buffer.concat([
    headerBlock(paxName, extended.length, mtimeMs, 'x'),
    extended,
    Buffer.alloc(paddingBytes(extended.length)),
    header,
  ]);
}

/** Bytes of a member including header and padding. */
function memberBytes(entry: TarEntry): number {
  const records = extendedRecords(entry, asciiName(entry.name));
  const extended = Buffer.byteLength(records);
  const headers = records === '' ? 1 : 2;
  return (
    headers * BLOCK_BYTES +
    extended +
    paddingBytes(extended) +
    entry.sizeBytes +
    paddingBytes(entry.sizeBytes)
  );
}

function extraEntry({ name, bytes }: Extra[number]): TarEntry {
  return { name, sizeBytes: bytes.length, mtimeMs: 0 };
}

/** Everything after the files: the members held in memory, and the end of the archive. */
export function tarTrailer(extra: Extra): Buffer {
  const tail = extra.flatMap((one) => [
    tarHeader(extraEntry(one)),
    one.bytes,
    Buffer.alloc(paddingBytes(one.bytes.length)),
  ]);
  return Buffer.concat([...tail, Buffer.alloc(2 * BLOCK_BYTES)]);
}

/** Size in bytes of the archive of these files and extra members, calculated without building it. */
export function tarBytes(entries: readonly TarEntry[], extra: Extra): number {
  const all = [...entries, ...extra.map(extraEntry)];
  return all.reduce((sum, entry) => sum + memberBytes(entry), 2 * BLOCK_BYTES);
}
