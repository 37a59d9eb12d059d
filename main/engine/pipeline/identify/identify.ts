/**
 * Step: identify. Candidates become items: what they are, whether their content is known, whether they may be sent. Files are read
 * outside of transactions; each group is written in one.
 */
import { addTogether } from '../../store/groupCounts.ts';
import { requeueDuplicates } from '../../store/tables/duplicates.ts';
import {
  addItem,
  type Identified,
  type Item,
  itemById,
  knownContent,
  newestByPath,
  reidentify,
  startsOver,
  updateStamp,
} from '../../store/tables/items.ts';
import { markSeen, replaceSeen } from '../../store/tables/seen.ts';
import { moveItem } from '../../store/transitions.ts';
import { type GroupContent, hashLookalikes, type Subject, withDuplicate } from './duplicates.ts';
import type { Identifying, IdentifyOptions } from './identifyOptions.ts';
import { inspectFiles } from './inspectFiles.ts';
import { haveSameTimes } from '../../core/unchanged.ts';
import { missingDrive } from '../drives.ts';
import { isSettled } from '../find/stability.ts';
import { decide, isUncompared, isWrittenSince, judge } from './judge.ts';
import type { Pipeline } from '../context.ts';
import type { FoundFile } from '../find/scan.ts';

/** Files that are read and written together: enough to hide what a transaction costs, few enough to start sending soon. Our choice. */
const GROUP = 256;

/** What an inspection found, and the ledger's item for the path at that time. */
interface Look {
  readonly found: FoundFile;
  readonly known: Item | null;
  /** null when the file is as the ledger says. */
  readonly judged: Identified | null;
  /** When it was found on its drive, epoch ms. */
  readonly foundAt: number;
}

/** The subject of an inspection: the existing item that takes over the result, or a new one. */
function subjectOf(found: FoundFile, known: Item | null, judged: Identified, now: number): Subject {
  const { path, relativePath } = found;
  if (known === null || decide(known, judged) !== 'rewrite')
    return { id: null, path, relativePath, foundAt: now, baseId: null };
  const { id, foundAt, baseId } = known;
  return startsOver(known)
    ? { id, path, relativePath, foundAt: now, baseId: null }
    : { id, path, relativePath, foundAt, baseId };
}

/** Writes the result of an inspection. Returns the path's current item and whether it has just been queued. */
function write(
  identifying: Identifying,
  look: Look & { readonly judged: Identified },
  content: GroupContent,
): { readonly id: number; readonly isNew: boolean } {
  const { pipeline, destinationId, chooseBase } = identifying;
  const { store, ports } = pipeline;
  const { judged } = look;
  const { path, relativePath } = look.found;
  const now = ports.clock.now();
  // Reading may take seconds: meanwhile the item may have changed state or been forgotten.
  const known = look.known === null ? null : itemById(store, look.known.id);
  const decision = decide(known, judged);
  const subject = subjectOf(look.found, known, judged, now);
  if (known !== null && (decision === 'keep' || decision === 'restamp')) {
    // An item that keeps its old stamp is compared again at the next look.
    const isKept = decision === 'keep' || isUncompared(known, judged);
    if (!isKept) updateStamp(store, known.id, judged.stamp);
    return { id: known.id, isNew: false };
  }
  const found = withDuplicate(identifying, judged, subject, content);
  if (known !== null && decision === 'rewrite') {
    reidentify(store, known, found, now);
    return { id: known.id, isNew: found.state === 'queued' };
  }
  // An item that is not ready gets its batch once it can be sent.
  const isReady = found.state === 'queued' && found.fingerprint !== null;
  const baseId = isReady ? (chooseBase?.(subject, 'take') ?? null) : null;
  const place = { destinationId, path, relativePath, baseId };
  const id = addItem(store, { ...place, foundAt: look.foundAt }, found, now);
  if (known !== null && decision === 'retire') {
    moveItem(store, known.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, known.id, id);
    requeueDuplicates(store, known.id, now);
  }
  return { id, isNew: true };
}

/** Writes the results of a group; called inside a transaction. */
function writeGroup(
  identifying: Identifying,
  looks: readonly Look[],
  hashes: ReadonlyMap<string, string>,
): void {
  if (identifying.isWanted?.() === false) return;
  const { store } = identifying.pipeline;
  const fingerprints = looks.flatMap(({ judged }) => judged?.fingerprint ?? []);
  const content = { hashes, known: knownContent(store, fingerprints) };
  const ids: number[] = [];
  let newest: number | null = null;
  const writeAll = (): void => {
    for (const look of looks) {
      const { judged, known } = look;
      if (judged === null) {
        if (known !== null) ids.push(known.id);
        continue;
      }
      const contentHash = judged.contentHash ?? hashes.get(look.found.path) ?? null;
      const hashed = { ...judged, contentHash };
      const { id, isNew } = write(identifying, { ...look, judged: hashed }, content);
      ids.push(id);
      if (isNew) newest = Math.max(newest ?? 0, id);
    }
  };
  // Only new items: nothing else may change while they are counted together.
  const addsOnly = looks.length > 1 && looks.every(({ known }) => known === null);
  if (addsOnly) addTogether(store, writeAll);
  else writeAll();
  markSeen(store, ids);
  if (newest !== null) identifying.added?.(newest);
  identifying.recorded?.(looks.map(({ found }) => found.path));
}

