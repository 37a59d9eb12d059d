/** What counted as lost and waits to be sent again: what brings it back into doubt, and what does not. */
import { expect, test, vi } from 'vitest';
import { IdSet } from '../../../../main/engine/core/idSet.ts';
import { fail, ok, type Result, sluiceError } from '../../../../main/engine/core/errors.ts';
import type { SignedUpload } from '../../../../main/engine/core/model.ts';
import { pollStateOf } from '../../../../main/engine/pipeline/confirm/pollState.ts';
import type { ListingOutcome } from '../../../../main/engine/pipeline/confirm/readListing.ts';
import { settleListing } from '../../../../main/engine/pipeline/confirm/settleListing.ts';
import { settleMissing } from '../../../../main/engine/pipeline/confirm/settleMissing.ts';
import { ListedBatches } from '../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { plan } from '../../../../main/engine/pipeline/plan/plan.ts';
import { holdsMore } from '../../../../main/engine/pipeline/presence/inventory.ts';
import { shareBatch } from '../../../../main/engine/pipeline/presence/shareBatch.ts';
import { createNamesCheck } from '../../../../main/engine/pipeline/send/namesCheck.ts';
import { createSendRun, doubtIfOutdated } from '../../../../main/engine/pipeline/send/sendRun.ts';
import { tryTransfer } from '../../../../main/engine/pipeline/send/transfer.ts';
import { recover } from '../../../../main/engine/runner/recover.ts';
import { settle } from '../../../../main/engine/pipeline/send/transferSettle.ts';
import type { ListedItem } from '../../../../main/engine/store/queue/awaited.ts';
import { tallyBatch } from '../../../../main/engine/store/queue/confirmation.ts';
import { heldBatches, somethingMoves } from '../../../../main/engine/store/queue/dueTransfers.ts';
import { doubtAgain } from '../../../../main/engine/store/queue/lost.ts';
import { type Batch, batchByRow } from '../../../../main/engine/store/tables/batches.ts';
import { itemById, itemsOfTransfer } from '../../../../main/engine/store/tables/items.ts';
import {
  beginSending,
  markSent,
  markUnknown,
  saveUpload,
} from '../../../../main/engine/store/tables/transfers.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestPipeline, listedFile, targetOf } from '../../../helpers/testPipeline.ts';

const LATER = { kind: 'again', keepAddress: true, atOnce: false } as const;

const SHARED = { mode: 'single', isExclusive: false } as const;
const TWO = ['a.jpg', 'b.jpg'];
const HOUR = 3_600_000;
const ADDRESS = { url: 'http://127.0.0.1:1/2', headers: {}, expiresAt: null };

function createScene(given: Partial<Batch>, paths: readonly string[] = ['a.jpg']) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock(10_000_000);
  const nothing = () => Promise.resolve(ok(null));
  const client = { askFilesPage: nothing, askCount: nothing, askShards: nothing };
  const pipeline = createTestPipeline(ledger, { clock, client });
  const batch = ledger.batch(given);
  const { id, itemIds } = ledger.transfer(batch, paths);
  const poll = pollStateOf(new Map(), pipeline, batch.id);
  /** A complete list that shows nothing but what is given. */
  const outcome = (listing: Partial<ListingOutcome['listing']> = {}): ListingOutcome => ({
    batch: batchByRow(store, batch.id) ?? batch,
    figures: { count: 0, shards: [], indexing: 0 },
    tally: tallyBatch(store, batch.id),
    listing: {
      names: 0,
      foreign: 0,
      confirmed: [],
      replaced: [],
      unchecked: [],
      ...{
        newestListedAt: null,
        shardIdsOf: new Map(),
        lost: [],
        unsent: new Set(),
        comparedMs: 0,
        sight: null,
      },
      ...listing,
    },
    poll,
    listedAt: pipeline.time.now(),
    surplus: false,
    comparing: {
      bareNames: true,
      doubted: true,
      confirmed: false,
      depth: 'samples',
      trial: null,
      altered: false,
    },
  });
  /** Reads lists that do not show it, a second apart. */
  const listTwice = (listing: Partial<ListingOutcome['listing']> = {}): void => {
    for (let look = 0; look < 2; look += 1) {
      clock.advance(1_000);
      store.transaction(() => settleMissing(pipeline, outcome(listing), true));
    }
  };
  const transfer = (of = id) => ledger.stored(of);
  const attempt = (of = id) => ({
    pipeline,
    transfer: transfer(of),
    items: itemsOfTransfer(store, of),
    batch: batchByRow(store, batch.id) ?? batch,
  });
  return {
    ...{
      ledger,
      store,
      clock,
      pipeline,
      batch,
      id,
      itemIds,
      outcome,
      listTwice,
      transfer,
      attempt,
    },
    /** Sends it, with or without an answer, and lets lists prove after five minutes that it is not there. */
    lose: (isAnswered: boolean) => {
      const at = pipeline.time.now();
      beginSending(store, [id], at);
      if (isAnswered) markSent(store, [{ id, hashes: [], proof: null }], at, at);
      markUnknown(store, id, { lastByteAt: at, askAt: 0 }, at);
      store.run(`UPDATE items SET state = 'unknown' WHERE transfer_id = ? AND state = 'sent'`, id);
      clock.advance(300_000);
      listTwice();
    },
    sendNow: () => tryTransfer(pipeline, attempt(), (work) => work(), createSendRun(pipeline)),
    isStopped: (of = id) => store.transaction(() => doubtIfOutdated(attempt(of))),
    /** Plans what is queued; returns the transfer of the first file. */
    planAgain: async () => {
      const target = targetOf(ledger, { mode: batch.mode });
      await plan(
        pipeline,
        target,
        { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) },
        false,
      );
      return itemById(store, itemIds[0] ?? 0)?.transferId ?? 0;
    },
    /** How a listed member of the transfer appears in a list. */
    listed: (itemId: number): ListedItem => ({
      itemId,
      state: 'unknown',
      transferId: id,
      proof: null,
      sentAt: null,
      lastByteAt: transfer().lastByteAt,
    }),
  };
}

