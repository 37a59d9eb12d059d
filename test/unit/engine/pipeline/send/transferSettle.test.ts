/** What is remembered of tries that were refused, or of which nobody knows whether they arrived. */
import { expect, test } from 'vitest';
import { fail, ok, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { NAME_LOOKS } from '../../../../../main/engine/core/limits.ts';
import { createSendRun } from '../../../../../main/engine/pipeline/send/sendRun.ts';
import { tryTransfer } from '../../../../../main/engine/pipeline/send/transfer.ts';
import { recordSent, settle } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import {
  awaitedIn,
  unansweredRegistrations,
} from '../../../../../main/engine/store/queue/awaited.ts';
import { noteAbsence } from '../../../../../main/engine/store/queue/lost.ts';
import { hasToPlan } from '../../../../../main/engine/store/queue/waiting.ts';
import { readMeta } from '../../../../../main/engine/store/meta.ts';
import { batchByRow } from '../../../../../main/engine/store/tables/batches.ts';
import { statedLimits } from '../../../../../main/engine/store/tables/connections.ts';
import { itemById, itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import {
  addTransfers,
  beginSending,
  renameMembers,
  requeueTransfer,
  saveUpload,
  transferById,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

function sendingImages(count: number) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  const ids = Array.from({ length: count }, (_, number) => {
    const name = `${number}.jpg`;
    const members = [{ itemId: ledger.item(name), name, nameKey: name }];
    const image = { kind: 'image', sizeBytes: 100, notification: null, members } as const;
    const [id = 0] = addTransfers(store, batch.id, [image], 1000);
    beginSending(store, [id], 1000);
    return id;
  });
  const clock = createManualClock();
  const pipeline = createTestPipeline(ledger, { clock });
  const end = (id: number, outcome: Parameters<typeof settle>[1], beganAt?: number): void => {
    const transfer = transferById(store, id);
    const held = batchByRow(store, batch.id);
    if (transfer === null || held === null) throw new Error('both exist');
    const items = itemsOfTransfer(store, id);
    const attempt = { pipeline, transfer, batch: held, items, isTrial: true };
    settle(beganAt === undefined ? attempt : { ...attempt, beganAt }, outcome);
  };
  const refused = sluiceError('service.refused', { status: 400 });
  return { pipeline, clock, store, ids, batch, end, refused };
}

test('what was refused during a hold is tried again as soon as the service takes another file', () => {
  const { pipeline, store, ids, batch, end, refused } = sendingImages(29);
  const [late = 0, other = 0, good = 0] = ids.slice(25);
  for (const id of ids.slice(0, 25)) end(id, { kind: 'refused', error: refused });
  expect(batchByRow(store, batch.id)?.holdCode).toBe('service.refused');
  // It was sent before the hold, and its answer comes after it.
  end(late, { kind: 'refused', error: refused });
  // Another answer holds the batch now.
  end(other, { kind: 'hold', error: sluiceError('service.notFound') });
  const pause = transferById(store, late)?.retryAt ?? 0;
  expect(pause).toBeGreaterThan(60_000);
  recordSent(pipeline, [{ id: good, batchRow: batch.id, hashes: [], proof: null }]);
  expect(batchByRow(store, batch.id)?.holdCode).toBeNull();
  expect(transferById(store, late)).toMatchObject({ state: 'planned', retryAt: 0 });
  end(late, { kind: 'refused', error: refused });
  expect(transferById(store, late)?.state).toBe('parked');
});

test('what was refused during a hold is looked for before it is sent again', () => {
  const { store, ids, end, refused } = sendingImages(26);
  const [late = 0] = ids.slice(25);
  for (const id of ids) end(id, { kind: 'refused', error: refused });
  // Counts as lost, and its absence is yet to be proved.
  expect(transferById(store, late)).toMatchObject({ state: 'planned', absentAt: 0 });
  expect(transferById(store, late)?.lastByteAt).not.toBeNull();
});

test.each([
  [502, 'service.busy'],
  [500, 'service.failed'],
  [200, 'network.intercepted'],
] as const)('an answer %i of a gateway is remembered as what a person is told', (status, code) => {
  const { store, ids, end } = sendingImages(1);
  const [id = 0] = ids;
  const error = sluiceError('network.intercepted', { status });
  end(id, { kind: 'again', error, keepAddress: true, atOnce: false });
  expect(transferById(store, id)).toMatchObject({ state: 'planned', lastCode: code });
});

test('a try that the end of the program cut off is not remembered as a failure of the service', () => {
  const { pipeline, batch } = takenName('image', 'a.jpg');
  const { store } = pipeline;
  const [id = 0] = store.ids('SELECT id FROM transfers');
  beginSending(store, [id], 1000);
  const transfer = transferById(store, id);
  if (transfer === null) throw new Error('no transfer');
  const stopped = { ...pipeline, signal: AbortSignal.abort() };
  const error = sluiceError('network.lost', { fault: 'aborted' });
  const attempt = { pipeline: stopped, transfer, batch, items: itemsOfTransfer(store, id) };
  settle(attempt, { kind: 'again', error, keepAddress: true, atOnce: false });
  expect(transferById(store, id)).toMatchObject({ state: 'planned', lastCode: null });
});

test('a try that was not answered in time is remembered as such: it may arrive late', () => {
  const { store, ids, batch, end } = sendingImages(4);
  const contexts = [{ fault: 'timeout' }, { status: 504 }, { fault: 'lost' }, { status: 500 }];
  contexts.forEach((context, number) => {
    end(ids[number] ?? 0, { kind: 'unknown', error: sluiceError('service.noAnswer', context) });
  });
  const awaited = awaitedIn(store, batch.id, 0).map(({ hasTimedOut }) => hasTimedOut);
  expect(awaited).toEqual([true, true, false, false]);
});

test('a gateway that gave up at once did not wait for the body', () => {
  const { clock, store, ids, batch, end } = sendingImages(2);
  const error = sluiceError('service.noAnswer', { status: 504 });
  const began = clock.monotonicMs();
  clock.advance(4_999);
  end(ids[0] ?? 0, { kind: 'unknown', error }, began);
  clock.advance(1);
  end(ids[1] ?? 0, { kind: 'unknown', error }, began);
  const awaited = awaitedIn(store, batch.id, 0).map(({ hasTimedOut }) => hasTimedOut);
  expect(awaited).toEqual([false, true]);
});

test('an archive that was too large makes the next ones smaller, even if the service states that more is accepted', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const url = 'http://127.0.0.1:1/1';
  const nothing = () => Promise.resolve(ok(null));
  const signed = { url, headers: {}, expiresAt: null, maxBytes: 100_000_000, maxMembers: 500 };
  const pipeline = createTestPipeline(ledger, {
    client: {
      registerShard: () => Promise.resolve(ok(signed)),
      putSigned: () => Promise.resolve(fail('service.refused', { status: 413 })),
      askCount: nothing,
      askShards: nothing,
      askFilesPage: nothing,
    },
  });
  const batch = ledger.batch();
  const limits: unknown[] = [];
  for (const paths of [['a.jpg', 'b.jpg'], ['c.jpg']]) {
    const { id } = ledger.transfer(batch, paths);
    const due = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(store, id) };
    await tryTransfer(pipeline, due, (work) => work(), createSendRun(pipeline));
    limits.push(statedLimits(store, connectionId));
  }
  // Half of two images and their headers in the archive.
  const learned = { maxBytes: 100 + 2048, maxMembers: 500 };
  expect(limits).toEqual([learned, learned]);
});

