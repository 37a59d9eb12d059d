/** When a batch expires, as the service states it in the batch's own metadata or in the list of all batches. */
import type { RemoteBatch } from '../../core/model.ts';
import { type Batch, setExpiry } from '../../store/tables/batches.ts';
import type { Pipeline } from '../context.ts';

/** Minimum interval between requests for the list of all batches, which may be long, in ms. Our choice. */
const LIST_AGAIN_MS = 10 * 60_000;

const lists = new WeakMap<
  Pipeline,
  { readonly at: number; readonly batches: readonly RemoteBatch[] }
>();

async function fromList(pipeline: Pipeline, batchId: string): Promise<RemoteBatch | null> {
  const { client, signal, ports } = pipeline;
  const now = ports.clock.monotonicMs();
  let known = lists.get(pipeline);
  if (known === undefined || now - known.at >= LIST_AGAIN_MS) {
    const listed = await client.listBatches(signal);
    known = { at: now, batches: listed.ok ? (listed.value ?? []) : [] };
    lists.set(pipeline, known);
  }
  return known.batches.find((one) => one.batchId === batchId) ?? null;
}

/** Saves when the service says a batch expires, which may be earlier than usual. If it does not answer, nothing is lost. */
export async function noteStatedEnd(pipeline: Pipeline, batch: Batch): Promise<void> {
  const { client, signal, store, time } = pipeline;
  const alone = await client.batchMetadata(batch.batchId, signal);
  if (!alone.ok) return;
  const stated = (alone.value ?? (await fromList(pipeline, batch.batchId)))?.expiresAt ?? null;
  if (stated === null || !time.knowsService() || stated <= time.service()) return;
  await store.soon(() => setExpiry(store, batch.id, stated));
}
