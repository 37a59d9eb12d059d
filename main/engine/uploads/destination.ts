/** What content is unique within, for those outside the engine. */
import { ensureDestination } from '../store/tables/connections.ts';
import type { Store } from '../store/store.ts';

/** The destination of a batch that was asked for by id: its generations and the batch of its videos share one. */
export function destinationFor(store: Store, connectionId: number, baseId: string): number {
  return ensureDestination(store, connectionId, baseId);
}
