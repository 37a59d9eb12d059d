/**
 * Step: identify. Candidates become items: what they are, whether their content is known already, whether they may go.
 * Reading happens outside the ledger; what was learned is written in one transaction per group.
 */
import type { Result } from '../../core/errors.ts';
import { FILE_BUSY_MAX_MS, TRUNCATED_GRACE_MS } from '../../core/limits.ts';
import { shortageOf } from '../../core/errno.ts';
import type { Inspection, Stamp } from '../../core/model.ts';
import { requeueDuplicates } from '../../store/tables/duplicates.ts';
import {
  addItem,
  countReread,
  type Identified,
  type Item,
  itemById,
  itemsToIdentify,
  newestByPath,
  reidentify,
  startsOver,
  updateStamp,
} from '../../store/tables/items.ts';
import { markSeen, replaceSeen } from '../../store/tables/seen.ts';
import { moveItem } from '../../store/transitions.ts';
import { isWatched } from '../../store/tables/watches.ts';
import { backoffMs } from '../backoff.ts';
import { hashLookalikes, type Subject, withDuplicate } from './duplicates.ts';
import type { BaseChooser, IdentifyOptions } from './identifyOptions.ts';
import { inspectFiles } from './inspectFiles.ts';
import { isSettled } from '../find/stability.ts';
import { decide, giveUpReason, judge, unread } from './judge.ts';
import type { Pipeline } from '../context.ts';
import type { FoundFile } from '../find/scan.ts';

const GROUP = 256;
/** While this process may open no more files, the pause is that of this many tries: 4 s at most. Ours. */
const SHORTAGE_STEPS = 3;

/** What a look found, and the ledger's item of the path at that moment. */
interface Look {
  readonly found: FoundFile;
  readonly known: Item | null;
  /** null: it is as the ledger says. */
  readonly judged: Identified | null;
}

/** What a look is about: the item that goes on with what was found, or a new one. */
function subjectOf(found: FoundFile, known: Item | null, judged: Identified, now: number): Subject {
  const { path, relativePath } = found;
  if (known === null || decide(known, judged) !== 'rewrite')
    return { id: null, path, relativePath, foundAt: now, baseId: null };
  const { id, foundAt, baseId } = known;
  return startsOver(known)
    ? { id, path, relativePath, foundAt: now, baseId: null }
    : { id, path, relativePath, foundAt, baseId };
}

/** Writes what a look found; answers the item of the path from now on, and whether it was queued just now. */
function write(
  pipeline: Pipeline,
  options: IdentifyOptions,
  look: Look & { readonly judged: Identified },
  hashes: ReadonlyMap<string, string>,
): { readonly id: number; readonly isNew: boolean } {
  const { store, ports } = pipeline;
  const { judged } = look;
  const { path, relativePath } = look.found;
  const now = ports.clock.now();
  // Reading may take seconds: its item may have moved on since, or have been forgotten.
  const known = look.known === null ? null : itemById(store, look.known.id);
  const decision = decide(known, judged);
  const subject = subjectOf(look.found, known, judged, now);
  if (known !== null) {
    if (decision === 'keep') return { id: known.id, isNew: false };
    if (decision === 'restamp') {
      updateStamp(store, known.id, judged.stamp);
      return { id: known.id, isNew: false };
    }
    if (decision === 'rewrite') {
      const found = withDuplicate(pipeline, options, judged, subject, hashes);
      reidentify(store, known, found, now);
      return { id: known.id, isNew: found.state === 'queued' };
    }
  }
  const found = withDuplicate(pipeline, options, judged, subject, hashes);
  // What is left out, or must be read again, gets its batch once it can go.
  const isReady = found.state === 'queued' && found.fingerprint !== null;
  const baseId = isReady ? (options.chooseBase?.(subject, 'take') ?? null) : null;
  const place = { destinationId: options.destinationId, path, relativePath, baseId };
  const id = addItem(store, place, found, now);
  if (known !== null && decision === 'retire') {
    moveItem(store, known.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, known.id, id);
    requeueDuplicates(store, known.id, now);
  }
  return { id, isNew: true };
}

