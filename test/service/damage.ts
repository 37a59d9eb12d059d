/** Damages bytes like a bad connection: flips one bit of the content. */
import type { Blob } from './blobStore.ts';
import type { Service } from './service.ts';
import { readTar, TarDamage } from './tarReader.ts';

/** The changed bit is this many bytes before the end: within the pixel data of an image, so that it still opens. */
const FROM_END_BYTES = 3;

/** A copy with one bit changed. */
export function damaged(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.max(0, copy.length - FROM_END_BYTES);
  const byte = copy[at];
  if (byte !== undefined) copy[at] = byte ^ 1;
  return copy;
}

/** Changes one bit of stored bytes; in an archive, in the content of its first file. */
export async function damageBlob(service: Service, blob: Blob, isArchive: boolean): Promise<void> {
  const end = isArchive ? await firstContentEnd(service, blob) : blob.lengthBytes;
  const at = Math.max(0, end - FROM_END_BYTES);
  const bytes = await service.blobs.read(blob, at, 1);
  const byte = bytes[0];
  if (byte !== undefined) await service.blobs.write(blob, at, [Uint8Array.of(byte ^ 1)]);
}

async function firstContentEnd(service: Service, blob: Blob): Promise<number> {
  try {
    const members = await readTar(blob.lengthBytes, (offset, lengthBytes) =>
      service.blobs.read(blob, offset, lengthBytes),
    );
    const first = members.find((member) => member.type === 'file' && member.sizeBytes > 0);
    return first === undefined ? blob.lengthBytes : first.offset + first.sizeBytes;
  } catch (problem) {
    if (!(problem instanceof TarDamage)) throw problem;
    return blob.lengthBytes;
  }
}
