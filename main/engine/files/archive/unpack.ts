/** Unpacks archives of results safely: nothing lands outside the target, and the target appears only when complete. */
import { type Result, sluiceError, type SluiceError, SluiceFailure } from '../../core/errors.ts';
import { errnoOf, fileError, writeCode } from '../../core/errno.ts';
import { withFile } from '../withFile.ts';
import { nameKey } from '../names/safeNames.ts';
import { dropPlace, ignoresCase, makePlace, settlePlace } from './unpackPlace.ts';
import { unpackTar } from './unpackTar.ts';
import { createUnpackTree } from './unpackTree.ts';
import { unpackZip } from './unpackZip.ts';

/** The kind of an archive by its bytes, not by its name: the service names archives as it likes. Null for an empty file. */
function kindOf(archive: string) {
  return withFile(archive, 'r', async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const start = buffer.toString('latin1', 0, bytesRead);
    if (bytesRead === 0) return null;
    if (start === 'PK\x03\x04' || start === 'PK\x05\x06') return 'zip';
    return start.startsWith('\x1f\x8b') ? 'gzip' : 'tar';
  });
}

/** System errors are about the disk; everything else that a reader throws is about the archive. */
function errorOf(error: unknown, archive: string): SluiceError {
  if (error instanceof SluiceFailure) return error.error;
  const errno = errnoOf(error);
  // Error codes of the libraries look like Z_DATA_ERROR or ERR_STREAM_PREMATURE_CLOSE.
  if (errno !== null && /^E[A-Z0-9]+$/.test(errno)) {
    return fileError(writeCode(error), archive, error);
  }
  const detail = error instanceof Error ? error.message : 'unknown';
  return sluiceError('part.damaged', { path: archive, detail });
}

/**
 * Unpacks a .tar, .tar.gz or .zip into a new directory by way of `directory` + ".unpacking". Returns the number of files.
 * Members with the same name are all kept, with numbers. An error leaves nothing behind; the archive itself stays.
 * Errors: part.unsafeName (a member leads outside, or is a link or device), part.damaged, disk.full (also to keep some space
 * free), disk.failed, file.busy (stopped by the signal).
 */
export async function unpack(
  archive: string,
  directory: string,
  signal: AbortSignal,
  freeBytes: (path: string) => Promise<number | null>,
): Promise<Result<number>> {
  let place: string | null = null;
  try {
    const kind = await kindOf(archive);
    if (kind === null) return { ok: false, error: sluiceError('part.damaged', { path: archive }) };
    place = await makePlace(directory);
    const key = (await ignoresCase(place)) ? nameKey : (name: string) => name;
    const tree = createUnpackTree({ root: place, key, freeBytes, signal });
    if (kind === 'zip') await unpackZip(archive, tree);
    else await unpackTar(archive, kind === 'gzip', tree, signal);
    const files = await tree.finish();
    signal.throwIfAborted();
    await settlePlace(place, directory, files);
    return { ok: true, value: files.length };
  } catch (error) {
    if (place !== null) await dropPlace(place).catch(() => undefined);
    if (signal.aborted) return { ok: false, error: sluiceError('file.busy', { path: archive }) };
    return { ok: false, error: errorOf(error, archive) };
  }
}
