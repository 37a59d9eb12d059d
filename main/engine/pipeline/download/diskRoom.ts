/** Checks whether a disk is connected and has room for the next file. */
import { dirname } from 'node:path';
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';
import type { Output } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { missingDrive } from '../drives.ts';

const MB = 1_000_000;
/**
 * How much space must stay free on a disk for the ledger and other programs, in bytes: as much as the size of the next file, within these
 * bounds.
 */
const LEAST_ROOM_BYTES = 5 * MB;
const MOST_ROOM_BYTES = 64 * MB;

/** With this much free space, the disk is checked again only after LOOK_AGAIN_MS: many files are small. Our choice. */
const PLENTY_BYTES = 4_000 * MB;
const LOOK_AGAIN_MS = 500;
const SMALL_BYTES = 10 * MB;

/** The last directory that had plenty of room, and when it was checked, in monotonic ms. */
const plenty = new WeakMap<Files, { readonly directory: string; readonly at: number }>();

async function freeIn(
  pipeline: Pipeline,
  directory: string,
  neededBytes: number,
): Promise<Result<number | null>> {
  const { files, clock } = pipeline.ports;
  const now = clock.monotonicMs();
  const known = plenty.get(files);
  const isKnown = known?.directory === directory && now - known.at < LOOK_AGAIN_MS;
  if (isKnown && neededBytes < SMALL_BYTES) return ok(PLENTY_BYTES);
  const away = await missingDrive(pipeline, directory);
  if (away !== null) return { ok: false, error: away };
  const free = await files.freeBytes(directory);
  // Even if half of it is used before the next check, plenty is left.
  if (free !== null && free >= 2 * PLENTY_BYTES) plenty.set(files, { directory, at: now });
  return ok(free);
}

/** Fails with disk.full and the figures if the file would not leave enough space free, or with disk.missing. */
export async function lookForRoom(
  pipeline: Pipeline,
  output: Output,
  neededBytes: number,
): Promise<Result<void>> {
  const found = await freeIn(pipeline, dirname(output.path), neededBytes);
  if (!found.ok) return found;
  const free = found.value;
  const kept = Math.min(MOST_ROOM_BYTES, Math.max(LEAST_ROOM_BYTES, neededBytes));
  if (free === null || free >= neededBytes + kept) return ok(undefined);
  const mb = (bytes: number, round: (value: number) => number): string => `${round(bytes / MB)} MB`;
  const said = `${mb(free, Math.floor)} are free; this file needs ${mb(neededBytes, Math.ceil)}, and ${mb(kept, Math.ceil)} stay free for other programs`;
  return fail('disk.full', { said });
}

/**
 * Writes to a path. Makes its directory if it is missing, but only while its drive is connected: otherwise the directory would be made on
 * the disk below. Errors: those of the write, disk.missing.
 */
export async function inDirectory<T>(
  pipeline: Pipeline,
  path: string,
  write: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const first = await write();
  if (first.ok || first.error.context['errno'] !== 'ENOENT') return first;
  const directory = dirname(path);
  const away = await missingDrive(pipeline, directory);
  if (away !== null) return { ok: false, error: away };
  const made = await pipeline.ports.files.makeDirectory(directory);
  return made.ok ? write() : made;
}
