/**
 * What the service shows of a batch: its count, its shards, and the names that it lists. A 404 means an empty batch only if nothing was
 * listed or accepted recently (the first file creates a batch), or if the batch has expired. A list is complete when it is as long as the
 * count.
 */
import { fail, ok, type Result, sluiceError } from '../../core/errors.ts';
import { ODD_BATCH_MS, UNTIMED_ORPHAN_FRACTION } from '../../core/limits.ts';
import type { ItemState, RemoteFile, ShardDetails } from '../../core/model.ts';
import { eachPage } from '../../service/api/paging.ts';
import { type Batch, setExpiry } from '../../store/tables/batches.ts';
import { waitingSince } from '../../store/tables/waits.ts';
import { noteOrClear } from '../waitNotes.ts';
import { lostFiles } from '../../store/queue/lost.ts';
import {
  itemsNamed,
  type ListedItem,
  registrationsIn,
  unansweredRegistrations,
} from '../../store/queue/awaited.ts';
import { type BatchTally, mustBeKnown } from '../../store/queue/confirmation.ts';
import type { Pipeline } from '../context.ts';
import { inOwnSpelling, keysOfListed } from './ownSpelling.ts';
import { createRepeats, type Repeats } from './repeats.ts';

export interface BatchFigures {
  readonly count: number;
  readonly shards: readonly ShardDetails[];
  /** Number of shards still being indexed, except those that take too long. */
  readonly indexing: number;
}

/** When each shard was first seen being indexed, in engine time: services may state no times. */
export type ShardFirstSeen = Map<string, number>;

/**
 * Returns `empty` if the service may not know the batch. Error: batch.gone if it must know it. A batch that stays unknown may have
 * expired earlier than expected, because another computer created it.
 */
async function absence<T>(pipeline: Pipeline, batch: Batch, empty: T): Promise<Result<T>> {
  const { store, connectionId, time } = pipeline;
  const takenSince = time.now() - pipeline.times.sentPatienceMs;
  if (batch.state === 'expired' || !mustBeKnown(store, batch.id, takenSince)) return ok(empty);
  const gone = sluiceError('batch.gone', { reason: batch.batchId });
  const subject = `unknown:${batch.batchId}` as const;
  await store.soon(() => {
    noteOrClear(pipeline, subject, gone);
    const since = waitingSince(store, connectionId, subject) ?? time.now();
    if (time.now() - since >= ODD_BATCH_MS) setExpiry(store, batch.id, time.service());
  });
  return { ok: false, error: gone };
}

/** True for a shard that may still add names. A registration whose answer was lost leaves a shard that never ends. */
function isIndexing(pipeline: Pipeline, shard: ShardDetails, seen: ShardFirstSeen): boolean {
  if (shard.status !== 'running') return false;
  const now = pipeline.time.now();
  const since = seen.get(shard.shardId) ?? now;
  seen.set(shard.shardId, since);
  const stated = shard.eventAt === 0 || !pipeline.time.knowsService() ? null : shard.eventAt;
  const { orphanShardMs } = pipeline.times;
  if (stated === null) return now - since < orphanShardMs * UNTIMED_ORPHAN_FRACTION;
  return Math.max(now - since, pipeline.time.service() - stated) < orphanShardMs;
}

/** Number of shards in a batch that are or may be ours: any beyond that belong to others, or to registrations whose answers were lost. */
export function ownShards({ store, registering }: Pipeline, batch: Batch): number {
  return registrationsIn(store, batch.id) + (registering.get(batch.id) ?? 0);
}

/**
 * How exactly a registration without an answer must agree with the time that the service states of a shard, and how old that shard must be:
 * another computer would have filled it by then. In ms. Our choice.
 */
const ABANDONED = { withinMs: 5_000, afterMs: 60_000 };

/**
 * Number of shards that count as being indexed, but come from registrations of ours that were never answered, for example because the
 * program was interrupted: they never get a body. There must be more shards than ours, and nothing must have happened to them since the
 * moment at which we asked for them. Otherwise they may be another computer's.
 */
export function abandonedShards(
  pipeline: Pipeline,
  batch: Batch,
  shards: readonly ShardDetails[],
  seen: ShardFirstSeen,
): number {
  const { store, time } = pipeline;
  const began = unansweredRegistrations(store, batch.id);
  const isAlike = (shard: ShardDetails): boolean =>
    isIndexing(pipeline, shard, seen) &&
    time.service() - shard.eventAt >= ABANDONED.afterMs &&
    began.some((at) => Math.abs(shard.eventAt - at) <= ABANDONED.withinMs);
  const more = shards.length - ownShards(pipeline, batch);
  return Math.max(0, Math.min(began.length, shards.filter(isAlike).length, more));
}

/**
 * Reads once how many files a batch has at least, whether it is empty, and whether the service knows it. An odd or late answer can mislead,
 * so callers must make two readings agree.
 */
export async function readPresence(
  { client, signal }: Pipeline,
  batchId: string,
): Promise<
  Result<{ readonly files: number; readonly isEmpty: boolean; readonly isKnown: boolean }>
