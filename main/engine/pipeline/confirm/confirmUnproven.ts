/**
 * Files whose delivery was never proved, so that a person would have to decide about them: a service that lists late may show them after
 * all.
 */
import { nameKey } from '../../files/names/safeNames.ts';
import type { RemoteFile } from '../../core/model.ts';
import { itemsNamed, ownFiles } from '../../store/queue/awaited.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import { type Batch, batchByRow } from '../../store/tables/batches.ts';
import { confirmParked, unprovenIn } from '../../store/tables/parked.ts';
import type { Pipeline } from '../context.ts';
import { Comparisons } from '../presence/comparisons.ts';
import { readFigures, readNames, surplusOf } from '../presence/inventory.ts';
import { compareAll } from './compareAll.ts';

/** How many files the service counted in each batch when it was last looked at, by the row of the batch. */
export type CountsSeen = Map<number, number>;

/**
 * Confirms those of the items that a page of the list shows, if their content is the same. Returns false when one of them could not be read
 * now: it may be read later, even if the storage refused it.
 */
async function confirmListed(
  pipeline: Pipeline,
  batch: Batch,
  ids: ReadonlySet<number>,
  page: readonly RemoteFile[],
  pass: Comparisons,
): Promise<boolean> {
  const { store, ports } = pipeline;
  const keys = page.map(({ fileName }) => nameKey(fileName));
  const named = itemsNamed(store, batch.id, keys).filter(([, { itemId }]) => ids.has(itemId));
  if (named.length === 0) return true;
  const files = ownFiles(
    store,
    named.map(([, { itemId }]) => itemId),
  );
  const claims = named.flatMap(([key, item]) => {
    const file = files.get(item.itemId);
    if (file === undefined) return [];
    const objects = page.filter((_, index) => keys[index] === key);
    return objects.map(({ url }) => ({ item, file, url }));
  });
  const depth = batch.isExclusive && batch.kind === 'video' ? 'samples' : 'bytes';
  const compared = await compareAll(pipeline, claims, depth, pass);
  await store.soon(() => {
    for (const [id, sameness] of compared) {
      if (sameness.kind === 'same') confirmParked(store, id, sameness.proof, ports.clock.now());
    }
  });
  pipeline.changed('plan', 'transfer');
  return [...compared.values()].every((match) => match.kind !== 'unknown' || match.error === null);
}

/**
 * Looks once in each batch that has such files, parked at `before` (epoch ms by this computer's clock) or earlier, and confirms those that
 * are there. Sends nothing. A list is read only if the service counts more files than are known to be there, and the count has changed
 * since the last look that could read them.
 */
export async function confirmUnproven(
  pipeline: Pipeline,
  destinationId: number | null,
  before: number,
  looked: CountsSeen,
): Promise<void> {
  const { store, connectionId, signal, gate } = pipeline;
  for (const [row, ids] of unprovenIn(store, connectionId, destinationId, before)) {
    const batch = batchByRow(store, row);
    if (batch === null || signal.aborted || gate.room('ask') === 0) return;
    const figures = await readFigures(pipeline, batch, new Map());
    if (!figures.ok || surplusOf(figures.value, tallyBatch(store, row)) === 0) continue;
    const { count } = figures.value;
    if (looked.get(row) === count) continue;
    const pass = new Comparisons();
    let isSure = true;
    const names = await readNames(pipeline, batch, async (page) => {
      isSure = (await confirmListed(pipeline, batch, ids, page, pass)) && isSure;
    });
    if (names.ok && isSure) looked.set(row, count);
  }
}
