/** Checksums of a whole file, as storages state them. */
import { open } from 'node:fs/promises';
import { createDigest } from '../../core/digest.ts';
import { fileError, readCode } from '../../core/errno.ts';
import { ok, type Result } from '../../core/errors.ts';
import { READ_CHUNK_BYTES } from '../../core/limits.ts';
import type { ComputedChecksums } from '../../core/model.ts';
import { encodePath } from '../names/pathBytes.ts';

/** Reads the file once. Errors: item.gone, item.unreadable, file.busy. */
export async function checksumsOf(path: string): Promise<Result<ComputedChecksums>> {
  try {
    const file = await open(encodePath(path), 'r');
    try {
      const digest = createDigest({ md5: true });
      const buffer = Buffer.allocUnsafe(READ_CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return ok(digest.finish());
        digest.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}