test.each([
  ['lost', 1],
  ['aborted', 1],
  ['refused', 0],
  [null, 0],
] as const)(
  'the registration of an archive is noted before the service knows of it (fault: %s)',
  async (fault, left) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const batch = ledger.batch();
    const noted = () => unansweredRegistrations(store, batch.id).length;
    let before = 0;
    const nothing = () => Promise.resolve(ok(null));
    const pipeline = createTestPipeline(ledger, {
      client: {
        askCount: nothing,
        askShards: nothing,
        askFilesPage: nothing,
        registerShard: () => {
          before = noted();
          return Promise.resolve(
            fail('network.lost', fault === null ? { status: 500 } : { fault }),
          );
        },
      },
    });
    const { id } = ledger.transfer(batch, ['a.jpg']);
    const due = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(store, id) };
    await tryTransfer(pipeline, due, (work) => work(), createSendRun(pipeline));
    expect([before, noted()]).toEqual([1, left]);
  },
);

test.each([
  // Each file is compared before it is confirmed.
  ['.jpg', { state: 'registered', proof: 'verify' }],
  // Such names prove the content, also where a storage alters it.
  ['~0123abcd.jpg', { state: 'unknown', proof: null }],
] as const)(
  'an archive that is said to exist already is not sent to another address (names end with %s)',
  (ending, expected) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const pipeline = createTestPipeline(ledger);
    const batch = ledger.batch();
    const { id, itemIds } = ledger.transfer(batch, ['a.jpg', 'b.jpg']);
    const names = ['a', 'b'].map((stem) => `${stem}${ending}`);
    const members = itemIds.map((itemId, at) => {
      const name = names[at] ?? '';
      return { itemId, name, nameKey: name };
    });
    renameMembers(store, id, members);
    const url = 'http://127.0.0.1:1/1';
    saveUpload(store, id, { url, headers: {}, expiresAt: null }, 1000);
    beginSending(store, [id], 1000);
    const attempt = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(store, id) };
    settle({ pipeline, ...attempt }, { kind: 'taken', error: sluiceError('service.refused') });
    expect(transferById(store, id)).toMatchObject({ ...expected, uploadUrl: url, doubtful: true });
  },
);

