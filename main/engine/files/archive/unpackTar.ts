import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { encodePath } from '../names/pathBytes.ts';
import { unpackFailure, type UnpackTree } from './unpackTree.ts';

interface TarMember extends AsyncIterable<unknown> {
  readonly header: Header;
  resume(): unknown;
}

async function* bytesOf(member: TarMember): AsyncGenerator<Uint8Array> {
  for await (const chunk of member) if (chunk instanceof Uint8Array) yield chunk;
}

async function takeMember(entry: TarMember, tree: UnpackTree): Promise<void> {
  const { name, type } = entry.header;
  switch (type) {
    case 'file':
    case 'contiguous-file':
      await tree.writeFile(name, bytesOf(entry));
      return;
    case 'directory':
      await tree.makeDirectory(name);
      // A directory has no bytes, but it must be read to its end: otherwise the next member never comes.
      entry.resume();
      return;
    case 'link':
    case 'symlink':
    case 'character-device':
    case 'block-device':
    case 'fifo':
      throw unpackFailure('part.unsafeName', type, name);
    default:
      throw unpackFailure('part.damaged', 'unknown member type', name);
  }
}

/** Unpacks every member. Throws SluiceFailure for refused members, and the libraries' own errors for damage. */
export async function unpackTar(
  archive: string,
  gzipped: boolean,
  tree: UnpackTree,
  signal: AbortSignal,
): Promise<void> {
  const bytes = createReadStream(encodePath(archive));
  const members = extract();
  const feeding = gzipped
    ? pipeline(bytes, createGunzip(), members, { signal })
    : pipeline(bytes, members, { signal });
  // Its failure is reported below; this only keeps it from counting as unhandled while members are written.
  feeding.catch(() => undefined);
  try {
    for await (const entry of members) await takeMember(entry, tree);
  } catch (error) {
    bytes.destroy();
    throw error;
  }
  await feeding;
}
