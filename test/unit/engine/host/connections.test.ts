/** What the window reads from the ledger: counts, pages, news, settings, and how snapshots are numbered. */
import { expect, test } from 'vitest';
import { itemPage, likePattern } from '../../../../main/engine/queries/itemPages.ts';
import { confirmAsDelivered, retryProblems } from '../../../../main/engine/decisions/problems.ts';
import { problemGroups } from '../../../../main/engine/queries/problemPages.ts';
import { createSentMeter } from '../../../../main/engine/runner/sentMeter.ts';
import { createRevisionCounter } from '../../../../main/engine/host/snapshot.ts';
import { createCachedQuery } from '../../../../main/engine/runner/cachedQuery.ts';
import { NO_COUNTS, readCounts } from '../../../../main/engine/status/counts.ts';
import {
  removeConnection,
  ledgerConnections,
  addConnection,
  dropUnusedEnvironmentConnections,
  selectConnection,
  selectedConnection,
} from '../../../../main/engine/host/connections.ts';
import { createEventFinder, createRefusalFinder } from '../../../../main/engine/host/events.ts';
import {
  capOf,
  readEngineSettings,
  STANDARD_SETTINGS,
  writeEngineSettings,
} from '../../../../main/engine/settings/engineSettings.ts';
import { createThroughput, leftMs, limited } from '../../../../main/engine/host/throughput.ts';
import { uploadBatchId } from '../../../../main/engine/uploads/pendingUploads.ts';
import { addWatch } from '../../../../main/engine/store/tables/watches.ts';
import { confirmItems, move, moveItem } from '../../../../main/engine/store/transitions.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';

const ALL = {
  offset: 0,
  limit: 50,
  search: '',
  state: 'all',
  sort: 'added',
  descending: false,
} as const;

function deliver(ledger: TestLedger, transferId: number, batchRow: number): void {
  ledger.sent(transferId, 2000);
  const rows = ledger.store.all(`SELECT id FROM items WHERE batch_row = ?`, batchRow);
  confirmItems(
    ledger.store,
    rows.map(({ id }) => Number(id)),
    3000,
  );
  move(ledger.store, 'transfers', transferId, 'confirmed', 3000);
}

test('counts agree with the items, by connection', () => {
  const ledger = createTestLedger();
  const batch = ledger.batch();
  const transfer = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  ledger.item('/c.jpg');
  const parked = ledger.item('/d.jpg');
  moveItem(ledger.store, parked, 'parked', 1000, { code: 'item.unreadable', detail: null });
  deliver(ledger, transfer.id, batch.id);
  const { byConnection } = readCounts(ledger.store);
  const own = byConnection.get(ledger.connectionId);
  expect(own?.counts).toEqual({ ...NO_COUNTS, found: 4, queued: 1, confirmed: 2, attention: 1 });
  expect(byConnection.get(99)).toBeUndefined();
  expect(own?.bytes).toEqual({ confirmed: 200, sent: 0, unsent: 100 });
});

test('a reading is repeated only when something was written, and never too often', () => {
  const ledger = createTestLedger();
  const clock = createManualClock();
  let reads = 0;
  const read = createCachedQuery(ledger.store, clock, () => {
    reads += 1;
    clock.advance(10);
    return reads;
  });
  expect([read(), read()]).toEqual([1, 1]);
  ledger.item('/a.jpg');
  expect(read()).toBe(1);
  clock.advance(200);
  expect(read()).toBe(2);
  clock.advance(10_000);
  expect(read()).toBe(2);
  ledger.item('/b.jpg');
  expect(read()).toBe(3);
});

test('items come by page, found by any part of their path, in the order asked for', async () => {
  const ledger = createTestLedger();
  const batch = ledger.batch({ batchId: 'cam' });
  ledger.transfer(batch, ['/x/b%1.jpg', '/x/a.jpg', '/x/c.jpg']);
  const page = async (change: object): Promise<readonly string[]> => {
    const query = { ...ALL, batchId: 'cam', ...change };
    const { rows } = await itemPage(ledger.store, ledger.connectionId, query);
    return rows.map(({ path }) => path);
  };
  expect(await page({})).toEqual(['/x/b%1.jpg', '/x/a.jpg', '/x/c.jpg']);
  expect(await page({ offset: 1, limit: 1 })).toEqual(['/x/a.jpg']);
  expect(await page({ search: '%' })).toEqual(['/x/b%1.jpg']);
  expect(await page({ state: 'confirmed' })).toEqual([]);
  expect((await page({ state: 'queued', descending: true }))[0]).toBe('/x/c.jpg');
  const other = await itemPage(ledger.store, ledger.connectionId, { ...ALL, batchId: 'other' });
  expect(other).toMatchObject({ total: 0 });
  expect(likePattern(' a_b\\ ')).toBe('%a\\_b\\\\%');
});

