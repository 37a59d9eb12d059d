/** Checksums of a whole file, as storages state them. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ok, type Result } from '../../core/errors.ts';
import type { ComputedChecksums } from '../../core/model.ts';
import { READ_CHUNK_BYTES } from '../../core/limits.ts';
import { fileError, readCode } from '../../core/errno.ts';
import { encodePath } from '../names/pathBytes.ts';
import { crc32c } from '../../core/crc32c.ts';

/** Reads the file once. Errors: item.gone, item.unreadable, file.busy. */
export async function checksumsOf(path: string): Promise<Result<ComputedChecksums>> {
  try {
    const file = await open(encodePath(path), 'r');
    try {
      const md5 = createHash('md5');
      const sha256 = createHash('sha256');
      const buffer = Buffer.allocUnsafe(READ_CHUNK_BYTES);
      let crc = 0;
      let lengthBytes = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) break;
        const chunk = buffer.subarray(0, bytesRead);
        crc = crc32c(chunk, crc);
        md5.update(chunk);
        sha256.update(chunk);
        lengthBytes += bytesRead;
      }
      return ok({
        crc32c: crc.toString(16).padStart(8, '0'),
        md5: md5.digest('hex'),
        sha256: sha256.digest('hex'),
        lengthBytes,
      });
    } finally {
      await file.close();
    }
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}
