/**
 * Moves sources after their upload, only where a rule asks for it: confirmed by the service, in a closed batch, after the
 * job and its results, and only if the file is still the one that was sent. In two phases, with an undo list.
 */
import { basename, dirname, extname, join, sep } from 'node:path';
import { type ErrorCode, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import { hashKindOf } from '../core/ids.ts';
import { hashIfUnchanged } from '../core/unchanged.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { missingDrive } from '../pipeline/drives.ts';
import { ownPartPath } from '../pipeline/download/parts.ts';
import type { Item } from '../store/tables/items.ts';
import {
  batchesToMove,
  closeMoves,
  dropPlannedMove,
  finishMove,
  itemsToMove,
  movesIn,
  type MovedSource,
  planMove,
  type WatchedFiles,
} from '../store/tables/moves.ts';
import { clearWait, noteWait, type WaitReason, waitReasonOf } from '../store/tables/waits.ts';
import { type Watch, watchById } from '../store/tables/watches.ts';
import { isTwice } from './isTwice.ts';
import { createCountCheck } from '../jobs/countCheck.ts';

const AT_ONCE = 200;
const MAX_NAMES = 1000;

/** True when stamp and content are as confirmed. A large file that the service had already has no hash: its fingerprint counts. */
async function isUnchanged(pipeline: Pipeline, item: Item): Promise<boolean> {
  const { files } = pipeline.ports;
  const { path, stamp, contentHash, fingerprint } = item;
  if (contentHash !== null)
    return (await hashIfUnchanged(files, item, hashKindOf(contentHash))) === contentHash;
  const facts = await files.facts(path);
  if (!facts.ok || facts.value.stamp !== stamp) return false;
  const [found] = await files.inspect([path], hashKindOf(fingerprint ?? ''));
  return found?.ok === true && found.value.fingerprint === fingerprint;
}

/** The path, with "~2", "~3"… added if it is taken. */
async function freePath(pipeline: Pipeline, path: string): Promise<string | null> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 1; number < MAX_NAMES; number += 1) {
    const candidate = number === 1 ? path : `${stem}~${number}${ending}`;
    if ((await pipeline.ports.files.typeOf(candidate)) === null) return candidate;
  }
  return null;
}

/** Cancels a planned move; it may be planned again while the file is still the one that was sent. */
function giveUp(pipeline: Pipeline, move: MovedSource, code: ErrorCode): void {
  pipeline.ports.log.write('warn', 'source.notMoved', { path: move.from, code });
  pipeline.store.transaction(() => dropPlannedMove(pipeline.store, move.itemId));
}

/** Moves a file that was just found unchanged, or completes a move that a crash interrupted. Returns why the disk refused, or null. */
async function carryOut(pipeline: Pipeline, move: MovedSource): Promise<SluiceError | null> {
  const { files, clock, log } = pipeline.ports;
  const types = [await files.typeOf(move.from), await files.typeOf(move.to)];
  // Its drive does not answer, so the type is not known now.
  if (types.includes('other')) return sluiceError('file.busy', { path: move.from });
  const [here, there] = types.map((type) => type !== null);
  const other = here && there && !(await isTwice(pipeline.ports.files, move));
  if (other || (!here && !there)) {
    giveUp(pipeline, move, other ? 'item.changed' : 'item.gone');
    return null;
  }
  if (here) {
    // A crash came after the second name was made and before the first was removed.
    const done = there
      ? await files.remove(move.from)
      : await files.moveFile(move.from, move.to, ownPartPath(pipeline, move.to));
    if (!done.ok) {
      log.write('warn', 'source.notMoved', { path: move.from, code: done.error.code });
      // If the file changed or its name was taken, the next round decides.
      return done.error.code === 'item.changed' ? null : done.error;
    }
  }
  pipeline.store.transaction(() => finishMove(pipeline.store, move.itemId, 'moved', clock.now()));
  return null;
}

/** Completes a move that an earlier try had begun. A move that was only planned is planned again, after every check. */
async function resume(pipeline: Pipeline, move: MovedSource): Promise<SluiceError | null> {
  const { ports, store } = pipeline;
  const away = await missingDrive(pipeline, dirname(move.to));
  if (away !== null) return away;
  // The rest of a copy to another disk, if there is one.
  await ports.files.remove(ownPartPath(pipeline, move.to));
  if ((await ports.files.typeOf(move.to)) !== null) return carryOut(pipeline, move);
  store.transaction(() => dropPlannedMove(store, move.itemId));
  return null;
}

