import { constants } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { withFile } from '../withFile.ts';
import { unpackFailure, type UnpackTree } from './unpackTree.ts';

/** Operating systems whose zip programs put Unix file types into the upper half of the attributes. */
const UNIX_MAKERS = new Set([3, 19]);

function isOrdinary(entry: Entry): boolean {
  if (!UNIX_MAKERS.has(entry.versionMadeBy >>> 8)) return true;
  const type = (entry.externalFileAttributes >>> 16) & constants.S_IFMT;
  return type === 0 || type === constants.S_IFREG || type === constants.S_IFDIR;
}

/** The member's bytes; throws at the end if their checksum is wrong (the library checks only lengths). */
async function* checked(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let sum = 0;
  const bytes: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
  for await (const chunk of bytes) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw unpackFailure('part.damaged', 'checksum', name);
}

async function takeMember(zip: ZipFile, entry: Entry, tree: UnpackTree): Promise<void> {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  if (!isOrdinary(entry)) throw unpackFailure('part.unsafeName', 'link or device', name);
  if (name.endsWith('/')) await tree.makeDirectory(name);
  else await tree.writeFile(name, checked(zip, entry, name));
}

/** Unpacks every member. Throws SluiceFailure for refused members, and the library's own errors for damage. */
export function unpackZip(archive: string, tree: UnpackTree): Promise<void> {
  return withFile(archive, 'r', async ({ fd }) => {
    // Names stay bytes: for bad names, the library would throw an error with only a message, which could not be told from damage.
    const zip = await fromFdPromise(fd, { decodeStrings: false, autoClose: false });
    for await (const entry of zip.eachEntry()) await takeMember(zip, entry, tree);
  });
}
