/** When a batch ends, as the service states it: of the batch alone, or in the list of all of them. */
import type { RemoteBatch } from '../../core/model.ts';
import { type Batch, setExpiry } from '../../store/tables/batches.ts';
import type { Pipeline } from '../context.ts';

/** The list of all batches may be long: it is asked for at most so often, ms. Ours. */
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

/** Notes when the service says that a batch ends; it may keep it for less than the usual time. An answer that cannot be had is no loss. */
export async function noteStatedEnd(pipeline: Pipeline, batch: Batch): Promise<void> {
  const { client, signal, store, time } = pipeline;
  const alone = await client.batchMetadata(batch.batchId, signal);
  if (!alone.ok) return;
  const stated = (alone.value ?? (await fromList(pipeline, batch.batchId)))?.expiresAt ?? null;
  if (stated === null || !time.knowsService() || stated <= time.service()) return;
  await store.soon(() => setExpiry(store, batch.id, stated));
}