/** Which directories are not empty, as one round over a batch found them. */
type Held = Map<string, boolean>;

/**
 * True when a missing file was taken away. If the nearest directory that still exists is empty, or the watched one is gone, its
 * drive may be unplugged instead, even one that was never noticed.
 */
async function isTakenAway(pipeline: Pipeline, item: Item, held: Held): Promise<boolean> {
  const { ports } = pipeline;
  let directory = dirname(item.path);
  if ((await missingDrive(pipeline, directory, item.foundAt)) !== null) return false;
  for (let depth = item.relativePath.split(/[/\\]/).length; depth > 0; depth -= 1) {
    const known = held.get(directory);
    if (known !== undefined) return known;
    const listed = await ports.files.list(directory);
    if (listed.ok) {
      held.set(directory, listed.value.length > 0);
      return listed.value.length > 0;
    }
    directory = dirname(directory);
  }
  return false;
}

/** Notes that a file was taken away, so that it is never considered again. */
function noteTakenAway({ store, ports }: Pipeline, { id, path }: Item): void {
  store.transaction(() => {
    planMove(store, { itemId: id, from: path, to: path }, ports.clock.now());
    finishMove(store, id, 'undone', ports.clock.now());
  });
}

/** Where the files of a batch go, and the last check before one is moved: does the service still have what it confirmed? */
interface Way {
  readonly moveTo: string;
  readonly mayMove: () => Promise<Result<void>>;
}

/** Plans and carries out one move. Returns why the disk refused it or why it is not allowed, or null. */
async function moveOne(
  pipeline: Pipeline,
  { moveTo, mayMove }: Way,
  item: Item,
): Promise<SluiceError | null> {
  const { store, ports } = pipeline;
  const { path: from, id: itemId } = item;
  // The source's drive is remembered, too, for undoing the move.
  const away =
    (await missingDrive(pipeline, moveTo)) ?? (await missingDrive(pipeline, dirname(from)));
  if (away !== null) return away;
  const to = await freePath(pipeline, join(moveTo, item.relativePath || basename(from)));
  if (to === null || !(await isUnchanged(pipeline, item))) return null;
  const allowed = await mayMove();
  if (!allowed.ok) return allowed.error;
  const move = { itemId, from, to };
  store.transaction(() => planMove(store, move, ports.clock.now()));
  return carryOut(pipeline, move);
}

/** What a failed move concerns: one file, all of its directory, all of its batch, or every file. */
type Scope = 'file' | 'directory' | 'batch' | 'all';

/** Errors about names and sizes that one disk accepts and another does not. */
const OF_A_FILE: readonly unknown[] = ['EINVAL', 'EILSEQ', 'ENAMETOOLONG', 'EFBIG'];
/** Errors about a directory that may not be written to, or that cannot be made. */
const OF_A_DIRECTORY: readonly unknown[] = ['EACCES', 'EPERM', 'EEXIST', 'ENOTDIR'];

function scopeOf({ code, context: { path, errno } }: SluiceError, from: string): Scope {
  if (code === 'batch.lacksFiles') return 'batch';
  if (code === 'file.busy' || path === from || OF_A_FILE.includes(errno)) return 'file';
  return path === dirname(from) || OF_A_DIRECTORY.includes(errno) ? 'directory' : 'all';
}

/** Why a file could not be moved, and whether that stops other batches, too. */
interface Refusal {
  readonly error: SluiceError;
  readonly ofAll: boolean;
}

/** How a round over one batch ended. `later`: more of its files may come; `unplugged`: some cannot be seen now. */
type BatchEnd = 'done' | 'later' | 'unplugged' | 'stopped' | Refusal;

