/** How a download tells of itself while it runs. */
import { explain } from '../../../preload/errorText.ts';
import { formatBytes } from './format.ts';
import type { Output } from './output.ts';
import { createRateMeter } from './rate.ts';
import type { DownloadProgress } from '../../engine/downloads.ts';

const LIVE_MS = 200;
const PLAIN_MS = 5_000;

/** Makes the teller of a running download. `now` is monotonic, ms. */
export function createDownloadTeller(output: Output, now: () => number): DownloadProgress {
  const meter = createRateMeter();
  let saidAt = now();
  let lacked = false;
  return ({ bytes, done, files, listed, lacks }) => {
    const at = now();
    if (lacks !== null && !lacked) {
      const { message, hint } = explain(lacks);
      output.say(`${message} ${hint}`);
    }
    lacked = lacks !== null;
    const rate = meter.note(bytes, at);
    if (at - saidAt < (output.live ? LIVE_MS : PLAIN_MS)) return;
    saidAt = at;
    const line = `${done} of ${listed ? files : `${files} or more`} files here · ${formatBytes(bytes)} at ${formatBytes(rate)}/s`;
    if (output.live) output.progress(line);
    else output.event({ event: 'progress', done, files, bytes }, line);
  };
}
