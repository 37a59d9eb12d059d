import { expect, test } from 'vitest';
import { createTurns } from '../../../../main/engine/pipeline/turns.ts';

/** Work that ends when told to, with a record of what has begun. */
function createWork() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) => () => {
    begun.push(number);
    return new Promise<number>((resolve, reject) => {
      ends.push(() => (number === 2 ? reject(new Error('two')) : resolve(number)));
    });
  };
  return { begun, ends, work };
}

let most = 2;

test('a limited number runs at a time, in order, and a failure also frees its turn', async () => {
  const inTurn = createTurns(() => most);
  const { begun, ends, work } = createWork();
  const all = Promise.allSettled([1, 2, 3, 4, 5].map((number) => inTurn(work(number))));
  const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
  await settled();
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  await settled();
  expect(begun).toEqual([1, 2, 3]);
  most = 1;
  ends[0]?.();
  await settled();
  expect(begun).toEqual([1, 2, 3]);
  most = 2;
  ends[2]?.();
  await settled();
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  ends[3]?.();
  ends[4]?.();
  expect((await all).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  const later = inTurn(() => Promise.resolve(6));
  expect(await later).toBe(6);
});

test('what waits begins when the limit has grown, before anything ends', async () => {
  let limit = 1;
  const inTurn = createTurns(() => limit);
  const { begun, work } = createWork();
  for (const number of [1, 2, 3]) void inTurn(work(number));
  await expect.poll(() => begun).toEqual([1]);
  limit = 2;
  inTurn.look();
  await expect.poll(() => begun).toEqual([1, 2]);
});