test.each(['single', 'bulk'] as const)(
  'it may go at once, but not after a minute: then it is in doubt (%s)',
  (mode) => {
    const { clock, lose, isStopped, transfer } = createScene({ mode }, TWO);
    lose(true);
    expect(transfer()).toMatchObject({ state: 'planned', doubtful: false });
    expect(isStopped()).toBe(false);
    clock.advance(60_000);
    const { lastByteAt } = transfer();
    expect(isStopped()).toBe(true);
    expect(transfer()).toMatchObject({ state: 'unknown', lastByteAt, absentAt: 0 });
  },
);

test.each([
  [1_000, 'unknown', 1],
  [60_000, 'unknown', 0],
])(
  'a doubtful video goes once more %d ms after a list did not show it: %s, %d sent',
  async (waitedMs, state, most) => {
    let puts = 0;
    const scene = createScene({ kind: 'video', mode: 'single' }, ['a.mp4']);
    const { store, clock, pipeline, id, transfer, listTwice, sendNow } = scene;
    pipeline.client.putSigned = () => {
      puts += 1;
      return Promise.resolve(fail('service.noAnswer'));
    };
    saveUpload(store, id, ADDRESS, 1);
    beginSending(store, [id], 1);
    markUnknown(store, id, { lastByteAt: clock.now(), askAt: 0 }, 1);
    listTwice();
    expect(transfer().state).toBe('registered');
    // A pause, or an outage: another computer may use the name meanwhile.
    clock.advance(waitedMs);
    await sendNow();
    expect(transfer()).toMatchObject({ state, uploadUrl: ADDRESS.url });
    expect(puts).toBe(most);
  },
);

test('a proof holds for one try', () => {
  const { pipeline, attempt, transfer, lose, isStopped } = createScene({ mode: 'single' });
  lose(true);
  beginSending(pipeline.store, [transfer().id], 1);
  const busy = sluiceError('service.busy');
  settle(attempt(), { kind: 'again', error: busy, keepAddress: false, atOnce: true });
  expect(isStopped()).toBe(true);
});

test('when it could not be tried, its last byte is as old as before', () => {
  const { attempt, transfer, lose } = createScene({ mode: 'single' });
  lose(true);
  const { lastByteAt } = transfer();
  settle(attempt(), { ...LATER, error: sluiceError('service.busy') });
  expect(transfer()).toMatchObject({ state: 'planned', lastByteAt });
});

test('when its batch is refused, nothing moves and the batch is held', () => {
  const { pipeline, attempt, transfer, lose } = createScene({ mode: 'single' });
  const { store, connectionId, time } = pipeline;
  lose(true);
  beginSending(store, [transfer().id], 1);
  settle(attempt(), { kind: 'hold', error: sluiceError('service.refused', { status: 405 }) });
  expect(heldBatches(store, connectionId, null, time.now())).not.toBeNull();
  expect(somethingMoves(store, connectionId, null, time.now())).toBe(false);
  // The next command begins with it in doubt.
  markUnknown(store, transfer().id, { lastByteAt: 1, askAt: 0 }, 1);
  expect(somethingMoves(store, connectionId, null, time.now())).toBe(false);
});

