/**
 * Moves sources after their upload, only where a rule asks for it: confirmed by the service, in a closed batch, after the
 * job and its results, and only if the file is still the one that was sent. In two phases, with an undo list.
 */
import { basename, dirname, extname, join } from 'node:path';
import { type ErrorCode, ok, type Result, type SluiceError } from '../core/errors.ts';
import { hashKindOf } from '../core/ids.ts';
import { hashIfUnchanged } from '../core/unchanged.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { missingDrive } from '../pipeline/drives.ts';
import { ownPartPath } from '../pipeline/download/parts.ts';
import { type Item, itemById } from '../store/tables/items.ts';
import {
  batchesToMove,
  closeMoves,
  dropPlannedMove,
  finishMove,
  itemsToMove,
  movesIn,
  type MovedSource,
  planMove,
} from '../store/tables/moves.ts';
import { clearWait, noteWait, waitReasonOf } from '../store/tables/waits.ts';
import type { Watch } from '../store/tables/watches.ts';
import { createCountCheck } from './countCheck.ts';

const AT_ONCE = 200;
const MAX_NAMES = 1000;

/** True when stamp and content are those confirmed. A large file that the service already had has no hash: its fingerprint counts. */
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

/** True when both paths lead to one file, or to equal ones: on another disk there is a copy before the file is removed. */
async function sameFile({ ports }: Pipeline, move: MovedSource): Promise<boolean> {
  const [from, to] = await ports.files.stat([move.from, move.to]);
  if (from?.ok !== true || to?.ok !== true) return false;
  if (from.value.stamp === to.value.stamp) return true;
  if (from.value.sizeBytes !== to.value.sizeBytes) return false;
  const one = await ports.files.hash(move.from, 'b3');
  const other = await ports.files.hash(move.to, 'b3');
  return one.ok && other.ok && one.value === other.value;
}

/** Cancels a planned move; it may be planned again while its file is still the one that was sent. */
function giveUp(pipeline: Pipeline, move: MovedSource, code: ErrorCode): void {
  pipeline.ports.log.write('warn', 'source.notMoved', { path: move.from, code });
  pipeline.store.transaction(() => dropPlannedMove(pipeline.store, move.itemId));
}

/** Moves a file that was just found unchanged, or completes a move that a crash interrupted. Returns why the disk refused, or null. */
async function carryOut(pipeline: Pipeline, move: MovedSource): Promise<SluiceError | null> {
  const { files, clock, log } = pipeline.ports;
  const here = (await files.typeOf(move.from)) !== null;
  const there = (await files.typeOf(move.to)) !== null;
  const other = here && there && !(await sameFile(pipeline, move));
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
      // The next round looks at a file that changed, or whose name was taken.
      return done.error.code === 'item.changed' ? null : done.error;
    }
  }
  pipeline.store.transaction(() => finishMove(pipeline.store, move.itemId, 'moved', clock.now()));
  return null;
}

/** Completes what an earlier run had only planned; a file that has changed since stays where it is. */
async function resume(pipeline: Pipeline, move: MovedSource): Promise<SluiceError | null> {
  const { files } = pipeline.ports;
  const away = await missingDrive(pipeline, dirname(move.to));
  if (away !== null) return away;
  // What is left of a copy to another disk.
  await files.remove(ownPartPath(pipeline, move.to));
  const begun = (await files.typeOf(move.to)) !== null;
  const item = itemById(pipeline.store, move.itemId);
  if (begun || (item !== null && (await isUnchanged(pipeline, item))))
    return carryOut(pipeline, move);
  giveUp(pipeline, move, 'item.changed');
  return null;
}

/** Which directories hold something, as one round over a batch found them. */
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

/** Where the files of a batch go, and the last check before one is moved: whether the service still has what it confirmed. */
interface Way {
  readonly moveTo: string;
  readonly mayMove: () => Promise<Result<void>>;
}