/** Writes a group of looks; called inside a transaction. */
function writeGroup(
  pipeline: Pipeline,
  options: IdentifyOptions,
  looks: readonly Look[],
  hashes: ReadonlyMap<string, string>,
): void {
  if (options.isWanted?.() === false) return;
  const ids: number[] = [];
  let newest: number | null = null;
  for (const look of looks) {
    const { judged, known } = look;
    if (judged === null) {
      if (known !== null) ids.push(known.id);
      continue;
    }
    const { id, isNew } = write(pipeline, options, { ...look, judged }, hashes);
    ids.push(id);
    if (isNew) newest = Math.max(newest ?? 0, id);
  }
  markSeen(pipeline.store, ids);
  if (newest !== null) options.added?.(newest);
}

async function inspectGroup(
  pipeline: Pipeline,
  options: IdentifyOptions,
  group: readonly FoundFile[],
): Promise<readonly Look[]> {
  const { store, ports } = pipeline;
  const paths = group.map((found) => found.path);
  const knownItems = newestByPath(store, options.destinationId, paths, options.ignoreExpired);
  const facts = await ports.files.stat(paths.filter((path) => knownItems.has(path)));
  let position = 0;
  const retryAt = ports.clock.now() + pipeline.times.backoffFirstMs;
  const open: { found: FoundFile; known: Item | null }[] = [];
  const done: Look[] = [];
  for (const found of group) {
    const known = knownItems.get(found.path) ?? null;
    const look = known === null ? undefined : facts[position++];
    if (known !== null && look?.ok && isSettled(known, look.value.stamp)) {
      done.push({ found, known, judged: null });
    } else if (found.error === null) open.push({ found, known });
    else {
      done.push({ found, known, judged: judge({ ok: false, error: found.error }, retryAt) });
    }
  }
  const inspected = await inspectFiles(
    pipeline,
    open.map(({ found }) => found.path),
  );
  const now = ports.clock.now();
  const grace = { now, graceMs: options.truncatedGraceMs };
  open.forEach(({ found, known }, index) => {
    const result = inspected[index];
    if (result !== undefined) done.push({ found, known, judged: judge(result, retryAt, grace) });
  });
  return done;
}

/**
 * Takes found files into the ledger and marks them as seen. Files known and untouched cost one look each. Nothing is
 * written before a group is wholly inspected; a crash repeats the group.
 */
export async function identify(
  pipeline: Pipeline,
  options: IdentifyOptions,
  found: readonly FoundFile[],
): Promise<void> {
  for (let from = 0; from < found.length && !pipeline.signal.aborted; from += GROUP) {
    const looked = await inspectGroup(pipeline, options, found.slice(from, from + GROUP));
    const now = pipeline.ports.clock.now();
    const candidates = looked.flatMap(({ found: one, known, judged }) =>
      judged === null ? [] : [{ subject: subjectOf(one, known, judged, now), judged }],
    );
    const hashes = await hashLookalikes(pipeline, options, candidates);
    // What was stopped since is left to the next check: its rule may have changed by then.
    if (pipeline.signal.aborted) return;
    await pipeline.store.soon(() => writeGroup(pipeline, options, looked, hashes));
    pipeline.changed('plan', 'identify');
  }
}

/** The rule by which a destination chooses batches; null: all its items go to one. */
export type ChooserOf = (destinationId: number) => BaseChooser | null;

/** How items of a destination are looked at again: as its watch would, or as an explicit upload does. */
function intakeAgain(
  pipeline: Pipeline,
  destinationId: number,
  chooserOf: ChooserOf,
): IdentifyOptions {
  const watched = isWatched(pipeline.store, destinationId);
  const truncatedGraceMs = watched ? TRUNCATED_GRACE_MS : 0;
  const chooseBase = chooserOf(destinationId);
  return {
    destinationId,
    ignoreExpired: !watched,
    truncatedGraceMs,
    ...(chooseBase !== null && { chooseBase }),
  };
}

