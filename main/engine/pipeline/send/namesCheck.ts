/**
 * Before a body leaves under the files' own names: is this still the only computer that fills the batch? It may have been opened long
 * ago, and a service that replaces by name would give our file the place of another computer's, which may have finished.
 */
import { ok, type Result, type SluiceError } from '../../core/errors.ts';
import { type Batch, batchByRow, isShared } from '../../store/tables/batches.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import {
  dropTransfer,
  renameMembers,
  requeueTransfer,
  transferById,
} from '../../store/tables/transfers.ts';
import { bareName } from '../plan/matchExisting.ts';
import { nameMembers } from '../plan/memberNames.ts';
import { holdsMore } from '../presence/inventory.ts';
import { shareBatch } from '../presence/shareBatch.ts';
import type { Pipeline } from '../context.ts';
import type { Attempt } from './transferSettle.ts';

/** Nothing was sent. `error`: why the batch could not be read; null when it is sent later, under other names or after another look. */
export interface Unsent {
  readonly stage: 'unsent';
  readonly error: SluiceError | null;
}

/** Returns null when the names may be used. */
export type NamesCheck = (attempt: Attempt) => Promise<Unsent | null>;

/** Whether a batch holds more than this ledger put there; one that the service does not know holds nothing. */
async function othersFill(pipeline: Pipeline, batch: Batch): Promise<Result<boolean>> {
  const { client, signal, store } = pipeline;
  const [count, shards] = await Promise.all([
    client.askCount(batch.batchId, null, signal),
    batch.mode === 'bulk' ? client.askShards(batch.batchId, signal) : ok([]),
  ]);
  if (!count.ok) return count;
  if (!shards.ok) return shards;
  const figures = { count: count.value ?? 0, shards: shards.value ?? [] };
  return ok(holdsMore(pipeline, batch, figures, tallyBatch(store, batch.id)));
}

/** Gives the members of a shard that was not sent yet names that identify their content. It keeps its address. */
function rename({ pipeline, transfer, items }: Attempt, batch: Batch): void {
  const { store, ports } = pipeline;
  renameMembers(store, transfer.id, nameMembers(pipeline, batch, items));
  requeueTransfer(store, transfer, true, ports.clock.now());
}

/**
 * Drops a single file that was not sent yet, so that it is planned under another name. Sharing the batch may have done so, or have
 * brought it into doubt because it counted as lost.
 */
function planAnew({ pipeline, transfer }: Attempt): void {
  const { store, ports } = pipeline;
  const state = transferById(store, transfer.id)?.state;
  if (state !== 'planned' && state !== 'registered') return;
  dropTransfer(store, transfer.id, ports.clock.now());
}

/**
 * Creates the check of one run of a pipeline. Each batch is looked at until one look shows no other computer. A shard must be registered
 * before it is checked: of two computers that open a batch at the same moment, the one that registers second sees the other. One
 * look is enough: a computer that opens the batch later finds our files there.
 */
export function createNamesCheck(pipeline: Pipeline): NamesCheck {
  const { store } = pipeline;
  const alone = new Set<number>();
  const looks = new Map<number, Promise<Result<boolean>>>();

  const look = (batch: Batch): Promise<Result<boolean>> => {
    const running =
      looks.get(batch.id) ??
      othersFill(pipeline, batch).finally(() => {
        looks.delete(batch.id);
      });
    looks.set(batch.id, running);
    return running;
  };

  return async (attempt) => {
    const { transfer, items } = attempt;
    // What may have arrived is sent again as it was.
    if (transfer.doubtful) return null;
    if (attempt.batch.hasHostInId) return null;
    // A look counts for this run, unless a list or a plan has shown another computer's files since.
    if (alone.has(transfer.batchRow) && !isShared(store, transfer.batchRow)) return null;
    let batch = batchByRow(store, transfer.batchRow) ?? attempt.batch;
    if (batch.isExclusive) {
      const found = await look(batch);
      if (!found.ok) return { stage: 'unsent', error: found.error };
      if (!found.value) {
        alone.add(batch.id);
        return null;
      }
      // Another try may have marked it meanwhile.
      batch = batchByRow(store, batch.id) ?? batch;
    }
    const isBare = items.some((item) => item.name === bareName(item));
    if (!isBare) return null;
    await store.soon(() => {
      const shared = batch.isExclusive ? shareBatch(pipeline, batch) : batch;
      if (transfer.kind === 'shard') rename(attempt, shared);
      else planAnew(attempt);
    });
    return { stage: 'unsent', error: null };
  };
}
