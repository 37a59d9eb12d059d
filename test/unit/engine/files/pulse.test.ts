/** A thread says when the main thread is held. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followPulse, startPulse } from '../../../../main/engine/files/pool/pulse.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TEXT = 'held\n';

test('nothing is said while the thread moves, and once when it no longer does', () => {
  const said: string[] = [];
  const pulse = startPulse(TEXT);
  followPulse(pulse, (text) => said.push(text));
  vi.advanceTimersByTime(600_000);
  expect(said).toEqual([]);
  // Held: its timers no longer run. Two other threads follow it.
  vi.clearAllTimers();
  followPulse(pulse, (text) => said.push(text));
  followPulse(pulse, (text) => said.push(text));
  vi.advanceTimersByTime(600_000);
  expect(said).toEqual([TEXT]);
});

test('a thread that moves again and is held again is reported again; who cannot write goes on', () => {
  const said: string[] = [];
  const shared = new Int32Array(new SharedArrayBuffer(8));
  followPulse({ shared, text: TEXT }, (text) => {
    said.push(text);
    throw new Error('EPIPE');
  });
  vi.advanceTimersByTime(100_000);
  shared.set([1, 0]);
  vi.advanceTimersByTime(100_000);
  expect(said).toEqual([TEXT, TEXT]);
});
