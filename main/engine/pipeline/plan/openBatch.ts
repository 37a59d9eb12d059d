/**
 * Decides which batch takes new items: the newest open generation, or a new one. A batch that others created is read before it gets any.
 */
import { fail, ok, type Result } from '../../core/errors.ts';
import { generationId } from '../../core/batchNames.ts';
import { extensionOf, kindOfExtension } from '../../files/media/mediaKind.ts';
import type { MediaKind, RemoteFile, ShardDetails } from '../../core/model.ts';
import {
  addBatch,
  adoptBatch,
  type Batch,
  type BatchMode,
  markShared,
  newestGeneration,
  nextGeneration,
} from '../../store/tables/batches.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import {
  abandonedShards,
  type BatchFigures,
  holdsMore,
  readFigures,
  readOthers,
  readPresence,
} from '../presence/inventory.ts';
import { altersContent } from '../presence/alteredContent.ts';
import { noteStatedEnd } from '../presence/batchEnd.ts';
import { createRepeats } from '../presence/repeats.ts';
import type { Pipeline } from '../context.ts';
import { atMost, isFilling, isNew, type ListedBatches, notYet } from './awaitOthers.ts';
import type { Target } from './target.ts';

export interface BatchRequest {
  readonly baseId: string;
  readonly kind: MediaKind;
  readonly mode: BatchMode;
  /** True when the user demanded this mode; false when it was chosen for them. */
  readonly modeDemanded: boolean;
}

/** A batch that is looked for or created. */
interface Opening {
  readonly pipeline: Pipeline;
  readonly target: Target;
  readonly wanted: BatchRequest;
  readonly listed: ListedBatches;
}

function conflict(batchId: string, holds: string, wanted: string): Result<Batch> {
  return fail('batch.conflict', { batch: batchId, holds, wanted });
}

/** Kind and mode of a batch that exists on the service, as far as the service states them. */
async function readForeign(
  { pipeline, wanted }: Opening,
  batchId: string,
): Promise<Result<{ kind: MediaKind; mode: BatchMode }>> {
  const metadata = await pipeline.client.batchMetadata(batchId, pipeline.signal);
  if (!metadata.ok) return metadata;
  if (metadata.value !== null) {
    const { type, contentType } = metadata.value;
    if (type === 'multipart-batch') return fail('batch.conflict', { batch: batchId, holds: type });
    const kind = contentType === 'videos' ? 'video' : 'image';
    return ok({ kind, mode: type === 'sharded-batch' ? 'bulk' : 'single' });
  }
  const shards = await pipeline.client.askShards(batchId, pipeline.signal);
  if (!shards.ok) return shards;
  if ((shards.value ?? []).length > 0) return ok({ kind: 'image', mode: 'bulk' });
  const files = await pipeline.client.askFilesPage(batchId, null, null, pipeline.signal);
  if (!files.ok) return files;
  const items = files.value?.items ?? [];
  const kind = kindOfNames(items) ?? wanted.kind;
  // A batch that has files, but never had a shard, takes single files only.
  const hasNoShards = shards.value !== null && items.every(({ shardId }) => shardId === null);
  const isSingle = kind === 'video' || (items.length > 0 && hasNoShards);
  return ok({ kind, mode: isSingle ? 'single' : wanted.mode });
}

/** What a batch holds, judged by its file names; null when they are inconclusive. */
function kindOfNames(files: readonly RemoteFile[]): MediaKind | null {
  const kinds = new Set(files.map(({ fileName }) => kindOfExtension(extensionOf(fileName))));
  const [only] = kinds;
  return kinds.size === 1 ? (only ?? null) : null;
}

/**
 * True for a batch that is empty and has nothing in progress. If the service does not know it, two readings must agree: one
 * odd answer must not make a full batch look like a new one.
 */
async function isUntouched(opening: Opening, batchId: string): Promise<Result<boolean>> {
  const { pipeline, listed } = opening;
  const askedAt = pipeline.time.service();
  const first = await readPresence(pipeline, batchId);
  if (!first.ok) return first;
  const { files, isEmpty, isKnown } = first.value;
  listed.shown.set(batchId, files);
  if (!isEmpty) return ok(false);
  if (isKnown) {
    return (await isNew(pipeline, batchId, listed, askedAt))
      ? notYet(
          batchId,
          `was created just now: Sluice waits for files to be listed in it, ${atMost(pipeline.times.unmeasuredLagMs)}`,
        )
      : ok(true);
  }
  const second = await readPresence(pipeline, batchId);
  return second.ok ? ok(second.value.isEmpty) : second;
}

/**
 * How many files that this ledger did not send the list of a batch must show before it is trusted: if the list is late, a lost ledger's
 * files would be sent again.
 */
function expectedOf(
  { store, time, times }: Pipeline,
  batch: Batch,
  { count, shards }: BatchFigures,
): number {
  const { sending, sent, unknown, confirmed } = tallyBatch(store, batch.id);
  const known = count - sending - sent - unknown;
  // The count may be late, too.
  const done = shards.filter(({ status }) => status === 'succeeded');
  const isLate = ({ eventAt }: ShardDetails): boolean =>
    eventAt === 0 ? known <= 0 : time.service() - eventAt < times.unmeasuredLagMs;
  if (sending + sent + unknown + confirmed > 0 || !done.some(isLate)) return Math.max(0, known);
  return Math.max(
    known,
    done.reduce((sum, { objectsCount }) => sum + (objectsCount ?? 1), 0),
  );
}

/**
 * Reads other computers' names. Fails with `notYet` while more of their files are arriving, or while the list shows fewer files than were
 * counted at first: a ledger that was lost may have sent those that it does not show yet. The wait is limited, because a list may never
 * show them.
 */
