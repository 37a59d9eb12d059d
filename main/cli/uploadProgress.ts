/** How an upload tells of itself while it runs: one line in place on a terminal, a plain line now and then elsewhere. */
import { explain } from '../../preload/contract/messages.ts';
import type { OneShotProgress } from '../engine/uploads/oneShot.ts';
import { count, formatBytes, formatDuration } from './format.ts';
import type { Output } from './output.ts';
import { createRateMeter } from './rate.ts';

const LIVE_MS = 200;
const PLAIN_MS = 5_000;
const SILENCE_SAID_MS = 3_000;

/** The sentence of a moment. Pure. */
function describeProgress(progress: OneShotProgress, bytesPerSecond: number): string {
  const { tally } = progress;
  const total = progress.scanned ? `${tally.found}` : `${tally.found}+`;
  const parts = [`${tally.confirmed} of ${total} confirmed`];
  if (tally.sent > 0) parts.push(`${tally.sent} sent, waiting for the service`);
  if (tally.skipped > 0) parts.push(`${tally.skipped} skipped`);
  if (tally.attention > 0) parts.push(`${tally.attention} need you`);
  if (progress.silentMs > SILENCE_SAID_MS) {
    parts.push(`the service is silent for ${formatDuration(progress.silentMs)}; nothing is lost`);
  } else if (progress.hindrance !== null) {
    parts.push(explain(progress.hindrance).message);
  } else if (bytesPerSecond > 0) {
    parts.push(`${formatBytes(progress.sentBytes)} at ${formatBytes(bytesPerSecond)}/s`);
    const left = (tally.openBytes / bytesPerSecond) * 1000;
    if (progress.scanned && tally.open > tally.sent) parts.push(`${formatDuration(left)} left`);
  }
  return parts.join(' · ');
}

/** Makes the teller of a running upload. */
export function createUploadTeller(
  output: Output,
  now: () => number,
): (progress: OneShotProgress) => void {
  const meter = createRateMeter();
  let saidAt = now();
  return (progress) => {
    const at = now();
    const rate = meter.note(progress.sentBytes, at);
    if (at - saidAt < (output.live ? LIVE_MS : PLAIN_MS)) return;
    saidAt = at;
    const line = describeProgress(progress, rate);
    if (output.live) {
      output.progress(line);
      return;
    }
    const { tally } = progress;
    output.event(
      {
        event: 'progress',
        found: tally.found,
        confirmed: tally.confirmed,
        skipped: tally.skipped,
        attention: tally.attention,
        open: tally.open,
        sentBytes: progress.sentBytes,
        bytesPerSecond: Math.round(rate),
      },
      line,
    );
  };
}

/** The closing sentence of an upload. Pure. */
export function describeEnd(figures: {
  found: number;
  confirmed: number;
  skipped: number;
  attention: number;
  bytes: number;
  seconds: number;
}): string {
  const { found, confirmed, skipped, attention, bytes, seconds } = figures;
  const parts = [`${confirmed} of ${count(found, 'file')} confirmed by the service`];
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (attention > 0) parts.push(`${attention} need you (sluice problems)`);
  const open = found - confirmed - skipped - attention;
  if (open > 0) parts.push(`${open} still on their way`);
  return `${parts.join(', ')}; ${formatBytes(bytes)} in ${formatDuration(seconds * 1000)}.`;
}
