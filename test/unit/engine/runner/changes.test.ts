/** Waiting ends at a change, after its time, or when it is no longer wanted. */
import { expect, test } from 'vitest';
import { createChanges } from '../../../../main/engine/runner/changes.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';

const NEVER = new AbortController().signal;

test('everyone who waits looks again at a change; a change before does not count', async () => {
  const clock = createManualClock();
  const changes = createChanges(clock);
  changes.note();
  const waiting = [changes.next(20, NEVER), changes.next(60_000, NEVER)];
  expect(clock.sleepers()).toBe(2);
  changes.note();
  await Promise.all(waiting);
  expect(clock.sleepers()).toBe(0);
});

test('without a change it is over after its time', async () => {
  const clock = createManualClock();
  const waiting = createChanges(clock).next(20, NEVER);
  clock.advance(20);
  await waiting;
  expect(clock.sleepers()).toBe(0);
});

test('who is not wanted any more does not wait', async () => {
  const clock = createManualClock();
  const changes = createChanges(clock);
  const stopper = new AbortController();
  const waiting = changes.next(20, stopper.signal);
  stopper.abort();
  await waiting;
  await changes.next(20, stopper.signal);
  expect(clock.sleepers()).toBe(0);
});
