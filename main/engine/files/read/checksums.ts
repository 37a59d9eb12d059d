/** Checksums of a whole file, in the forms that storages report. */
import { createChecksums, createDigest } from '../../core/digest.ts';
import { fileError, readCode } from '../../core/errno.ts';
import { ok, type Result } from '../../core/errors.ts';
import { READ_CHUNK_BYTES } from '../../core/limits.ts';
import type { ComputedChecksums } from '../../core/model.ts';
import type { WantedChecksums } from '../../core/ports.ts';
import { withFile } from '../withFile.ts';

/** Reads the file once. Errors: item.gone, item.unreadable, file.busy. */
export async function checksumsOf(
  path: string,
  wanted: WantedChecksums,
): Promise<Result<ComputedChecksums>> {
  try {
    return await withFile(path, 'r', async (file) => {
      const checksums = wanted.sha256 ? createDigest(wanted) : createChecksums(wanted);
      // One byte more than the file has, so that the first read reaches its end.
      const { size } = await file.stat();
      const buffer = Buffer.allocUnsafe(Math.min(size + 1, READ_CHUNK_BYTES));
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return ok({ sha256: null, ...checksums.finish() });
        checksums.update(buffer.subarray(0, bytesRead));
      }
    });
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}
