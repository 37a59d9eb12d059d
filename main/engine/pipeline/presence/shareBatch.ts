/** A batch turns out to be filled by others as well. */
import { untouchedTransfers } from '../../store/queue/awaited.ts';
import { type Batch, markShared } from '../../store/tables/batches.ts';
import { dropTransfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';

/**
 * Marks a batch that others fill: from now on our names identify the content. Files not sent yet get new names. To be called in a
 * transaction.
 */
export function shareBatch(pipeline: Pipeline, batch: Batch): Batch {
  const { store, ports } = pipeline;
  const shared = markShared(store, batch);
  for (const id of untouchedTransfers(store, batch.id)) dropTransfer(store, id, ports.clock.now());
  ports.log.write('warn', 'batch.shared', { batch: batch.batchId });
  return shared;
}
