/** Before files leave under their own names, the batch is looked at; if others fill it, they get names that no other computer uses. */
import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../../../../../main/engine/core/errors.ts';
import {
  createNamesCheck,
  createPlannedCheck,
} from '../../../../../main/engine/pipeline/send/namesCheck.ts';
import type { Attempt } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import { shareBatch } from '../../../../../main/engine/pipeline/presence/shareBatch.ts';
import { type Batch, markShared } from '../../../../../main/engine/store/tables/batches.ts';
import { itemById, itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import {
  beginSending,
  requeueTransfer,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { confirmItems } from '../../../../../main/engine/store/transitions.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const KEPT = null;
const CHANGED = { stage: 'unsent', error: null };

function planned(
  given: Partial<Batch>,
  count: Result<number | null>,
  listed: readonly string[] = [],
) {
  const ledger = createTestLedger();
  const batch = ledger.batch(given);
  const { id, itemIds } = ledger.transfer(batch, ['a.jpg']);
  const asked = { times: 0, count };
  const askCount = (): Promise<typeof count> => {
    asked.times += 1;
    return Promise.resolve(asked.count);
  };
  const items = listed.map(listedFile);
  const client = {
    askCount,
    askShards: () => Promise.resolve(ok(null)),
    askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
  };
  const clock = createManualClock();
  const pipeline = createTestPipeline(ledger, { client, clock });
  const check = createNamesCheck(pipeline);
  const attempt = (): Attempt => {
    const items = itemsOfTransfer(ledger.store, id);
    return { pipeline, transfer: ledger.stored(id), batch, items };
  };
  const item = () => itemById(ledger.store, itemIds[0] ?? 0);
  /** Its body leaves, and is refused. */
  const refuse = (): void => {
    beginSending(ledger.store, [id], 1);
    requeueTransfer(ledger.store, ledger.stored(id), false, 1);
  };
  /** A try of the archive, which is registered when it is checked, so that it counts as being sent. */
  const registered = (): Attempt => {
    const begun = attempt();
    beginSending(ledger.store, [id], 1);
    return begun;
  };
  return { ledger, check, attempt, item, asked, registered, refuse, batch, clock };
}

test('a batch without anything of others is looked at once', async () => {
  const { check, attempt, asked } = planned({ mode: 'single' }, ok(null));
  for (let time = 0; time < 3; time += 1) expect(await check(attempt())).toBe(KEPT);
  expect(asked.times).toBe(1);
});

test('an archive keeps its names if there is nothing but itself', async () => {
  const { check, registered, item } = planned({}, ok(1));
  expect(await check(registered())).toBe(KEPT);
  expect(item()?.name).toBe('a.jpg');
});

test('an archive in a batch that others fill too gets unique names and keeps its place', async () => {
  const { check, attempt, registered, item } = planned({}, ok(2));
  expect(await check(registered())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'planned', transferId: attempt().transfer.id });
  expect(item()?.name).toMatch(/^a.+\.jpg$/);
  expect(await check(registered())).toBe(KEPT);
});

test.each([
  ['that turns out to be filled by others too', true],
  ['that is known to be filled by others too', false],
])('a single file in a batch %s is planned again', async (_, isExclusive) => {
  const { check, attempt, item } = planned({ mode: 'single', isExclusive }, ok(1));
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'queued', transferId: null });
});

test('a batch that cannot be read keeps its files waiting', async () => {
  const { check, attempt, item } = planned({ mode: 'single' }, fail('network.lost'));
  expect(await check(attempt())).toMatchObject({ error: { code: 'network.lost' } });
  expect(item()?.state).toBe('planned');
});

test('a file that is tried again after others were found in its batch is planned again, whatever an earlier look showed', async () => {
  const { ledger, check, attempt, item } = planned({ mode: 'single' }, ok(null));
  expect(await check(attempt())).toBe(KEPT);
  markShared(ledger.store, attempt().batch);
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'queued', transferId: null });
});

test.each([
  ['single', 1],
  ['bulk', 2],
] as const)(
  'a file that was refused is looked for first if its batch holds more than was sent: %s',
  async (mode, count) => {
    const { check, attempt, registered, item, refuse } = planned({ mode }, ok(count));
    refuse();
    // An archive gets another address before the look.
    expect(await check(mode === 'bulk' ? registered() : attempt())).toEqual(CHANGED);
    expect(item()).toMatchObject({ state: 'unknown', name: 'a.jpg' });
  },
);