test('problems are grouped by cause, and a person decides about each', () => {
  const ledger = createTestLedger();
  const ids = ['/a.jpg', '/b.jpg', '/c.jpg'].map((path) => ledger.item(path));
  const park = (index: number, code: 'item.unreadable' | 'upload.unproven'): void =>
    moveItem(ledger.store, ids[index] ?? 0, 'parked', 5, { code, detail: '{"said":"why"}' });
  park(0, 'item.unreadable');
  park(1, 'item.unreadable');
  park(2, 'upload.unproven');
  const groups = problemGroups(ledger.store, ledger.connectionId);
  expect(groups.map(({ code, count, detail }) => [code, count, detail])).toEqual([
    ['item.unreadable', 2, 'why'],
    ['upload.unproven', 1, 'why'],
  ]);
  expect(confirmAsDelivered(ledger.store, ids, 9).before).toHaveLength(1);
  const wanted = { ids: null, code: 'item.unreadable' } as const;
  expect(
    retryProblems({ store: ledger.store, connectionId: ledger.connectionId, now: 9 }, wanted)
      .before,
  ).toHaveLength(2);
  expect(problemGroups(ledger.store, ledger.connectionId)).toEqual([]);
});

test('a batch is reported once, even if it appeared and disappeared between two checks', () => {
  const ledger = createTestLedger();
  const finder = createEventFinder(ledger.store);
  expect(finder(0)).toEqual([]);
  const batch = ledger.batch({ batchId: 'quick' });
  const transfer = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  deliver(ledger, transfer.id, batch.id);
  expect(finder(1000)).toEqual([]);
  expect(finder(9000)).toEqual([
    {
      kind: 'confirmed',
      connectionIds: [ledger.connectionId],
      batchIds: ['quick'],
      files: 2,
    },
  ]);
  expect(finder(20_000)).toEqual([]);
  const item = ledger.item('/bad.jpg');
  moveItem(ledger.store, item, 'parked', 1, { code: 'item.unreadable', detail: null });
  expect(finder(21_000)).toEqual([]);
  expect(finder(26_000)).toEqual([
    { kind: 'attention', connectionIds: [ledger.connectionId], count: 1 },
  ]);
  expect(finder(40_000)).toEqual([]);
});

test('files that trickle in are announced together, once no more come', () => {
  const ledger = createTestLedger();
  const finder = createEventFinder(ledger.store);
  const batch = ledger.batch({ batchId: 'trickle' });
  const told: unknown[] = [];
  let now = 0;
  const tick = (ms: number): void => {
    for (const end = now + ms; now < end; now += 1000) told.push(...finder(now));
  };
  for (const name of ['/a.jpg', '/b.jpg', '/c.jpg']) {
    deliver(ledger, ledger.transfer(batch, [name]).id, batch.id);
    tick(30_000);
  }
  expect(told).toMatchObject([{ kind: 'confirmed', batchIds: ['trickle'], files: 1 }]);
  tick(600_000);
  expect(told.slice(1)).toMatchObject([{ kind: 'confirmed', batchIds: ['trickle'], files: 2 }]);
});

test('a refused key is reported once, until it was accepted in between', () => {
  const find = createRefusalFinder();
  expect(find([])).toEqual([]);
  expect(find(['demo'])).toEqual([{ kind: 'refused', workspace: 'demo' }]);
  expect(find(['demo'])).toEqual([]);
  expect(find([])).toEqual([]);
  expect(find(['demo'])).toHaveLength(1);
});

test('settings are checked before they are kept, and damaged ones are the standard ones', () => {
  const { store } = createTestLedger();
  expect(readEngineSettings(store)).toEqual(STANDARD_SETTINGS);
  const wanted = { ...STANDARD_SETTINGS, bandwidth: '2M', lanesMost: 3 };
  expect(writeEngineSettings(store, wanted).ok).toBe(true);
  expect(readEngineSettings(store)).toEqual(wanted);
  expect(writeEngineSettings(store, { ...wanted, bandwidth: 'fast' }).ok).toBe(false);
  expect(readEngineSettings(store)).toEqual(wanted);
  store.run(`UPDATE settings SET value = '{"lanesMost":"x"}'`);
  expect(readEngineSettings(store)).toEqual(STANDARD_SETTINGS);
  expect([capOf('', 0), capOf('fast', 0)]).toEqual([null, null]);
  expect(capOf('1M', 0)).toBeGreaterThan(900_000);
});

test('connections are chosen, hidden with their queue, and brought back', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const item = ledger.item('/a.jpg');
  const packed = ledger.transfer(ledger.batch(), ['/b.jpg']).itemIds[0] ?? 0;
  const wanted = { apiUrl: 'http://127.0.0.1:2', projectsUrl: 'http://127.0.0.1:2' };
  const id = addConnection(store, { ...wanted, workspace: 'two' }, 'person');
  expect(selectedConnection(store)).toMatchObject({ id });
  selectConnection(store, ledger.connectionId);
  const first = selectedConnection(store);
  expect(first?.id).toBe(ledger.connectionId);
  if (first !== null) removeConnection(store, first, 'forget', 7);
  expect(ledgerConnections(store).map((one) => one.id)).toEqual([id]);
  expect(selectedConnection(store)?.id).toBe(id);
  for (const one of [item, packed]) {
    expect(store.get('SELECT state FROM items WHERE id = ?', one)).toMatchObject({
      state: 'skipped',
    });
  }
  expect(store.all(`SELECT 1 FROM transfers WHERE state <> 'dropped'`)).toEqual([]);
});

