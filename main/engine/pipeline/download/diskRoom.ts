/** Whether a disk has room for the next file. */
import { dirname } from 'node:path';
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Output } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

const MB = 1_000_000;
/**
 * Room that stays free on a disk, bytes: the ledger and other programs need some, too. As much as the file is large, within these
 * bounds: a small file does not need a large reserve.
 */
const LEAST_ROOM_BYTES = 5 * MB;
const MOST_ROOM_BYTES = 64 * MB;

/** Error: disk.full, with the figures, where a file does not fit and leave some room. */
export async function lookForRoom(
  pipeline: Pipeline,
  output: Output,
  neededBytes: number,
): Promise<Result<void>> {
  const free = await pipeline.ports.files.freeBytes(dirname(output.path));
  const kept = Math.min(MOST_ROOM_BYTES, Math.max(LEAST_ROOM_BYTES, neededBytes));
  if (free === null || free >= neededBytes + kept) return ok(undefined);
  const mb = (bytes: number, round: (value: number) => number): string => `${round(bytes / MB)} MB`;
  const said = `${mb(free, Math.floor)} are free; this file needs ${mb(neededBytes, Math.ceil)}, and ${mb(kept, Math.ceil)} stay free for other programs`;
  return fail('disk.full', { said });
}