/** Moves the files of a watch in a batch, and records when nothing is left that could ever be moved. */
async function moveBatch(pipeline: Pipeline, way: Way, files: WatchedFiles): Promise<BatchEnd> {
  const { store } = pipeline;
  const held: Held = new Map();
  const kept = new Set<string>();
  let unplugged = false;
  let refused: SluiceError | null = null;
  let after = 0;
  for (;;) {
    const items = itemsToMove(store, files, after, AT_ONCE);
    for (const item of items) {
      if (pipeline.signal.aborted) return 'stopped';
      if (kept.has(dirname(item.path))) continue;
      if ((await pipeline.ports.files.typeOf(item.path)) === null) {
        if (await isTakenAway(pipeline, item, held)) noteTakenAway(pipeline, item);
        else unplugged = true;
        continue;
      }
      const error = await moveOne(pipeline, way, item);
      if (error === null) continue;
      const scope = scopeOf(error, item.path);
      if (scope === 'batch' || scope === 'all') return { error, ofAll: scope === 'all' };
      if (scope === 'directory') kept.add(dirname(item.path));
      refused = error;
    }
    const last = items.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (refused !== null) return { error: refused, ofAll: false };
  if (unplugged) return 'unplugged';
  return store.transaction(() => closeMoves(store, files)) ? 'done' : 'later';
}

/** An unfinished batch is checked again after this many ms, or after this multiple of the time the check took, if longer. */
const AGAIN_MS = 1_000;
const AGAIN_SHARE = 20;
/** The same when a drive may be unplugged, after a batch lacked files, and after the disk refused a move. */
const UNPLUGGED_AGAIN_MS = 600_000;
const LACKING_AGAIN_MS = 600_000;
const REFUSED_AGAIN_MS = 10_000;

function leastPause(end: Exclude<BatchEnd, 'done'>): number {
  if (end === 'unplugged') return UNPLUGGED_AGAIN_MS;
  const isLacking = typeof end !== 'string' && end.error.code === 'batch.lacksFiles';
  return isLacking ? LACKING_AGAIN_MS : AGAIN_MS;
}

/** Why files are not moved. The cause may be one file or directory, not the target of all: then that path is named. */
function reasonOf(error: SluiceError, nextAt: number): WaitReason {
  const reason = waitReasonOf(error, nextAt);
  const { path, errno } = error.context;
  const isNamed = error.code === 'disk.failed' && typeof path === 'string';
  return isNamed ? { ...reason, detail: `${reason.detail ?? errno}: ${path}` } : reason;
}

/**
 * Creates the mover of a watch: it moves what can move now, and nothing if the rule has no directory to move to. Call it as often
 * as you like: a batch that was just checked costs nothing, unless it is the `last` time.
 */
export function createSourceMover(
  pipeline: Pipeline,
  watch: Watch,
): (last?: boolean) => Promise<void> {
  const { destinationId } = watch;
  const { moveTo, job, downloadTo } = watch.rule;
  const { store, ports, connectionId } = pipeline;
  const { clock } = ports;
  const subject = `moving:${watch.id}` as const;
  const wanted = { destinationId, needsJob: job !== null, needsFetch: downloadTo !== null };
  /** When to check each unfinished batch again, in monotonic ms, and what could not be moved of it. */
  const checked = new Map<number, { readonly at: number; readonly error: SluiceError | null }>();
  let notBefore = 0;
  const refused = (error: SluiceError): void => {
    notBefore = clock.monotonicMs() + REFUSED_AGAIN_MS;
    const now = pipeline.time.now();
    const reason = reasonOf(error, now + REFUSED_AGAIN_MS);
    store.transaction(() => noteWait(store, connectionId, subject, reason, now));
  };
  const round = async (to: string): Promise<void> => {
    let refusal: SluiceError | null = null;
    for (const move of movesIn(store, destinationId, 'planned')) {
      if (pipeline.signal.aborted) return;
      refusal = (await resume(pipeline, move)) ?? refusal;
    }
    for (const batchRow of batchesToMove(store, wanted)) {
      const began = clock.monotonicMs();
      const known = checked.get(batchRow);
      if (known !== undefined && began < known.at) {
        refusal = known.error ?? refusal;
        continue;
      }
      // Once its job has ended, a person may delete a batch.
      const mayMove = createCountCheck(pipeline, job === null ? batchRow : null);
      // The current directory: it may have been replaced by a link.
      const { directory, link } = watchById(store, watch.id)?.rule ?? watch.rule;
      const found = { destinationId, within: join(directory, sep), isLinked: link !== null };
      const end = await moveBatch(pipeline, { moveTo: to, mayMove }, { batchRow, ...found });
      const now = clock.monotonicMs();
      checked.delete(batchRow);
      if (end === 'stopped' || pipeline.signal.aborted) return;
      if (end === 'done') continue;
      const error = typeof end === 'string' ? null : end.error;
      if (typeof end !== 'string' && end.ofAll) return refused(end.error);
      refusal = error ?? refusal;
      const at = now + Math.max(leastPause(end), (now - began) * AGAIN_SHARE);
      checked.set(batchRow, { at, error });
    }
    if (refusal === null) clearWait(store, connectionId, subject);
    else refused(refusal);
  };
  return async (last = false) => {
    if (last) checked.clear();
    const isDue = last || clock.monotonicMs() >= notBefore;
    if (moveTo === null || pipeline.signal.aborted || !isDue) return;
    await round(moveTo);
  };
}