async function listNames({ pipeline, listed }: Opening, batch: Batch): Promise<Result<void>> {
  const { seen, takingIn, expected } = listed;
  const { times } = pipeline;
  const figures = await readFigures(pipeline, batch, seen);
  if (!figures.ok) return figures;
  const { indexing, shards } = figures.value;
  const now = pipeline.ports.clock.monotonicMs();
  const since = takingIn.get(batch.id) ?? now;
  takingIn.set(batch.id, since);
  // After that time, archives that still count were begun after the first look: no ledger that was lost can have sent them.
  const mayWait = now - since < times.orphanShardMs;
  if (mayWait && indexing > abandonedShards(pipeline, batch, shards, seen)) {
    const why = `is taking in another archive: Sluice waits for that, ${atMost(times.orphanShardMs)}`;
    return notYet(batch.batchId, why);
  }
  const first = expected.get(batch.id) ?? {
    files: Math.max(
      listed.shown.get(batch.batchId) ?? 0,
      expectedOf(pipeline, batch, figures.value),
    ),
    count: figures.value.count,
    since: now,
    objects: [],
  };
  const repeats = createRepeats(first.objects);
  const others = await readOthers(pipeline, batch, repeats);
  expected.set(batch.id, { ...first, objects: repeats.union() ?? first.objects });
  if (!others.ok) return others;
  const { names } = others.value;
  if (isFilling(pipeline, batch.batchId, listed))
    return notYet(batch.batchId, 'was created just now, and more may be listed soon');
  // A list that repeats files leaves out others, perhaps some that are not on their way.
  const least = repeats.union() === null ? first.files : Math.max(first.files, first.count);
  if (names >= least || now - first.since >= times.unmeasuredLagMs) return ok(undefined);
  const why = `lists ${names} of at least ${least} files; Sluice may have sent the others before, and waits for them ${atMost(times.unmeasuredLagMs)}`;
  return notYet(batch.batchId, why);
}

async function makeBatch(opening: Opening): Promise<Result<Batch>> {
  const { pipeline, target, wanted } = opening;
  const { store, connectionId, ports } = pipeline;
  const generation = nextGeneration(store, connectionId, wanted.baseId);
  const batchId = generationId(wanted.baseId, generation);
  const untouched = await isUntouched(opening, batchId);
  if (!untouched.ok) return untouched;
  let { kind, mode } = wanted;
  // Where content proves nothing, only a unique name distinguishes our files from another computer's.
  const hasPlainNames = target.hasHostInId || !altersContent(pipeline, { kind });
  const isExclusive = untouched.value && !target.isShared && hasPlainNames;
  if (!untouched.value) {
    const foreign = await readForeign(opening, batchId);
    if (!foreign.ok) return foreign;
    ({ kind, mode } = foreign.value);
  }
  const { displayName, hasHostInId, watchId } = target;
  const { baseId } = wanted;
  const made = {
    connectionId,
    baseId,
    generation,
    batchId,
    displayName,
    kind,
    mode,
    isExclusive,
    hasHostInId,
  };
  const batch = await store.soon(() => addBatch(store, made, watchId, ports.clock.now()));
  ports.log.write('info', 'batch.opened', { batch: batchId, kind, mode, isExclusive });
  // A batch that already existed may expire sooner than one that starts now.
  if (!untouched.value) await noteStatedEnd(pipeline, batch);
  return ok(batch);
}

/** Before anything is sent to a batch, reads what others put into it. Once per run, and once more if others turn out to fill it, too. */
async function lookInto(opening: Opening, batch: Batch): Promise<Result<Batch>> {
  const { pipeline, listed } = opening;
  const { store } = pipeline;
  let present = batch;
  if (batch.isExclusive) {
    const figures = await readFigures(pipeline, batch, listed.seen);
    if (!figures.ok) return figures;
    if (holdsMore(pipeline, batch, figures.value, tallyBatch(store, batch.id)))
      present = await store.soon(() => markShared(store, batch));
  }
  if (!present.isExclusive) {
    const names = await listNames(opening, present);
    if (!names.ok) return names;
  }
  listed.done.set(present.id, present.isExclusive);
  return ok(present);
}

/**
 * Finds or creates the batch that takes items of a kind. Errors: batch.conflict when the batch holds another kind or is filled in another
 * mode, and those of reading. No request is made for a batch that was already checked in this run, unless others have turned out to fill it
 * since then.
 */
export async function openBatch(
  pipeline: Pipeline,
  target: Target,
  wanted: BatchRequest,
  listed: ListedBatches,
): Promise<Result<Batch>> {
  const opening = { pipeline, target, wanted, listed };
  const newest = newestGeneration(pipeline.store, pipeline.connectionId, wanted.baseId);
  let batch = newest?.state === 'open' ? newest : null;
  if (batch === null) {
    const made = await makeBatch(opening);
    if (!made.ok) return made;
    pipeline.reached('ask');
    batch = made.value;
    if (batch.isExclusive) listed.done.set(batch.id, true);
  }
  if (batch.kind !== wanted.kind) {
    return conflict(batch.batchId, `${batch.kind}s`, `${wanted.kind}s`);
  }
  if (wanted.modeDemanded && batch.mode !== wanted.mode) {
    return conflict(batch.batchId, batch.mode, wanted.mode);
  }
  if (target.watchId !== null) adoptBatch(pipeline.store, batch.id, target.watchId);
  if (listed.done.get(batch.id) === batch.isExclusive) return ok(batch);
  const known = await lookInto(opening, batch);
  if (known.ok) pipeline.reached('ask');
  return known;
}
