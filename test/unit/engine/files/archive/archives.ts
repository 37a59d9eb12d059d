/** Zip archives created in code, benign and malicious, for tests of unpacking. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipMember {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly deflated?: boolean;
  /** Unix type and permissions; marks the archive as made on Unix. */
  readonly mode?: number;
  /** States a checksum that does not match the content. */
  readonly wrongSum?: boolean;
  /** Says that the content is encrypted. */
  readonly encrypted?: boolean;
}

function zipHeaders(member: ZipMember, offset: number) {
  const content = Buffer.from(member.content);
  const packed = member.deflated === true ? deflateRawSync(content) : content;
  const name = Buffer.from(member.name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(0x800 | (member.encrypted === true ? 1 : 0), 2);
  common.writeUInt16LE(member.deflated === true ? 8 : 0, 4);
  common.writeUInt32LE((crc32(content) ^ (member.wrongSum === true ? 1 : 0)) >>> 0, 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(((member.mode ?? 0) << 16) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  const maker = Buffer.from([20, member.mode === undefined ? 0 : 3]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), maker, common, tail, name]);
  return { local, central };
}

/** The bytes of a zip archive with these members, whatever their names. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const { local, central } = zipHeaders(member, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
