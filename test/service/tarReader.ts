/** Reads the members of a tar archive by position, strictly: checksums, padding and the end are verified. Knows pax and GNU long names. */

export interface TarMember {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  /** Start of its content. */
  readonly offset: number;
}

/** Reads bytes of the archive; shorter at its end. */
export type ReadAt = (offset: number, lengthBytes: number) => Promise<Buffer>;

/** What is wrong with an archive, in words. */
export class TarDamage extends Error {}

const BLOCK = 512;
/** Largest accepted pax or long-name header, bytes. */
const MAX_EXTENDED_BYTES = 1024 * 1024;

/** Lists the members. Throws TarDamage when the archive is cut off, changed, or not an archive. */
export async function readTar(lengthBytes: number, readAt: ReadAt): Promise<readonly TarMember[]> {
  if (lengthBytes === 0) throw new TarDamage('the archive is empty');
  if (lengthBytes % BLOCK !== 0) throw new TarDamage('the archive is no multiple of 512 bytes');
  const members: TarMember[] = [];
  let extended: ReadonlyMap<string, string> = new Map();
  let at = 0;
  for (;;) {
    const header = await readAt(at, BLOCK);
    if (header.length < BLOCK) throw new TarDamage('the archive ends without its end mark');
    if (header.every((byte) => byte === 0)) break;
    const entry = parseHeader(header);
    const bodyAt = at + BLOCK;
    const sizeBytes = sizeFrom(extended) ?? entry.sizeBytes;
    const next = bodyAt + Math.ceil(sizeBytes / BLOCK) * BLOCK;
    if (next > lengthBytes) throw new TarDamage(`member "${entry.name}" is cut`);
    if (entry.flag === 'x' || entry.flag === 'L') {
      if (sizeBytes > MAX_EXTENDED_BYTES) throw new TarDamage('an extended header is too large');
      const body = await readAt(bodyAt, sizeBytes);
      extended =
        entry.flag === 'x'
          ? new Map([...extended, ...parsePax(body)])
          : new Map([...extended, ['path', body.toString('utf8').replace(/\0+$/, '')]]);
    } else if (entry.flag !== 'g') {
      members.push({
        name: extended.get('path') ?? entry.name,
        type: typeOf(entry.flag),
        sizeBytes,
        offset: bodyAt,
      });
      extended = new Map();
    }
    at = next;
  }
  await verifyEnd(at, lengthBytes, readAt);
  return members;
}

async function verifyEnd(at: number, lengthBytes: number, readAt: ReadAt): Promise<void> {
  if (lengthBytes - at < 2 * BLOCK) throw new TarDamage('the archive ends without its end mark');
  const chunk = 64 * 1024;
  for (let from = at; from < lengthBytes; from += chunk) {
    const bytes = await readAt(from, Math.min(chunk, lengthBytes - from));
    if (bytes.some((byte) => byte !== 0)) throw new TarDamage('bytes after the end mark');
  }
}

function parseHeader(header: Buffer) {
  const stated = octal(header.subarray(148, 156));
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK; index += 1) {
    if (index < 148 || index >= 156) sum += header[index] ?? 0;
  }
  if (stated !== sum) throw new TarDamage('a header has a wrong checksum');
  const isUstar = header.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar ? text(header.subarray(345, 500)) : '';
  const name = text(header.subarray(0, 100));
  const flag = header.toString('latin1', 156, 157);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    sizeBytes: size(header.subarray(124, 136)),
    flag: flag === '\0' ? '0' : flag,
  };
}

function typeOf(flag: string): TarMember['type'] {
  if (flag === '0' || flag === '7') return 'file';
  return flag === '5' ? 'directory' : 'other';
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

function octal(field: Buffer): number {
  const digits = field
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trimStart();
  if (!/^[0-7]+$/.test(digits)) throw new TarDamage('a header has a damaged number');
  return Number.parseInt(digits, 8);
}

/** Octal, or GNU's base-256 for larger values. */
function size(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) === 0) return octal(field);
  const value = field.readUIntBE(6, 6);
  if (field.subarray(1, 6).some((byte) => byte !== 0)) throw new TarDamage('a size is too large');
  return value;
}

function sizeFrom(extended: ReadonlyMap<string, string>): number | null {
  const stated = extended.get('size');
  if (stated === undefined) return null;
  if (!/^\d{1,15}$/.test(stated)) throw new TarDamage('a pax size is damaged');
  return Number(stated);
}

/** Records of the form `LENGTH key=value\n`, where the length counts bytes and itself. */
function parsePax(body: Buffer): readonly (readonly [string, string])[] {
  const records: (readonly [string, string])[] = [];
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(0x20, at);
    const stated = body.toString('latin1', at, space < 0 ? at : space);
    const end = at + Number(stated);
    if (!/^\d{1,7}$/.test(stated) || end > body.length || body[end - 1] !== 0x0a)
      throw new TarDamage('a pax record is damaged');
    const record = body.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals <= 0) throw new TarDamage('a pax record has no key');
    const key = record.slice(0, equals);
    const value = record.slice(equals + 1);
    if (key === 'mtime' && !/^-?\d+(\.\d+)?$/.test(value))
      throw new TarDamage('a pax mtime is no number');
    records.push([key, value]);
    at = end;
  }
  return records;
}
