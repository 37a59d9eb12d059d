/** How urgent the end of a batch is. */
import { formatDuration } from './format.ts';
import type { Tone } from './itemStates.ts';

const HOUR_MS = 3_600_000;
const SOON_MS = 48 * HOUR_MS;
const VERY_SOON_MS = 12 * HOUR_MS;

/** The words and tone of an expiry: amber under 48 h, red under 12 h. */
export function expiryWords(
  expiresAt: number,
  now: number,
): { readonly text: string; readonly tone: Tone } {
  const left = expiresAt - now;
  if (left <= 0) return { text: 'expired', tone: 'needs' };
  const tone = left < VERY_SOON_MS ? 'needs' : left < SOON_MS ? 'waiting' : 'quiet';
  return { text: `expires in ${formatDuration(left)}`, tone };
}
