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
} from '../store/batches.ts';
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

async function listNames(line: Line, batch: Batch): Promise<Result<void>> {
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
  const { store, client, connectionId, ports } = line;
  let generation = after + 1;
  while (batchByServiceId(store, connectionId, generationId(wanted.baseId, generation)) !== null) {
    generation += 1;
  }
  const batchId = generationId(wanted.baseId, generation);
  const count = await client.batchCount(batchId, null, line.signal);
  if (!count.ok) return count;
  const createdHere = count.value === 0;
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

/** Remembers which foreign batches were listed in this run. */
export type ListedBatches = Set<number>;

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
  }
  if (batch.kind !== wanted.kind) {
    return conflict(batch.batchId, `${batch.kind}s`, `${wanted.kind}s`);
  }
  if (wanted.modeDemanded && batch.mode !== wanted.mode) {
    return conflict(batch.batchId, batch.mode, wanted.mode);
  }
  if (!batch.createdHere && !listed.has(batch.id)) {
    const names = await listNames(line, batch);
    if (!names.ok) return names;
    listed.add(batch.id);
  }
  return ok(batch);
}
