/** Creates files to upload on disk: small images, and videos of any size that pass as complete. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { sample, tinyJpeg } from '../helpers/media.ts';

const PER_DIRECTORY = 1000;
const BLOCK_BYTES = 1024 * 1024;

/** Writes distinct images of about this size, a thousand in each directory. */
export async function writeImages(
  root: string,
  count: number,
  bytes: number,
  perDirectory = PER_DIRECTORY,
): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const directory = join(root, `cam-${Math.floor(number / perDirectory)}`);
    if (number % perDirectory === 0) await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `frame-${number}.jpg`), tinyJpeg(number, bytes));
  }
}

/** Writes distinct videos: a real one, followed by a box of random bytes that players skip. */
export async function writeVideos(root: string, count: number, bytes: number): Promise<void> {
  await mkdir(root, { recursive: true });
  const clip = await sample('mp4');
  for (let number = 0; number < count; number += 1) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(bytes, 0);
    head.write('free', 4, 'latin1');
    const file = await open(join(root, `clip-${number}.mp4`), 'w');
    await file.write(Buffer.concat([clip, head]));
    const block = randomFillSync(Buffer.alloc(BLOCK_BYTES));
    for (let left = bytes - head.length; left > 0; left -= block.length) {
      block.writeUInt32BE(left, 0);
      await file.write(block, 0, Math.min(left, block.length));
    }
    await file.close();
  }
}
