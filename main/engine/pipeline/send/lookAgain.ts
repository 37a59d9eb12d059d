/** The way back to identification for an item whose file reads differently than planned. */
import { sluiceError } from '../../core/errors.ts';
import { countReread, forgetContent, type Item } from '../../store/tables/items.ts';
import { moveItem } from '../../store/transitions.ts';
import { backoffMs } from '../backoff.ts';
import { giveUpReason } from '../identify/judge.ts';
import type { Pipeline } from '../context.ts';

/**
 * The content of a queued item counts as unknown from now on; it is looked at again after a pause that grows. A file that
 * changed MAX_REREADS times while it was sent is parked as item.unstable until it is touched again.
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
