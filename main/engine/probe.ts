/** Asks the service now and then while nothing answers or the line waits, and lets the line go on when that is over. */
import type { Step } from './pipeline/lane.ts';
import type { Line } from './pipeline/line.ts';
import type { Reach } from './reach.ts';

const PROBE_FIRST_MS = 1_000;
const PROBE_MAX_MS = 15_000;
const PROBE_GROWTH = 1.6;

/** Makes the step; `mended` is called when what the line waits for is over. */
export function createProbe(line: Line, reach: Reach, mended: () => void): Step {
  let pause = PROBE_FIRST_MS;
  return async () => {
    if (line.waiting() === null && reach.silentSince() === null) {
      pause = PROBE_FIRST_MS;
      return null;
    }
    await line.ports.clock.sleep(pause, line.signal);
    pause = Math.min(PROBE_MAX_MS, pause * PROBE_GROWTH);
    if (line.signal.aborted) return null;
    const key = await line.client.checkKey(line.signal);
    // A full disk and a quota are tried again by doing: nothing else tells that they are over.
    const over = key.ok || (key.error.next !== 'wait' && reach.silentSince() === null);
    if (over && line.waiting() !== null) mended();
    return 0;
  };
}
