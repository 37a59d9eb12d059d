/** Inspects files as inspectFile.ts does, with asynchronous calls: for the main thread, which no file may block. */
import { stat } from 'node:fs/promises';
import { fileError, readCode } from '../../core/errno.ts';
import type { Result } from '../../core/errors.ts';
import { WHOLE_HASH_MAX_BYTES } from '../../core/limits.ts';
import type { FileFacts, HashKind, Inspection } from '../../core/model.ts';
import { readFullyAsync } from '../byteSource.ts';
import { encodePath } from '../names/pathBytes.ts';
import { withFile } from '../withFile.ts';
import { factsOf } from './fileFacts.ts';
import { contentOf, inspected } from './inspectFile.ts';
import { READ_FLAGS } from './readSmall.ts';

/** As statFile(). */
export async function statFileAsync(path: string): Promise<Result<FileFacts>> {
  try {
    const stats = await stat(encodePath(path), { bigint: true });
    if (!stats.isFile()) return { ok: false, error: fileError('item.unsupported', path) };
    return { ok: true, value: factsOf(stats) };
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}

/** As inspectFile(), but null for a file of more than WHOLE_HASH_MAX_BYTES, which is not read. */
export async function inspectFileAsync(
  path: string,
  kind: HashKind,
): Promise<Result<Inspection> | null> {
  try {
    return await withFile(path, READ_FLAGS, async (file) => {
      const before = await file.stat({ bigint: true });
      if (!before.isFile()) return { ok: false, error: fileError('item.unsupported', path) };
      const facts = factsOf(before);
      const { sizeBytes } = facts;
      if (sizeBytes > WHOLE_HASH_MAX_BYTES) return null;
      const target = Buffer.allocUnsafeSlow(sizeBytes + 1);
      const isWhole = (await readFullyAsync(file.fd, target, 0, sizeBytes)) === sizeBytes;
      const content = isWhole ? contentOf(target.subarray(0, sizeBytes), path, kind) : null;
      return inspected(path, facts, content, await file.stat({ bigint: true }));
    });
  } catch (error) {
    return { ok: false, error: fileError(readCode(error), path, error) };
  }
}