/** What a repeated look makes of an item: as judge says, or given up after too many looks in a row. */
function judgeAgain(
  pipeline: Pipeline,
  item: Item,
  { result, stamp }: Reread,
  graceMs: number,
): Identified {
  const { store, ports, times } = pipeline;
  const now = ports.clock.now();
  const isRepeated = !result.ok && result.error.next === 'retry';
  const isShort = isRepeated && shortageOf(result.error) !== null;
  const rereads = isRepeated && !isShort ? countReread(store, item) : item.rereads;
  const most = isRepeated && result.error.code === 'file.busy' ? FILE_BUSY_MAX_MS : Infinity;
  // Of a shortage nothing is counted: the pause is the same each time.
  const steps = isShort ? SHORTAGE_STEPS : Math.max(item.tries, rereads) + 1;
  const pause = backoffMs(steps, ports.random.fraction(), times);
  const reason = isRepeated ? giveUpReason(result.error, rereads) : null;
  if (reason !== null) return unread('parked', reason, 0, stamp);
  return judge(result, now + Math.min(most, pause), { now, graceMs });
}

/** A repeated look: what it found, and the file's stamp where its content could not be read. */
interface Reread {
  readonly result: Result<Inspection>;
  readonly stamp: Stamp | null;
}

function rewrite(
  pipeline: Pipeline,
  options: IdentifyOptions,
  item: Item,
  reread: Reread,
  hashes: ReadonlyMap<string, string>,
): void {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  const current = itemById(store, item.id);
  if (current === null || current.state !== 'queued' || current.fingerprint !== null) return;
  const judged = judgeAgain(pipeline, current, reread, options.truncatedGraceMs);
  const newest = newestByPath(store, item.destinationId, [item.path], false).get(item.path);
  if (newest !== undefined && newest.id !== item.id) {
    // The scan met the new content first; this row only remembers the old.
    moveItem(store, item.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, item.id, newest.id);
  } else {
    reidentify(store, current, withDuplicate(pipeline, options, judged, item, hashes), now);
  }
  requeueDuplicates(store, item.id, now);
}

/** Reads files again. For those that changed while they were read, the stamp is taken: it shows when they change again. */
async function readAgain(pipeline: Pipeline, paths: readonly string[]): Promise<readonly Reread[]> {
  const { files } = pipeline.ports;
  const results = await inspectFiles(pipeline, paths);
  const changed = paths.filter((_, index) => {
    const result = results[index];
    return result?.ok === false && result.error.code === 'item.changed';
  });
  const looks = changed.length === 0 ? [] : await files.stat(changed);
  const stamps = new Map(
    changed.map((path, index) => {
      const look = looks[index];
      return [path, look?.ok === true ? look.value.stamp : null] as const;
    }),
  );
  return results.map((result, index) => ({
    result,
    stamp: stamps.get(paths[index] ?? '') ?? null,
  }));
}

/** Looks again at items whose file read differently than expected. True when there were any. */
export async function identifyAgain(pipeline: Pipeline, chooserOf: ChooserOf): Promise<boolean> {
  const due = itemsToIdentify(pipeline.store, pipeline.ports.clock.now(), GROUP);
  const first = due[0];
  if (first === undefined) return false;
  const items = due.filter((item) => item.destinationId === first.destinationId);
  const rereads = await readAgain(
    pipeline,
    items.map((item) => item.path),
  );
  const options = intakeAgain(pipeline, first.destinationId, chooserOf);
  const now = pipeline.ports.clock.now();
  const grace = { now, graceMs: options.truncatedGraceMs };
  const candidates = items.flatMap((item, index) => {
    const reread = rereads[index];
    return reread === undefined ? [] : [{ subject: item, judged: judge(reread.result, 0, grace) }];
  });
  const hashes = await hashLookalikes(pipeline, options, candidates);
  await pipeline.store.soon(() => {
    items.forEach((item, index) => {
      const reread = rereads[index];
      if (reread !== undefined) rewrite(pipeline, options, item, reread, hashes);
    });
  });
  pipeline.changed('plan', 'identify');
  return true;
}
