/**
 * Step: reconcile. Transfers of which nobody knows whether they arrived are settled by asking the service, in the order
 * of CONTRIBUTING.md: the names stand there; the same body to the same address; wait, then send under the same names;
 * or a person decides.
 */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { assertNever, sluiceError } from '../errors.ts';
import { nameKey } from '../files/safeNames.ts';
import { MAX_SERVICE_TRIES } from '../limits.ts';
import { type Batch, batchByRow, startExpiry } from '../store/batches.ts';
import { type Item, itemsOfTransfer } from '../store/items.ts';
import { transfersIn } from '../store/transferLine.ts';
import {
  askLater,
  backInLine,
  clearDoubt,
  dropTransfer,
  markSent,
  noteFailure,
  type Transfer,
} from '../store/transfers.ts';
import { move, moveItemsOf } from '../store/transitions.ts';
import { backoffMs } from './backoff.ts';
import { reasonOf } from './judge.ts';
import type { Line } from './line.ts';

/** What the service shows of a transfer's batch. */
export interface BatchView {
  readonly keys: ReadonlySet<string>;
  /** A shard of the batch is still being taken in. */
  readonly indexing: boolean;
}

export type Resolution =
  /** Members stand there: it arrived. The step confirm goes on from here. */
  | { readonly kind: 'arrived' }
  /** The same body to the saved address. */
  | { readonly kind: 'repeat' }
  /** Nothing is there yet, and it may still come. */
  | { readonly kind: 'ask'; readonly at: number }
  /** Nothing is there and nothing can come any more. */
  | { readonly kind: 'absent' };

/** Decides what an unknown transfer is, from what the service shows. Pure. */
export function resolve(
  transfer: Transfer,
  memberKeys: readonly string[],
  view: BatchView,
  times: { readonly now: number; readonly lateCommitMs: number; readonly pauseMs: number },
): Resolution {
  if (memberKeys.some((key) => view.keys.has(key))) return { kind: 'arrived' };
  const alive = transfer.urlExpiresAt === null || transfer.urlExpiresAt > times.now;
  if (transfer.uploadUrl !== null && alive && transfer.kind !== 'image') return { kind: 'repeat' };
  const certainAt = (transfer.lastByteAt ?? times.now) + times.lateCommitMs;
  if (times.now < certainAt) {
    return { kind: 'ask', at: Math.min(certainAt, times.now + times.pauseMs) };
  }
  if (view.indexing) return { kind: 'ask', at: times.now + times.pauseMs };
  return { kind: 'absent' };
}

async function viewBatch(line: Line, batch: Batch): Promise<Result<BatchView>> {
  // Shards first: one that ends between the two questions is then already in the list of files.
  const shards = await line.client.batchShards(batch.batchId, line.signal);
  if (!shards.ok) return shards;
  const files = await line.client.batchFiles(batch.batchId, null, line.signal);
  if (!files.ok) return files;
  const now = line.ports.clock.now();
  return {
    ok: true,
    value: {
      keys: new Set(files.value.map((file) => nameKey(file.fileName))),
      // A registration whose answer was lost leaves a shard that never ends: after a while it is nobody's.
      indexing: shards.value.some(
        (shard) => shard.status === 'running' && now - shard.eventAt < line.times.orphanShardMs,
      ),
    },
  };
}

function apply(
  line: Line,
  batch: Batch,
  transfer: Transfer,
  items: readonly Item[],
  resolution: Resolution,
): void {
  const { store, ports, times } = line;
  const now = ports.clock.now();
  switch (resolution.kind) {
    case 'arrived':
      markSent(store, transfer.id, [], now);
      startExpiry(store, batch.id, now, times.retentionMs);
      return;
    case 'repeat':
      askLater(store, transfer.id, 0);
      backInLine(store, transfer, true, now);
      return;
    case 'ask':
      askLater(store, transfer.id, resolution.at);
      return;
    case 'absent': {
      clearDoubt(store, transfer.id);
      const pause = backoffMs(transfer.attempts, ports.random.fraction(), times);
      askLater(store, transfer.id, transfer.attempts > 1 ? now + pause : 0);
      // A shard is planned anew: members that changed meanwhile must not hold back the others.
      if (items.length > 1) dropTransfer(store, transfer.id, now);
      else backInLine(store, transfer, false, now);
      return;
    }
    default:
      assertNever(resolution);
  }
}

/** The service cannot be asked: later, or, when its answer stays the same refusal, a person decides. */
function notAnswered(line: Line, transfer: Transfer, error: SluiceError): void {
  const { store, ports, times } = line;
  const now = ports.clock.now();
  const pause = backoffMs(transfer.sameAnswers + 1, ports.random.fraction(), times, error);
  noteFailure(store, transfer, error, now + pause);
  const tries = transfer.lastCode === error.code ? transfer.sameAnswers + 1 : 1;
  if (error.next !== 'park' || tries < MAX_SERVICE_TRIES) return;
  const reason = reasonOf(sluiceError('upload.unproven', { because: error.code }));
  move(store, 'transfers', transfer.id, 'parked', now);
  moveItemsOf(store, transfer.id, ['unknown'], 'parked', now, reason);
}

/** Asks about every unknown transfer that is due, one look at each batch. True when there were any. */
export async function reconcile(line: Line): Promise<boolean> {
  const { store, ports, times } = line;
  const due = transfersIn(store, line.connectionId, 'unknown', ports.clock.now());
  for (const row of new Set(due.map((transfer) => transfer.batchRow))) {
    const batch = batchByRow(store, row);
    if (batch === null || line.signal.aborted) continue;
    const view = await viewBatch(line, batch);
    await store.soon(() => {
      for (const transfer of due.filter((candidate) => candidate.batchRow === row)) {
        if (!view.ok) {
          notAnswered(line, transfer, view.error);
          continue;
        }
        const items = itemsOfTransfer(store, transfer.id);
        const keys = items.map((item) => nameKey(item.name ?? ''));
        const pauseMs = backoffMs(transfer.sameAnswers + 2, ports.random.fraction(), times);
        const resolution = resolve(transfer, keys, view.value, {
          now: ports.clock.now(),
          lateCommitMs: times.lateCommitMs,
          pauseMs,
        });
        ports.log.write('info', 'transfer.asked', {
          transfer: transfer.id,
          batch: batch.batchId,
          resolution: resolution.kind,
        });
        apply(line, batch, transfer, items, resolution);
      }
    });
    if (!view.ok && view.error.next === 'wait') line.wait(view.error);
  }
  if (due.length > 0) line.changed('transfer', 'plan', 'confirm');
  return due.length > 0;
}