> {
  const [count, shards, files] = await Promise.all([
    client.askCount(batchId, null, signal),
    client.askShards(batchId, signal),
    client.askFilesPage(batchId, null, null, signal),
  ]);
  if (!count.ok) return count;
  if (!shards.ok) return shards;
  if (!files.ok) return files;
  const shown = Math.max(count.value ?? 0, files.value?.items.length ?? 0);
  const isEmpty = shown === 0 && (shards.value ?? []).length === 0;
  const isKnown = count.value !== null && shards.value !== null && files.value !== null;
  return ok({ files: shown, isEmpty, isKnown });
}

/** How many files a batch holds in addition to our files that it has, or may just have received. */
export function surplusOf(
  { count }: Pick<BatchFigures, 'count'>,
  { sending, sent, unknown, confirmed }: BatchTally,
): number {
  return Math.max(0, count - sending - sent - unknown - confirmed);
}

/**
 * True when a batch holds more than this ledger put there, even if lost files arrived after all: others fill it, or a newer copy of this
 * ledger was lost.
 */
export function holdsMore(
  pipeline: Pipeline,
  batch: Batch,
  figures: Pick<BatchFigures, 'count' | 'shards'>,
  tally: BatchTally,
): boolean {
  const surplus = surplusOf(figures, tally);
  if (surplus > 0 && surplus > lostFiles(pipeline.store, batch.id)) return true;
  return figures.shards.length > ownShards(pipeline, batch);
}

/** The service knows the batch: clears the wait. */
async function noteKnown(pipeline: Pipeline, batch: Batch): Promise<void> {
  const { store, connectionId } = pipeline;
  const subject = `unknown:${batch.batchId}` as const;
  if (waitingSince(store, connectionId, subject) === null) return;
  await store.soon(() => noteOrClear(pipeline, subject, null));
}

/** Reads the count and the shards of a batch; a batch of single images has no shards. */
export async function readFigures(
  pipeline: Pipeline,
  batch: Batch,
  seen: ShardFirstSeen,
): Promise<Result<BatchFigures>> {
  const { client, signal } = pipeline;
  const [count, shards] = await Promise.all([
    client.askCount(batch.batchId, null, signal),
    batch.mode === 'single' ? ok([]) : client.askShards(batch.batchId, signal),
  ]);
  if (!count.ok) return count;
  if (!shards.ok) return shards;
  if (count.value !== null && shards.value !== null) await noteKnown(pipeline, batch);
  else {
    const absent = await absence(pipeline, batch, null);
    if (!absent.ok) return absent;
  }
  const listed = shards.value ?? [];
  const indexing = listed.filter((shard) => isIndexing(pipeline, shard, seen)).length;
  return ok({ count: count.value ?? 0, shards: listed, indexing });
}

/**
 * Reads the whole list of a batch, page by page. Returns how many names it has; if it repeats some, how many different ones were shown by it
 * and by the readings that `repeats` knows. Errors as eachPage.
 */
export async function readNames(
  pipeline: Pipeline,
  batch: Batch,
  onPage: (files: readonly RemoteFile[]) => Promise<void>,
  repeats: Repeats = createRepeats(),
): Promise<Result<number>> {
  const { client, signal, store } = pipeline;
  let names = 0;
  const read = await eachPage<RemoteFile>(
    async (token) => {
      const asked = await client.askFilesPage(batch.batchId, null, token, signal);
      if (!asked.ok) return asked;
      if (asked.value !== null) return ok(asked.value);
      return names === 0
        ? absence(pipeline, batch, { items: [], nextPageToken: null })
        : fail('service.unexpectedAnswer', { reason: 'its list breaks off' });
    },
    ({ fileName, shardId }) => `${fileName}\n${shardId ?? ''}`,
    async (items) => {
      names += items.length;
      repeats.add(items);
      if (items.length > 0) await onPage(inOwnSpelling(store, batch.id, items));
    },
  );
  return read.ok ? ok(repeats.union()?.length ?? names) : read;
}

/** A file in one of these states has not arrived yet, as far as this ledger knows. */
const UNSENT: readonly ItemState[] = ['queued', 'planned', 'sending'];

/** True for a name that is not ours, and for a name that is only planned for a file of ours whose body is not known to have left. */
function isOfOthers(item: ListedItem | undefined): boolean {
  return (
    item === undefined || (['planned', 'sending'].includes(item.state) && item.lastByteAt === null)
  );
}

/**
 * Reads the names of others in a batch, so that nothing is sent that is already there. Listed names that are only planned for our files
 * count as others': if the ledger is an older copy, it does not know that they were sent. Returns how many names are listed, and whether
 * any is another's.
 */
export async function readOthers(
  pipeline: Pipeline,
  batch: Batch,
  repeats?: Repeats,
): Promise<Result<{ names: number; found: boolean }>> {
  let found = false;
  const onPage = (files: readonly RemoteFile[]): Promise<void> => {
    const listed = files.map(({ fileName }) => keysOfListed(fileName));
    const ours = new Map(itemsNamed(pipeline.store, batch.id, listed.flat()));
    for (const keys of listed) {
      found ||= keys.every((key) => isOfOthers(ours.get(key)));
      for (const key of keys) {
        const state = ours.get(key)?.state;
        if (state === undefined || UNSENT.includes(state)) pipeline.foreign.add(batch.id, key);
      }
    }
    return Promise.resolve();
  };
  const names = await readNames(pipeline, batch, onPage, repeats);
  return names.ok ? ok({ names: names.value, found }) : names;
}