async function inspectGroup(
  { pipeline, destinationId, isWatched, began }: Identifying,
  group: readonly FoundFile[],
): Promise<readonly Look[]> {
  const { store, ports } = pipeline;
  const foundAt = ports.clock.now();
  const paths = group.map((found) => found.path);
  const knownItems = newestByPath(store, destinationId, paths, !isWatched);
  const facts = await ports.files.stat(paths.filter((path) => knownItems.has(path)));
  let position = 0;
  const retryAt = ports.clock.now() + pipeline.times.backoffFirstMs;
  const open: { found: FoundFile; known: Item | null }[] = [];
  const done: Look[] = [];
  for (const found of group) {
    const known = knownItems.get(found.path) ?? null;
    const look = known === null ? undefined : facts[position++];
    const isUnread = known?.state === 'queued' && known.fingerprint === null;
    if (known !== null && !isUnread && look?.ok && isSettled(known, look.value.stamp)) {
      done.push({ found, known, judged: null, foundAt });
    } else if (found.error === null) open.push({ found, known });
    else {
      const judged = judge({ ok: false, error: found.error }, retryAt);
      done.push({ found, known, judged, foundAt });
    }
  }
  const inspected = await inspectFiles(
    pipeline,
    open.map(({ found: { path } }) => ({ path, foundAt: began ?? null })),
  );
  const now = ports.clock.now();
  open.forEach(({ found, known }, index) => {
    const result = inspected[index];
    if (result === undefined) return;
    const isAway = !result.ok && result.error.code === 'disk.missing';
    const judged = judge(result, retryAt, isWatched ? now : null);
    done.push({ found, known, judged, foundAt: isAway ? (began ?? foundAt) : foundAt });
  });
  return Promise.all(done.map((one) => besideWaiting(pipeline, one)));
}

/**
 * If the known file waits for its drive to come back, and another drive is in its place, then what is found there is a new file of its own.
 */
async function besideWaiting(pipeline: Pipeline, one: Look): Promise<Look> {
  const { known, judged } = one;
  const isOther =
    known?.state === 'queued' &&
    typeof judged?.fingerprint === 'string' &&
    !haveSameTimes(judged, known);
  if (!isOther || (await missingDrive(pipeline, known.path, known.foundAt)) === null) return one;
  return { ...one, known: null };
}

/** Writes an inspected group into the ledger. After a stop, leaves it to the next check: the rule may have changed by then. */
async function takeGroup(identifying: Identifying, looked: readonly Look[]): Promise<void> {
  const { pipeline } = identifying;
  const now = pipeline.ports.clock.now();
  const candidates = looked.flatMap(({ found, known, judged }) => {
    if (judged === null) return [];
    const isOnlyTouched =
      known !== null && decide(known, judged) === 'restamp' && !isWrittenSince(known, judged);
    return isOnlyTouched ? [] : [{ subject: subjectOf(found, known, judged, now), judged }];
  });
  const hashes = await hashLookalikes(identifying, candidates);
  if (pipeline.signal.aborted) return;
  await pipeline.store.soon(() => writeGroup(identifying, looked, hashes));
  pipeline.changed('plan', 'identify');
}

function haveCommonPath(some: readonly FoundFile[], others: readonly FoundFile[]): boolean {
  const paths = new Set(some.map(({ path }) => path));
  return others.some(({ path }) => paths.has(path));
}

/**
 * Takes found files into the ledger and marks them as seen. Known, unchanged files cost one stat each. Each group is written after all of
 * it was inspected, while the next group is read; after a crash, a group that was not written is inspected again.
 */
export async function identifyGroups(
  pipeline: Pipeline,
  options: IdentifyOptions,
  groups: AsyncIterable<readonly FoundFile[]>,
): Promise<void> {
  const identifying = { ...options, pipeline };
  let writing: { readonly group: readonly FoundFile[]; readonly done: Promise<void> } | null = null;
  for await (const group of groups) {
    if (pipeline.signal.aborted) break;
    // What the ledger says about a path must include what is being written.
    if (writing !== null && haveCommonPath(writing.group, group)) await writing.done;
    const looked = await inspectGroup(identifying, group);
    await writing?.done;
    if (pipeline.signal.aborted) break;
    const done = takeGroup(identifying, looked);
    // This promise is awaited below; until then, its rejection must not count as unhandled.
    done.catch(() => undefined);
    writing = { group, done };
  }
  await writing?.done;
}

/** The files, split into groups that are read and written together. */
export async function* groupsOf(
  found: Iterable<readonly FoundFile[]> | AsyncIterable<readonly FoundFile[]>,
): AsyncGenerator<readonly FoundFile[]> {
  let group: FoundFile[] = [];
  for await (const some of found) {
    for (const one of some) {
      group.push(one);
      if (group.length < GROUP) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

export async function identify(
  pipeline: Pipeline,
  options: IdentifyOptions,
  found: readonly FoundFile[],
): Promise<void> {
  return identifyGroups(pipeline, options, groupsOf([found]));
}
