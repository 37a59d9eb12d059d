import { expect, it } from 'vitest';
import { createHints } from '../../../../main/engine/core/hints.ts';
import { createVirtualClock } from '../pipeline/virtualClock.ts';

it('hints arrive until none came for half an hour', async () => {
  const clock = createVirtualClock();
  const hints = createHints(clock);
  expect(hints.arrive()).toBe(false);
  hints.note();
  await clock.advance(29 * 60_000);
  expect(hints.arrive()).toBe(true);
  await clock.advance(60_000);
  expect(hints.arrive()).toBe(false);
});