test('a new address of an archive is kept while it is looked for again, and is never a reason to send at once', () => {
  const { store, clock, attempt, transfer, lose, isStopped, listTwice } = createScene({});
  lose(true);
  saveUpload(store, transfer().id, ADDRESS, 1);
  beginSending(store, [transfer().id], 1);
  const busy = sluiceError('service.busy');
  settle(attempt(), { kind: 'again', error: busy, keepAddress: true, atOnce: true });
  expect(isStopped()).toBe(true);
  store.transaction(() => clock.advance(1));
  listTwice();
  expect(transfer()).toMatchObject({ state: 'registered', uploadUrl: ADDRESS.url });
  expect(isStopped()).toBe(false);
});

test.each(['its second answer is lost, too', 'the program ends while it is sent again'])(
  'when %s, one list is not enough to send it to its new address once more',
  (how) => {
    const { store, pipeline, attempt, transfer, lose, listTwice } = createScene({});
    lose(true);
    saveUpload(store, transfer().id, ADDRESS, 1);
    beginSending(store, [transfer().id], 1);
    if (how.startsWith('its'))
      settle(attempt(), { kind: 'unknown', error: sluiceError('service.noAnswer') });
    else recover(pipeline);
    listTwice();
    expect(transfer()).toMatchObject({ state: 'unknown', uploadUrl: ADDRESS.url });
  },
);

test.each(['unknown', 'dropped'] as const)(
  'an archive that becomes %s while it asks for its address is not sent',
  async (state) => {
    const { store, pipeline, id, lose, sendNow } = createScene({});
    lose(true);
    const address = Promise.withResolvers<Result<SignedUpload>>();
    let bodies = 0;
    Object.assign(pipeline.client, {
      registerShard: () => address.promise,
      putSigned: () => Promise.reject(new Error(`body ${(bodies += 1)}`)),
    });
    const trying = sendNow();
    await new Promise((resolve) => setImmediate(resolve));
    store.run('UPDATE transfers SET state = ? WHERE id = ?', state, id);
    address.resolve(ok({ ...ADDRESS, maxBytes: null, maxMembers: null }));
    expect(await trying).toBeNull();
    expect(bodies).toBe(0);
  },
);

test.each([
  ['was accepted', true],
  ['was never answered', false],
] as const)(
  'what %s and is planned again in a batch of several computers',
  async (_, isAnswered) => {
    const { clock, id, lose, planAgain, isStopped } = createScene(SHARED);
    lose(isAnswered);
    clock.advance(HOUR);
    const again = await planAgain();
    expect(again).toBeGreaterThan(id);
    expect(isStopped(again)).toBe(true);
  },
);

test.each(['bulk', 'single'] as const)(
  'the service having it after all is no sign of another computer (%s)',
  (mode) => {
    const { store, pipeline, batch, lose } = createScene({ mode }, TWO);
    const holds = (count: number): boolean =>
      holdsMore(pipeline, batch, { count, shards: [] }, tallyBatch(store, batch.id));
    expect(holds(1)).toBe(true);
    lose(true);
    expect([holds(2), holds(3)]).toEqual([false, true]);
  },
);

test('what is in doubt is not sent because its try could not begin', () => {
  const { pipeline, attempt, transfer, lose } = createScene({ mode: 'single' });
  lose(true);
  const before = attempt();
  doubtAgain(pipeline.store, transfer().id, 1);
  settle(before, { ...LATER, error: sluiceError('service.busy') });
  expect(transfer().state).toBe('unknown');
});

test.each(['confirmed', 'sent', 'parked'] as const)(
  'an archive that is %s by the time that its address is refused stays so',
  async (state) => {
    const { store, pipeline, id, transfer, lose, sendNow } = createScene({});
    lose(true);
    const address = Promise.withResolvers<Result<SignedUpload>>();
    Object.assign(pipeline.client, { registerShard: () => address.promise });
    const trying = sendNow();
    await new Promise((resolve) => setImmediate(resolve));
    store.run('UPDATE transfers SET state = ?, absent_at = NULL WHERE id = ?', state, id);
    address.resolve(fail('service.busy'));
    await trying;
    expect(transfer().state).toBe(state);
  },
);

test.each(['single', 'bulk'] as const)(
  'when its last check shows that others fill the batch, it keeps its name and is in doubt (%s)',
  async (mode) => {
    const { store, pipeline, batch, itemIds, transfer, lose, sendNow } = createScene({ mode });
    lose(true);
    Object.assign(pipeline.client, {
      askCount: () => Promise.resolve(ok(7)),
      registerShard: () => Promise.resolve(ok({ ...ADDRESS, maxBytes: null, maxMembers: null })),
    });
    expect(await sendNow()).toBeNull();
    expect(batchByRow(store, batch.id)?.isExclusive).toBe(false);
    expect(transfer().state).toBe('unknown');
    expect(itemById(store, itemIds[0] ?? 0)?.name).toBe('a.jpg');
  },
);

