/** The way back to identification for an item whose file reads differently than planned. */
import { forgetContent, type Item } from '../store/items.ts';
import { backoffMs } from './backoff.ts';
import type { Line } from './line.ts';

/** The item's content counts as unknown from now on; it is looked at again after a pause that grows with its tries. */
export function lookAgainLater(line: Line, item: Item): void {
  const { store, ports, times } = line;
  const pause = backoffMs(item.tries + 1, ports.random.fraction(), times);
  forgetContent(store, item.id, ports.clock.now() + pause);
}
