/** A batch turns out to be filled by others as well. */
import { doubtAgain, lostIn } from '../../store/queue/lost.ts';
import { untouchedTransfers } from '../../store/queue/awaited.ts';
import { type Batch, markShared } from '../../store/tables/batches.ts';
import { dropTransfer, transferById } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';

/**
 * Marks a batch as filled by others: from now on our names identify the content. Files of which no sending was tried yet get new names; a
 * file that was refused may be there all the same, so it keeps its name for now (send/namesCheck.ts). To be called in a transaction.
 */
export function shareBatch(pipeline: Pipeline, batch: Batch): Batch {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  const shared = markShared(store, batch);
  // A lost file may be listed by now, under the name that it had.
  for (const id of lostIn(store, batch.id)) doubtAgain(store, id, now);
  for (const id of untouchedTransfers(store, batch.id))
    if (transferById(store, id)?.attempts === 0) dropTransfer(store, id, now);
  if (batch.isExclusive) ports.log.write('warn', 'batch.shared', { batch: batch.batchId });
  return shared;
}
