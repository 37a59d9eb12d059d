/** Archives of others that a batch is still taking in: a job that starts now may miss their files. */
import type { Pipeline } from '../pipeline/context.ts';
import { ownShards, readFigures } from '../pipeline/presence/inventory.ts';
import { batchByServiceId } from '../store/tables/batches.ts';

/** How many they are, not counting as many as are ours; 0 when the service cannot be asked. */
export async function othersArchives(pipeline: Pipeline, batchId: string): Promise<number> {
  const batch = batchByServiceId(pipeline.store, pipeline.connectionId, batchId);
  if (batch === null) return 0;
  const figures = await readFigures(pipeline, batch, new Map());
  if (!figures.ok) return 0;
  const { indexing, shards } = figures.value;
  return Math.max(0, Math.min(indexing, shards.length - ownShards(pipeline, batch)));
}
