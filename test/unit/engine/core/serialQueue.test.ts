/** Work under one key never overlaps, and a failure does not block the rest. */
import { expect, test } from 'vitest';
import { createKeyedQueue } from '../../../../main/engine/core/serialQueue.ts';

test('one after the other under a key, at the same time as other keys, also after a failure', async () => {
  const inTurn = createKeyedQueue<string>();
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until: Promise<void>) => async () => {
    events.push(`${name} begins`);
    await until;
    events.push(`${name} ends`);
    return name;
  };
  const one = inTurn('a', work('one', first.promise));
  const two = inTurn('a', work('two', Promise.resolve()));
  expect(await inTurn('b', work('other', Promise.resolve()))).toBe('other');
  expect(events).toEqual(['one begins', 'other begins', 'other ends']);
  first.reject(new Error('no'));
  await expect(one).rejects.toThrow('no');
  expect(await two).toBe('two');
  expect(events.slice(3)).toEqual(['two begins', 'two ends']);
});