test.each([
  ['ours', 'a.jpg', null],
  ['of another computer', 'b.jpg', { stage: 'unsent', error: null }],
] as const)(
  'the service has one file more than is known, which is %s',
  async (_, fileName, expected) => {
    const { ledger, store, pipeline, batch, id, itemIds, attempt } = createScene({
      mode: 'single',
    });
    store.run(`UPDATE transfers SET state = 'confirmed' WHERE id = ?`, id);
    store.run(
      `UPDATE items SET state = 'parked', reason = 'upload.unproven' WHERE id = ?`,
      itemIds[0] ?? 0,
    );
    const next = ledger.transfer(batch, ['c.jpg']);
    Object.assign(pipeline.client, {
      askCount: () => Promise.resolve(ok(1)),
      askFilesPage: () =>
        Promise.resolve(ok({ items: [listedFile(fileName)], nextPageToken: null })),
    });
    expect(await createNamesCheck(pipeline)(attempt(next.id))).toEqual(expected);
  },
);

test('what was queued while a list showed it is compared before it is planned', async () => {
  const { pipeline, store, itemIds, attempt, lose, planAgain, clock } = createScene({}, TWO);
  lose(true);
  beginSending(store, [attempt().transfer.id], 1);
  settle(attempt(), { kind: 'changed', members: [{ index: 1, code: 'item.changed' }] });
  clock.advance(1_000);
  const asked = vi.fn(() => Promise.resolve(ok(null)));
  pipeline.client.askFilesPage = asked;
  await planAgain();
  expect(asked).toHaveBeenCalled();
  expect(itemById(store, itemIds[0] ?? 0)?.state).toBe('planned');
});

test('in a batch that others fill, no list renews the proof: it may be there under another name', async () => {
  const { pipeline, id, lose, planAgain, outcome, transfer, clock } = createScene(SHARED);
  lose(true);
  const again = await planAgain();
  expect(again).toBeGreaterThan(id);
  const { absentAt } = transfer(again);
  clock.advance(1_000);
  await settleListing(pipeline, outcome({ lost: [again] }));
  expect(transfer(again)).toMatchObject({ absentAt, state: 'planned' });
});

test('when others turn out to fill the batch, it is looked for under the name that it had', () => {
  const { store, batch, pipeline, itemIds, lose, transfer } = createScene({ mode: 'single' });
  lose(true);
  store.transaction(() => shareBatch(pipeline, batch));
  expect(transfer()).toMatchObject({ state: 'unknown' });
  expect(itemById(store, itemIds[0] ?? 0)?.name).toBe('a.jpg');
});

test('nothing of an archive is absent while a member is listed but could not be compared', () => {
  const { itemIds, listTwice, lose, listed, transfer, isStopped, clock } = createScene({}, TWO);
  lose(true);
  clock.advance(HOUR);
  expect(isStopped()).toBe(true);
  listTwice({
    names: 1,
    unchecked: [{ ...listed(itemIds[0] ?? 0), error: null, isUnique: false, nothing: false }],
  });
  expect(transfer().state).toBe('unknown');
});

test('what comes into doubt while a list is read that shows it is not absent from that list', () => {
  const { id, clock, lose, listTwice, isStopped, transfer } = createScene({ mode: 'single' });
  lose(true);
  clock.advance(HOUR);
  expect(isStopped()).toBe(true);
  listTwice({ names: 1, unsent: new Set([id]) });
  expect(transfer().state).toBe('unknown');
});

test('an archive that is shown in part, long after its last byte: the rest gets the usual time', async () => {
  const { store, pipeline, clock, itemIds, lose, listed, outcome, isStopped } = createScene(
    {},
    TWO,
  );
  const [first = 0, second = 0] = itemIds;
  lose(true);
  clock.advance(HOUR);
  expect(isStopped()).toBe(true);
  const confirmed = [{ like: listed(first), itemIds: new IdSet([first]), proof: null }];
  await settleListing(pipeline, outcome({ names: 1, confirmed }));
  for (let look = 0; look < 3; look += 1) {
    clock.advance(2_000);
    await settleListing(pipeline, outcome({ names: 1 }));
  }
  expect([first, second].map((item) => itemById(store, item)?.state)).toEqual([
    'confirmed',
    'sent',
  ]);
});

test('an archive is not sent again with a member that was parked', () => {
  const { ledger, store, clock, itemIds, id, pipeline, transfer, listTwice } = createScene({}, TWO);
  const [parked = 0, other = 0] = itemIds;
  const at = pipeline.time.now();
  ledger.sent(id, at);
  moveItem(store, parked, 'parked', at, { code: 'shard.rejected', detail: null });
  for (let look = 0; look < 2; look += 1) {
    clock.advance(HOUR);
    listTwice();
  }
  expect(transfer().state).toBe('dropped');
  expect(itemById(store, other)).toMatchObject({ state: 'queued', transferId: null });
});
