/** What happens to a complete upload: it becomes part of its batch, or is thrown away although it was answered 200. */
import type { Exchange } from './exchange.ts';
import type { Service } from './service.ts';
import type { Batch, StoredObject } from './state.ts';

/** Adds an object to its batch. Returns false if it was thrown away because of the settings or the fault of its request. */
export function takeIn(
  service: Service,
  batch: Batch,
  object: StoredObject,
  exchange: Exchange | null,
): boolean {
  const { state } = service;
  const isDropped = exchange?.fault?.kind === 'acknowledgedAndDropped';
  if (isDropped || isTurnToDrop(service, object)) {
    drop(service, batch, object.name, object.sha256);
    return false;
  }
  state.addObject(batch, object);
  return true;
}

/** Records that something was thrown away; the name is null for a whole shard. */
export function drop(service: Service, batch: Batch, name: string | null, sha256: string): void {
  const { state } = service;
  state.dropped.push({ batchId: batch.batchId, name, sha256, at: state.clock.now() });
}

/**
 * Files of the other computer are never thrown away, so that a test knows what was. Neither is the same content twice: a service
 * that does that does not lose a file but refuses it, and that needs a person.
 */
function isTurnToDrop({ state }: Service, object: StoredObject): boolean {
  if (object.writer !== 'client') return false;
  state.arrivals += 1;
  const { dropEvery } = state.settings;
  const isTurn = dropEvery > 0 && state.arrivals % dropEvery === 0;
  return isTurn && !state.dropped.some(({ sha256 }) => sha256 === object.sha256);
}

/** True when the batch accepts no second object of this name. */
export function isNameTaken({ state }: Service, batch: Batch | null, name: string): boolean {
  return (
    state.settings.sameName === 'refused' &&
    batch !== null &&
    batch.objects.some((object) => object.name === name)
  );
}