test('what was damaged in transit is sent again, and its name alone never proves it', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const batch = ledger.batch();
  const { id } = ledger.transfer(batch, ['a.jpg']);
  beginSending(store, [id], 1000);
  const attempt = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(store, id) };
  settle({ pipeline, ...attempt }, { kind: 'damaged', error: sluiceError('upload.damaged') });
  expect(transferById(store, id)).toMatchObject({ state: 'planned', proof: 'verify' });
  expect(readMeta(store, `damaged:${id}`)).not.toBeNull();
});

/** A file that is sent under this name, which the service then calls taken each time. */
function takenName(kind: 'image' | 'video', name: string, isExclusive = true) {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const pipeline = createTestPipeline(ledger);
  const batch = ledger.batch({ mode: 'single', kind, isExclusive });
  const {
    id,
    itemIds: [itemId = 0],
  } = ledger.transfer(batch, ['a.jpg']);
  renameMembers(store, id, [{ itemId, name, nameKey: name }]);
  return {
    pipeline,
    batch,
    send: () => {
      beginSending(store, [id], 1000);
      const attempt = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(store, id) };
      settle({ pipeline, ...attempt }, { kind: 'taken', error: sluiceError('service.refused') });
    },
    proveAbsent: () => {
      noteAbsence(store, id, 2000);
      requeueTransfer(store, { id }, false, 2000);
    },
    looked: (tries: number) => store.run('UPDATE items SET tries = ? WHERE id = ?', tries, itemId),
    item: () => itemById(store, itemId),
    proof: () => transferById(store, id)?.proof,
    isExclusive: () => batchByRow(store, batch.id)?.isExclusive,
    hasToPlan: () => hasToPlan(store, { destinationId, baseId: null, kind: 'image' }, Infinity),
  };
}

test.each([
  ['image', false],
  ['video', false],
  // Its earlier body may have arrived late.
  ['image', true],
] as const)(
  'an %s whose name is taken waits in its batch, so that no other batch gets it, for the list to show whose it is (lost before: %s)',
  (kind, wasLost) => {
    const { send, proveAbsent, item, proof, isExclusive, ...scene } = takenName(kind, 'a.jpg');
    if (wasLost) proveAbsent();
    send();
    expect(item()).toMatchObject({ state: 'unknown', name: 'a.jpg' });
    // The name alone is no proof: another computer may have sent the object.
    expect(proof()).toBe('verify');
    expect(scene.hasToPlan()).toBe(false);
    expect(isExclusive()).toBe(true);
  },
);

test('a name that is called taken again although the list proved that it is free is not used any more', () => {
  const { send, proveAbsent, item, isExclusive, pipeline, batch } = takenName('image', 'a.jpg');
  send();
  proveAbsent();
  send();
  expect(item()).toMatchObject({ state: 'queued', name: null });
  expect(isExclusive()).toBe(false);
  // If it is listed after all, planning compares it.
  expect(pipeline.foreign.has(batch.id, 'a.jpg')).toBe(true);
});

test.each([
  [NAME_LOOKS - 1, 'image', true, 'queued'],
  [NAME_LOOKS, 'image', true, 'parked'],
  [NAME_LOOKS - 1, 'video', false, 'unknown'],
  [NAME_LOOKS, 'video', false, 'parked'],
] as const)(
  'a service that also calls a name taken that only this content can have refuses the file: after %d looks, an %s (alone in its batch: %s) is %s',
  (looks, kind, isAlone, state) => {
    const { send, item, looked } = takenName(kind, 'a~0123abcd.jpg', isAlone);
    looked(looks);
    send();
    expect(item()?.state).toBe(state);
  },
);