/** Plans and carries out one move. Returns why the disk refused, or why it may not be moved, or null. */
async function moveOne(
  pipeline: Pipeline,
  { moveTo, mayMove }: Way,
  item: Item,
): Promise<SluiceError | null> {
  const { store, ports } = pipeline;
  const { path: from, id: itemId } = item;
  // The source's drive is remembered for the way back.
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

/** How a round over one batch ended. `later`: more of its files may come; `unplugged`: some cannot be seen now. */
type BatchEnd = 'done' | 'later' | 'unplugged' | 'stopped' | SluiceError;

/** Moves the files of a batch, and records when nothing is left that could ever be moved. */
async function moveBatch(pipeline: Pipeline, way: Way, batchRow: number): Promise<BatchEnd> {
  const { store } = pipeline;
  const held: Held = new Map();
  let unplugged = false;
  let busy: SluiceError | null = null;
  let after = 0;
  for (;;) {
    const items = itemsToMove(store, batchRow, after, AT_ONCE);
    for (const item of items) {
      if (pipeline.signal.aborted) return 'stopped';
      if ((await pipeline.ports.files.typeOf(item.path)) === null) {
        if (await isTakenAway(pipeline, item, held)) noteTakenAway(pipeline, item);
        else unplugged = true;
        continue;
      }
      const refused = await moveOne(pipeline, way, item);
      if (refused?.code === 'file.busy') busy = refused;
      else if (refused !== null) return refused;
    }
    const last = items.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (busy !== null) return busy;
  if (unplugged) return 'unplugged';
  return store.transaction(() => closeMoves(store, batchRow)) ? 'done' : 'later';
}

/** An unfinished batch is checked again after this many ms, or after this multiple of the time the check took, if longer. */
const AGAIN_MS = 1_000;
const AGAIN_SHARE = 20;
/** The same when a drive may be unplugged, and after the disk refused a move. */
const UNPLUGGED_AGAIN_MS = 600_000;
const REFUSED_AGAIN_MS = 10_000;
const ALLOWED = (): Promise<Result<void>> => Promise.resolve(ok(undefined));
/** What concerns one file or one batch, and keeps no others from being moved. */
const OF_ONE = new Set<ErrorCode>(['file.busy', 'batch.lacksFiles']);

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
  const subject = `moving:${watch.id}` as const;
  const wanted = { destinationId, needsJob: job !== null, needsFetch: downloadTo !== null };
  /** When to check each unfinished batch again, or everything (0). */
  const notBefore = new Map<number, number>();
  const countCheck = createCountCheck(pipeline);
  const isTime = (key: number): boolean => (notBefore.get(key) ?? 0) <= ports.clock.monotonicMs();
  const ALL = 0;
  const refused = (error: SluiceError): void => {
    notBefore.set(ALL, ports.clock.monotonicMs() + REFUSED_AGAIN_MS);
    const now = pipeline.time.now();
    const reason = waitReasonOf(error, now + REFUSED_AGAIN_MS);
    store.transaction(() => noteWait(store, connectionId, subject, reason, now));
  };
  const round = async (to: string): Promise<void> => {
    let refusal: SluiceError | null = null;
    for (const move of movesIn(store, destinationId, 'planned')) {
      if (pipeline.signal.aborted) return;
      const error = await resume(pipeline, move);
      if (error?.code === 'file.busy') refusal = error;
      else if (error !== null) return refused(error);
    }
    for (const batchRow of batchesToMove(store, wanted)) {
      if (!isTime(batchRow)) continue;
      const began = ports.clock.monotonicMs();
      const lacking = countCheck.known(batchRow);
      if (lacking !== null) {
        refusal = lacking;
        continue;
      }
      // After its job, a batch may be deleted.
      const mayMove = job === null ? countCheck.asking(batchRow) : ALLOWED;
      const end = await moveBatch(pipeline, { moveTo: to, mayMove }, batchRow);
      const now = ports.clock.monotonicMs();
      if (end === 'stopped' || pipeline.signal.aborted) return;
      if (typeof end !== 'string') {
        if (!OF_ONE.has(end.code)) return refused(end);
        refusal = end;
        continue;
      }
      const leastMs = end === 'unplugged' ? UNPLUGGED_AGAIN_MS : AGAIN_MS;
      if (end === 'done') notBefore.delete(batchRow);
      else notBefore.set(batchRow, now + Math.max(leastMs, (now - began) * AGAIN_SHARE));
    }
    if (refusal === null) clearWait(store, connectionId, subject);
    else refused(refusal);
  };
  return async (last = false) => {
    if (last) {
      notBefore.clear();
      countCheck.forget();
    }
    if (moveTo === null || pipeline.signal.aborted || !isTime(ALL)) return;
    await round(moveTo);
  };
}

/** Moves sources of a watch back to where they were. Returns how many came back and which could not. */
export async function undoMoves(
  pipeline: Pick<Pipeline, 'ports' | 'store' | 'drives'>,
  watch: Watch,
): Promise<{ readonly undone: number; readonly left: readonly MovedSource[] }> {
  const { store, ports } = pipeline;
  const left: MovedSource[] = [];
  let undone = 0;
  for (const move of movesIn(store, watch.destinationId, 'moved')) {
    const part = ownPartPath(pipeline, move.from);
    const foundAt = itemById(store, move.itemId)?.foundAt ?? null;
    const back =
      (await missingDrive(pipeline, dirname(move.from), foundAt)) === null &&
      (await ports.files.moveFile(move.to, move.from, part)).ok;
    if (!back) {
      left.push(move);
      continue;
    }
    store.transaction(() => finishMove(store, move.itemId, 'undone', ports.clock.now()));
    undone += 1;
  }
  return { undone, left };
}
