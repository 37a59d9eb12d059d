/**
 * Which batch takes new items: the newest open generation, or a new one. A batch that this ledger did not make is read
 * before anything is sent to it.
 */
import type { Result } from '../../../preload/errorCodes.ts';
import { generationId } from '../batchNames.ts';
import { fail, ok } from '../errors.ts';
import { nameKey } from '../files/safeNames.ts';
import type { MediaKind } from '../model.ts';
import {
  addBatch,
  type Batch,
  batchByServiceId,
  type BatchMode,
  newestGeneration,
  noteRemoteFiles,
  shareBatch,
} from '../store/batches.ts';
import { tallyBatch } from '../store/confirmation.ts';
import type { Line } from './line.ts';
import type { Target } from './target.ts';

/** What is to go into the batch. */
export interface Wanted {
  readonly baseId: string;
  readonly kind: MediaKind;
  readonly mode: BatchMode;
  /** True when the user demanded this mode, or false when it was chosen for them. */
  readonly modeDemanded: boolean;
}

function conflict(batchId: string, holds: string, wanted: string): Result<Batch> {
  return fail('batch.conflict', { batch: batchId, holds, wanted });
}

/** What a batch that exists at the service is, as far as the service tells. */
async function readForeign(
  line: Line,
  batchId: string,
  wanted: Wanted,
): Promise<Result<{ kind: MediaKind; mode: BatchMode }>> {
  const metadata = await line.client.batchMetadata(batchId, line.signal);
  if (!metadata.ok) return metadata;
  if (metadata.value !== null) {
    const { type, contentType } = metadata.value;
    if (type === 'multipart-batch') return fail('batch.conflict', { batch: batchId, holds: type });
    const kind = contentType === 'videos' ? 'video' : 'image';
    return ok({ kind, mode: type === 'sharded-batch' ? 'bulk' : 'single' });
  }
  const shards = await line.client.batchShards(batchId, line.signal);
  if (!shards.ok) return shards;
  return ok({ kind: wanted.kind, mode: shards.value.length > 0 ? 'bulk' : wanted.mode });
}

/** True for a batch in which nothing stands and nothing is on its way: whatever comes there is ours. */
async function isUntouched(line: Line, batchId: string): Promise<Result<boolean>> {
  const [count, shards] = await Promise.all([
    line.client.batchCount(batchId, null, line.signal),
    line.client.batchShards(batchId, line.signal),
  ]);
  if (!count.ok) return count;
  return shards.ok ? ok(count.value === 0 && shards.value.length === 0) : shards;
}

/** True when a batch holds more than this ledger sent: somebody else fills it too, or a later ledger was lost. */
async function holdsMore(line: Line, batch: Batch): Promise<Result<boolean>> {
  const count = await line.client.batchCount(batch.batchId, null, line.signal);
  if (!count.ok) return count;
  const { sending, sent, unknown, confirmed } = tallyBatch(line.store, batch.id);
  return ok(count.value > sending + sent + unknown + confirmed);
}

/** True while the service takes in a shard whose names are not in the list yet. */
async function isIndexing(line: Line, batch: Batch): Promise<Result<boolean>> {
  if (batch.mode !== 'bulk') return ok(false);
  const shards = await line.client.batchShards(batch.batchId, line.signal);
  if (!shards.ok) return shards;
  const since = line.ports.clock.now() - line.times.orphanShardMs;
  return ok(shards.value.some(({ status, eventAt }) => status === 'running' && eventAt > since));
}

async function listNames(line: Line, batch: Batch): Promise<Result<void>> {
  const indexing = await isIndexing(line, batch);
  if (!indexing.ok) return indexing;
  if (indexing.value) return fail('service.busy', { batch: batch.batchId, reason: 'indexing' });
  const files = await line.client.batchFiles(batch.batchId, null, line.signal);
  if (!files.ok) return files;
  const there = files.value.map(({ fileName, url }) => ({ key: nameKey(fileName), url }));
  line.store.transaction(() => noteRemoteFiles(line.store, batch.id, there));
  return ok(undefined);
}

async function makeBatch(
  line: Line,
  target: Target,
  wanted: Wanted,
  after: number,
): Promise<Result<Batch>> {
  const { store, connectionId, ports } = line;
  let generation = after + 1;
  while (batchByServiceId(store, connectionId, generationId(wanted.baseId, generation)) !== null) {
    generation += 1;
  }
  const batchId = generationId(wanted.baseId, generation);
  const untouched = await isUntouched(line, batchId);
  if (!untouched.ok) return untouched;
  const createdHere = untouched.value;
  let { kind, mode } = wanted;
  if (!createdHere) {
    const foreign = await readForeign(line, batchId, wanted);
    if (!foreign.ok) return foreign;
    ({ kind, mode } = foreign.value);
  }
  const batch = addBatch(
    store,
    {
      connectionId,
      baseId: wanted.baseId,
      generation,
      batchId,
      displayName: target.displayName,
      kind,
      mode,
      createdHere,
    },
    target.watchId,
    ports.clock.now(),
  );
  ports.log.write('info', 'batch.opened', { batch: batchId, kind, mode, createdHere });
  return ok(batch);
}

/** Remembers which batches were looked at in this run. */
export type ListedBatches = Set<number>;

/** Makes sure, once per run, that what others put into the batch is known before anything is sent there. */
async function lookInto(line: Line, batch: Batch, listed: ListedBatches): Promise<Result<Batch>> {
  let present = batch;
  if (batch.createdHere) {
    const more = await holdsMore(line, batch);
    if (!more.ok) return more;
    if (more.value) present = shareBatch(line.store, batch);
  }
  if (!present.createdHere) {
    const names = await listNames(line, present);
    if (!names.ok) return names;
  }
  listed.add(present.id);
  return ok(present);
}

/**
 * Finds or makes the batch that takes items of a kind. Errors: batch.conflict when the batch holds another kind or is
 * filled in another mode; whatever reading the service can give.
 */
export async function openBatch(
  line: Line,
  target: Target,
  wanted: Wanted,
  listed: ListedBatches,
): Promise<Result<Batch>> {
  const newest = newestGeneration(line.store, line.connectionId, wanted.baseId);
  let batch = newest?.state === 'open' ? newest : null;
  if (batch === null) {
    const made = await makeBatch(line, target, wanted, newest?.generation ?? 0);
    if (!made.ok) return made;
    batch = made.value;
    if (batch.createdHere) listed.add(batch.id);
  }
  if (batch.kind !== wanted.kind) {
    return conflict(batch.batchId, `${batch.kind}s`, `${wanted.kind}s`);
  }
  if (wanted.modeDemanded && batch.mode !== wanted.mode) {
    return conflict(batch.batchId, batch.mode, wanted.mode);
  }
  return listed.has(batch.id) ? ok(batch) : lookInto(line, batch, listed);
}
