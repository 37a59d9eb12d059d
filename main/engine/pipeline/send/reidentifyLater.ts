/** Sends an item whose file no longer reads as planned back to identification. */
import { sluiceError } from '../../core/errors.ts';
import { countReread, forgetContent, type Item } from '../../store/tables/items.ts';
import { moveItem } from '../../store/transitions.ts';
import { backoffMs } from '../backoff.ts';
import { giveUpReason } from '../identify/judge.ts';
import type { Pipeline } from '../context.ts';

/**
 * Marks the content of a queued item as unknown; it is inspected again after a growing pause. A file that changed MAX_REREADS
 * times while being sent is parked as item.unstable until it is touched again.
 */
export function reidentifyLater(pipeline: Pipeline, item: Item): void {
  const { store, ports, times } = pipeline;
  const rereads = countReread(store, item);
  const now = ports.clock.now();
  const pause = backoffMs(rereads, ports.random.fraction(), times);
  forgetContent(store, item.id, now + pause);
  const error = sluiceError('item.changed', { path: item.path, bytes: item.sizeBytes });
  const reason = giveUpReason(error, rereads);
  if (reason !== null) moveItem(store, item.id, 'parked', now, reason);
}