test('the same if a list has shown others in the batch meanwhile', async () => {
  const { ledger, check, attempt, item, refuse, batch } = planned({ mode: 'single' }, ok(1));
  const pipeline = attempt().pipeline;
  refuse();
  shareBatch(pipeline, batch);
  expect(await check(attempt())).toEqual(CHANGED);
  expect(item()).toMatchObject({ state: 'unknown', name: 'a.jpg' });
  expect(ledger.stored(attempt().transfer.id).state).toBe('unknown');
});

test('a file that was refused is sent again at once if its batch holds no more than was sent', async () => {
  const { check, attempt, asked, refuse } = planned({ mode: 'single' }, ok(0));
  expect(await check(attempt())).toBe(KEPT);
  refuse();
  expect(await check(attempt())).toBe(KEPT);
  expect(asked.times).toBe(2);
});

test('a file that was refused does not count on a look that began before', async () => {
  const { check, attempt, asked, refuse } = planned({ mode: 'single' }, ok(0));
  const before = check(attempt());
  refuse();
  asked.count = ok(1);
  expect(await check(attempt())).toEqual(CHANGED);
  expect(await before).toBe(KEPT);
});

test('files that were refused at the same time share a look', async () => {
  const { check, attempt, asked, refuse } = planned({ mode: 'single' }, ok(0));
  refuse();
  const checks = Array.from({ length: 6 }, () => check(attempt()));
  expect(new Set(await Promise.all(checks))).toEqual(new Set([KEPT]));
  // One that the first began, and one for those that came while it ran.
  expect(asked.times).toBe(2);
});

test.each([
  ['single', 'another computer, which has a file of our name', ['a.jpg', 'theirs.jpg'], CHANGED],
  ['single', 'another computer, which has only a file of our name', ['a.jpg'], CHANGED],
  ['bulk', 'another computer, which has only a file of our name', ['a.jpg'], CHANGED],
  ['single', 'no other computer', ['1.jpg', '2.jpg'], KEPT],
] as const)(
  'a batch that holds less than was confirmed may have been created again (%s) by %s',
  async (mode, _, listed, expected) => {
    const scene = planned({ mode }, ok(null), listed);
    const { ledger, check, batch, clock, asked } = scene;
    const given = mode === 'bulk' ? scene.registered() : scene.attempt();
    expect(await check(given)).toBe(KEPT);
    const sent = ['1.jpg', '2.jpg', '3.jpg'].map((path) => ledger.transfer(batch, [path]));
    for (const { id, itemIds } of sent) {
      ledger.sent(id, 1);
      confirmItems(ledger.store, itemIds, 1);
    }
    expect(await check(given)).toBe(KEPT);
    expect(asked.times).toBe(1);
    clock.advance(60_000);
    asked.count = ok(listed.length);
    expect(await check(given)).toEqual(expected);
  },
);

test('no archive that an earlier run planned leaves while what another one found is being written down', async () => {
  const ledger = createTestLedger();
  const batch = ledger.batch();
  const ids = [ledger.transfer(batch, ['a.jpg']).id, ledger.transfer(batch, ['b.jpg']).id];
  const held = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<null>();
  const soon = async <T>(work: () => T): Promise<T> => {
    begun.resolve(null);
    await held.promise;
    return ledger.store.soon(work);
  };
  const store = { ...ledger.store, soon };
  const client = { askCount: () => Promise.resolve(ok(40)) };
  const pipeline = createTestPipeline({ store, connectionId: ledger.connectionId }, { client });
  const check = createPlannedCheck(pipeline);
  const [first, second] = ids.map((id): Attempt => {
    return { pipeline, batch, transfer: ledger.stored(id), items: itemsOfTransfer(store, id) };
  });
  if (first === undefined || second === undefined) throw new Error('there are two');
  const ends = [check(first)];
  await begun.promise;
  ends.push(check(second));
  held.resolve(null);
  expect(await Promise.all(ends)).toEqual([CHANGED, CHANGED]);
});

test.each([
  ['may have been sent, if the ledger is an older copy: it is planned again', 1, CHANGED, 'queued'],
  ['was not sent: it leaves', 0, KEPT, 'planned'],
] as const)(
  'an archive that an earlier run planned in a batch that others fill, too, %s',
  async (_, count, expected, state) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const batch = ledger.batch({ isExclusive: false });
    const { id, itemIds } = ledger.transfer(batch, ['a~0123abcd.jpg']);
    const client = { askCount: () => Promise.resolve(ok(count)) };
    const pipeline = createTestPipeline(ledger, { client });
    const items = itemsOfTransfer(store, id).map((item) => ({ ...item, path: 'a.jpg' }));
    const check = createPlannedCheck(pipeline);
    expect(await check({ pipeline, batch, transfer: ledger.stored(id), items })).toEqual(expected);
    expect(itemById(store, itemIds[0] ?? 0)?.state).toBe(state);
  },
);
