/** Values that lanes write at the same time are written together; one that the ledger refuses does not hold up the others. */
import { expect, test } from 'vitest';
import { sluiceError, SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { gathered } from '../../../../main/engine/store/gathered.ts';
import { beginSending, transferById } from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

/** A ledger with three planned transfers, and what begins to send them. */
function createScene() {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  const [a = 0, b = 0, c = 0] = ['a.jpg', 'b.jpg', 'c.jpg'].map(
    (name) => ledger.transfer(batch, [name]).id,
  );
  const calls: (readonly number[])[] = [];
  const begin = gathered(store.soon, (ids: readonly number[]) => {
    calls.push(ids);
    beginSending(store, ids, 2000);
  });
  const states = () => [a, b, c].map((id) => transferById(store, id)?.state);
  return { store, ids: [a, b, c] as const, calls, begin, states };
}

test('what waits for the same transaction is written by one call', async () => {
  const { ids, calls, begin, states } = createScene();
  await Promise.all(ids.map((id) => begin(id)));
  expect(calls).toEqual([ids]);
  expect(states()).toEqual(['sending', 'sending', 'sending']);
});

test('what comes after the transaction began is written by the next', async () => {
  const { ids, calls, begin } = createScene();
  const [a, b, c] = ids;
  await begin(a);
  await Promise.all([begin(b), begin(c)]);
  expect(calls).toEqual([[a], [b, c]]);
});

test('a refused value rejects alone', async () => {
  const { store, ids, begin, states } = createScene();
  const [a, b, c] = ids;
  beginSending(store, [b], 1000);
  const ends = await Promise.allSettled([begin(a), begin(b), begin(c)]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(ends[1]).toMatchObject({ reason: { error: { code: 'bug.illegalTransition' } } });
  expect(states()).toEqual(['sending', 'sending', 'sending']);
});

test('a disk that fails rejects all, and nothing is written twice', async () => {
  const full = new SluiceFailure(sluiceError('disk.full'));
  const calls: (readonly number[])[] = [];
  const soon = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    work();
    throw full;
  };
  const write = gathered(soon, (values: readonly number[]) => calls.push(values));
  const ends = await Promise.allSettled([write(1), write(2)]);
  expect(ends).toEqual([
    { status: 'rejected', reason: full },
    { status: 'rejected', reason: full },
  ]);
  expect(calls).toEqual([[1, 2]]);
});