test('a connection of the environment goes with its variables, unless something waits for it', () => {
  const { store } = createTestLedger();
  const at = (workspace: string) => ({
    apiUrl: 'http://127.0.0.1:2',
    projectsUrl: 'http://127.0.0.1:2',
    workspace,
  });
  const kept = addConnection(store, at('kept'), 'person');
  const [idle, watched, named] = [
    addConnection(store, at('idle'), 'environment'),
    addConnection(store, at('watched'), 'environment'),
    addConnection(store, at('named'), 'environment'),
  ];
  expect(addConnection(store, at('kept'), 'environment')).toBe(kept);
  addWatch(store, watched, standardRule('/camera', 'camera'), 'camera', false, 7);
  dropUnusedEnvironmentConnections(store, named);
  const ids = (): readonly number[] => ledgerConnections(store).map(({ id }) => id);
  expect(ids()).toEqual(expect.arrayContaining([kept, watched, named]));
  expect(ids()).not.toContain(idle);
  dropUnusedEnvironmentConnections(store, null);
  expect(ids()).not.toContain(named);
  expect(addConnection(store, at('idle'), 'environment')).toBe(idle);
  expect(addConnection(store, at('idle'), 'person')).toBe(idle);
  dropUnusedEnvironmentConnections(store, null);
  expect(ids()).toEqual(expect.arrayContaining([kept, watched, idle]));
});

test('snapshots get a new number only when something changed', () => {
  const number = createRevisionCounter();
  const parts = { notices: [] };
  // The numbering only checks whether the parts differ.
  const give = (notices: readonly string[]): readonly [number, boolean] => {
    const seen: ReturnType<typeof number> = Reflect.apply(number, undefined, [
      { ...parts, notices },
      1,
    ]);
    return [seen.snapshot.revision, seen.changed];
  };
  expect([give([]), give([]), give(['a']), give(['a'])]).toEqual([
    [1, true],
    [1, false],
    [2, true],
    [2, false],
  ]);
});

test('throughput has one value per second of the last two minutes', () => {
  const ring = createThroughput();
  for (let second = 0; second <= 200; second += 1) ring.record(second * 100, second * 1000);
  expect(ring.values()).toHaveLength(120);
  expect(ring.rate()).toBe(100);
  ring.record(0, 203_000);
  expect(ring.values().slice(-3)).toEqual([0, 0, 0]);
  // Once the last traffic is two minutes old there is nothing to draw, and nothing changes.
  ring.record(0, 400_000);
  expect(ring.values()).toEqual([]);
});

test('what a transfer sent is remembered for the latest few', () => {
  const meter = createSentMeter();
  for (let id = 1; id <= 200; id += 1) meter.note(id, id * 10, 0);
  expect([meter.of(200), meter.of(1)]).toEqual([2000, 0]);
});

test('a long try of a transfer is progress, but not the same bytes again and again', () => {
  const meter = createSentMeter();
  let now = 0;
  // Each try lasts two minutes.
  const gotOn = (bytes: number): boolean => {
    meter.note(1, 1, (now += 1000));
    return meter.note(1, bytes, (now += 120_000));
  };
  expect(Array.from({ length: 8 }, () => gotOn(100))).toEqual([
    ...[true, true, true, true, true, true],
    ...[false, false],
  ]);
  // As soon as it gets further than ever before, it may be interrupted as often again.
  expect([gotOn(90), gotOn(110), gotOn(50)]).toEqual([false, true, true]);
  meter.note(2, 1, now);
  expect(meter.note(2, 100, now + 1000)).toBe(false);
});

test('the time left rests on half a minute, without the idle time before it', () => {
  const ring = createThroughput();
  const sent = [0, 0, 0, 900, 1000, 1100, 1100];
  let bytes = 0;
  sent.forEach((more, second) => ring.record((bytes += more), second * 1000));
  expect(ring.values()).toEqual(sent.slice(3));
  expect([ring.rate(), ring.steadyRate()]).toEqual([820, 1025]);
  for (let second = 0; second < 40; second += 1) ring.record(bytes, (sent.length + second) * 1000);
  expect(ring.steadyRate()).toBe(0);
});

test('the time left follows a limit at once', () => {
  expect(leftMs(52e6, limited(1e6, null))).toBe(52_000);
  expect(leftMs(52e6, limited(1e6, 200e3))).toBe(260_000);
  expect(leftMs(52e6, limited(100e3, 200e3))).toBe(520_000);
  expect([leftMs(0, 1e6), leftMs(52e6, 0)]).toEqual([null, null]);
});

test('the batch of dropped files is filled and made legal', () => {
  const at = new Date(2026, 10, 21, 12).getTime();
  expect(uploadBatchId('Line 2 {date}', '/x', at)).toBe('line-2-2026-11-21');
  expect(uploadBatchId('…', '/x', at)).toBeNull();
  expect(uploadBatchId('a-{n}', '/x', at)).toBeNull();
});
