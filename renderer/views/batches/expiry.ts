import { formatDuration } from '../../../preload/contract/figures.ts';
import { formatRelative } from '../../text/format.ts';
import type { Tone } from './itemStates.ts';

const HOUR_MS = 3_600_000;
const SOON_MS = 48 * HOUR_MS;
const VERY_SOON_MS = 12 * HOUR_MS;

export interface ExpiryWords {
  readonly text: string;
  readonly tone: Tone;
}

/** Amber under 48 h, red under 12 h, quiet when there is nothing left to save. */
export function expiryWords(expiresAt: number, now: number): ExpiryWords {
  const left = expiresAt - now;
  if (left <= 0) return { text: formatRelative(expiresAt, now), tone: 'quiet' };
  const tone = left < VERY_SOON_MS ? 'needs' : left < SOON_MS ? 'waiting' : 'quiet';
  return { text: `in ${formatDuration(left)}`, tone };
}
