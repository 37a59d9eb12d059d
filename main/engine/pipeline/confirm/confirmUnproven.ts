/** Files whose delivery was never proved, and that a person would have to decide about: a service that lists late may show them after all. */
import { nameKey } from '../../files/names/safeNames.ts';
import type { RemoteFile } from '../../core/model.ts';
import { itemsNamed, ownFiles } from '../../store/queue/awaited.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import { type Batch, batchByRow } from '../../store/tables/batches.ts';
import { confirmParked, unprovenIn } from '../../store/tables/parked.ts';
import type { Pipeline } from '../context.ts';
import { readFigures, readNames, surplusOf } from '../presence/inventory.ts';
import { compareAll } from './readListing.ts';

/** Confirms those of the items that a page of the list shows with their content. */
async function confirmListed(
  pipeline: Pipeline,
  batch: Batch,
  ids: ReadonlySet<number>,
  page: readonly RemoteFile[],
): Promise<void> {
  const { store, ports } = pipeline;
  const urls = new Map(page.map(({ fileName, url }) => [nameKey(fileName), url]));
  const listed = itemsNamed(store, batch.id, [...urls.keys()]).filter(([, { itemId }]) =>
    ids.has(itemId),
  );
  if (listed.length === 0) return;
  const files = ownFiles(
    store,
    listed.map(([, { itemId }]) => itemId),
  );
  const claims = listed.flatMap(([key, item]) => {
    const file = files.get(item.itemId);
    const url = urls.get(key);
    return file === undefined || url === undefined ? [] : [{ item, file, url }];
  });
  const depth = batch.isExclusive && batch.kind === 'video' ? 'samples' : 'bytes';
  const compared = await compareAll(pipeline, claims, depth);
  await store.soon(() => {
    for (const [id, sameness] of compared) {
      if (sameness.kind === 'same') confirmParked(store, id, sameness.proof, ports.clock.now());
    }
  });
}

/**
 * Looks once in each batch that has such files, parked at the time `before` (epoch ms by this computer's clock) or earlier, and
 * confirms those that are there. Sends nothing. What cannot be read now is looked for another time.
 */
export async function confirmUnproven(
  pipeline: Pipeline,
  destinationId: number | null,
  before: number,
): Promise<void> {
  const { store, connectionId, signal } = pipeline;
  for (const [row, ids] of unprovenIn(store, connectionId, destinationId, before)) {
    const batch = batchByRow(store, row);
    if (batch === null || signal.aborted) return;
    const figures = await readFigures(pipeline, batch, new Map());
    // The list is worth reading only if the service has more than what is known to be there.
    if (!figures.ok || surplusOf(figures.value, tallyBatch(store, row)) === 0) continue;
    await readNames(pipeline, batch, (page) => confirmListed(pipeline, batch, ids, page));
    pipeline.changed('plan', 'transfer');
  }
}
