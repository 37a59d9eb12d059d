/** Unpacks fetched archives, each into its own directory next to it. */
import { ok, type Result } from '../../core/errors.ts';
import type { Output } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

const ENDINGS = ['.tar', '.tar.gz', '.tgz', '.zip'] as const;
const ARCHIVE = /\.(tar|tar\.gz|tgz|zip)$/i;

/**
 * Where an archive is unpacked: next to it, under its name without the extension, or with ".unpacked" appended if another
 * file or archive needs that name. Returns null for a file that is not an archive. `isTaken` must know every file of the
 * batch, so that the same archive always gets the same directory.
 */
export function unpackedPath(path: string, isTaken: (path: string) => boolean): string | null {
  const ending = ARCHIVE.exec(path)?.[0];
  if (ending === undefined) return null;
  const bare = path.slice(0, -ending.length);
  const others = ENDINGS.filter((other) => other !== ending.toLowerCase());
  const isMeant = isTaken(bare) || others.some((other) => isTaken(bare + other));
  return isMeant ? `${path}.unpacked` : bare;
}

/** Unpacks an output if it is an archive that is not unpacked yet. Errors as for Files.unpack. */
export async function unpackOutput(
  pipeline: Pipeline,
  output: Output,
  isTaken: (path: string) => boolean,
): Promise<Result<void>> {
  const directory = unpackedPath(output.path, isTaken);
  if (directory === null) return ok(undefined);
  const { files } = pipeline.ports;
  if ((await files.typeOf(directory)) === 'directory') return ok(undefined);
  const unpacked = await files.unpack(output.path, directory, pipeline.signal);
  return unpacked.ok ? ok(undefined) : unpacked;
}
