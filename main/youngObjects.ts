/** Keeps the memory for new objects small: requests and rows live for moments, and V8 lets 48 MB of them gather. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Memory for new objects at which it is enough, bytes. It is asked after a collection, and may have doubled once more by then. Ours. */
const ENOUGH_BYTES = 4 * 1024 * 1024;

function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space?.space_size ?? 0;
}

/** Lets that memory grow until it is enough, and then no more. V8 asks for its growth at each collection. */
export function boundYoungObjects(): void {
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < ENOUGH_BYTES) return;
    observer.disconnect();
    setFlagsFromString('--semi-space-growth-factor=1');
  });
  observer.observe({ entryTypes: ['gc'] });
}
