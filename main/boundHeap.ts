/** Keeps the heap of this thread small: requests and rows are short-lived, and V8 would let garbage grow to several times that. */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** New-object memory at which growth stops, in bytes. Checked after a collection, so it may double once more. Our choice. */
const ENOUGH_BYTES = 4 * 1024 * 1024;
/**
 * How far the heap may grow beyond what was in use after a collection. V8's own choice is up to 300 %: reading a directory of 100,000
 * files then took 130 MB more, permanently. Costs up to 4 % of processor time. Our choice.
 */
const GROWTH_PERCENT = 50;

function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space?.space_size ?? 0;
}

/** Bounds the heap; call once, when a process starts. New-object memory grows up to the bound and no further. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < ENOUGH_BYTES) return;
    observer.disconnect();
    // V8 reads this factor at each collection.
    setFlagsFromString('--semi-space-growth-factor=1');
  });
  observer.observe({ entryTypes: ['gc'] });
}
