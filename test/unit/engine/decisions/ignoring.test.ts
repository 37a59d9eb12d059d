/** Ignoring parked files: they leave the list, stay out, keep their names, and can come back. */
import { expect, test } from 'vitest';
import { leftOutPage } from '../../../../main/engine/queries/leftOutPages.ts';
import {
  confirmAsDelivered,
  idsToRetry,
  ignoreItems,
  ignoreMany,
  ignoreProblems,
  isParked,
  parkedIds,
  parkedItems,
  retryableItems,
  retryItems,
  retryProblems,
} from '../../../../main/engine/decisions/problems.ts';
import { problemGroups } from '../../../../main/engine/queries/problemPages.ts';
import { readProblems } from '../../../../main/engine/queries/overview.ts';
import { undoDecision } from '../../../../main/engine/decisions/undoDecision.ts';
import { nameHolder } from '../../../../main/engine/store/tables/batches.ts';
import { ensureConnection } from '../../../../main/engine/store/tables/connections.ts';
import { addItem, itemById, newestByPath } from '../../../../main/engine/store/tables/items.ts';
import {
  addTransfers,
  beginSending,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { move, moveItem } from '../../../../main/engine/store/transitions.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';

const EVERYTHING = {
  destinationId: null,
  batchId: null,
  offset: 0,
  limit: 50,
  search: '',
  reason: null,
} as const;

/** A parked transfer of two files, one of which is not proved to have arrived. */
function parked(ledger: TestLedger): readonly [number, number] {
  const { store } = ledger;
  const { id, itemIds } = ledger.transfer(ledger.batch(), ['/a.jpg', '/b.jpg']);
  const [a = 0, b = 0] = itemIds;
  beginSending(store, [id], 1);
  move(store, 'transfers', id, 'parked', 2);
  const detail = JSON.stringify({ said: 'no' });
  moveItem(store, a, 'parked', 2, { code: 'upload.unproven', detail: null });
  moveItem(store, b, 'parked', 2, { code: 'shard.rejected', detail });
  return [a, b];
}

test('an ignored file is left out with what it was parked for, and its transfer is given up', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const [a, b] = parked(ledger);
  const transfer = itemById(store, b)?.transferId ?? 0;
  ignoreItems(store, parkedItems(store, b), 5);
  const ignored = itemById(store, b);
  expect(ignored).toMatchObject({ state: 'skipped', reason: 'item.ignored', transferId: null });
  expect(JSON.parse(ignored?.detail ?? '')).toEqual({ said: 'no', was: 'shard.rejected' });
  expect(transferById(store, transfer)?.state).toBe('dropped');
  expect([...readProblems(store)].flat().map(({ id }) => id)).toEqual([a]);
  const left = leftOutPage(store, ledger.connectionId, EVERYTHING);
  expect(left.rows.map(({ id, reason }) => [id, reason])).toEqual([[b, 'item.ignored']]);
});

test('of very many files, one that is tried again before its turn is left alone', async () => {
  const { store, destinationId } = createTestLedger();
  const ids = Array.from({ length: 2_500 }, (_, number) => {
    const path = `/${number}.jpg`;
    const place = { destinationId, path, relativePath: path, baseId: null };
    const id = addItem(store, place, identified(path), 1);
    moveItem(store, id, 'parked', 2, { code: 'item.unreadable', detail: null });
    return id;
  });
  const left: number[] = [];
  const pause = (): Promise<void> => {
    const [last] = parkedItems(store, parkedIds(store, null).at(-1) ?? 0);
    if (last !== undefined) retryItems(store, [last], 4);
    left.push(last?.id ?? 0);
    return Promise.resolve();
  };
  const ignored = await ignoreMany(store, parkedIds(store, null), isParked, 5, pause);
  expect(left).toEqual(ids.slice(-2).reverse());
  expect(ignored).toEqual(ids.slice(0, -2));
  expect(parkedIds(store, null)).toEqual([]);
  expect(left.map((id) => itemById(store, id)?.state)).toEqual(['queued', 'queued']);
});

test('its name is not given to another file: an unproved file may be on the service', () => {
  const ledger = createTestLedger();
  const [a] = parked(ledger);
  const { store } = ledger;
  const row = store.get('SELECT batch_row, name_key FROM items WHERE id = ?', a);
  ignoreItems(store, parkedItems(store, a), 5);
  expect(nameHolder(store, Number(row?.['batch_row']), String(row?.['name_key']))).toBe(a);
});

test('the same command again finds it ignored, also when its batch has expired', () => {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const [a] = parked(ledger);
  ignoreItems(store, parkedItems(store, a), 5);
  move(store, 'batches', itemById(store, a)?.batchRow ?? 0, 'expired', 6);
  expect(newestByPath(store, destinationId, ['/a.jpg'], true).get('/a.jpg')?.id).toBe(a);
});

test('named, it can be tried again; for all, only what is parked', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const [a, b] = parked(ledger);
  ignoreItems(store, parkedItems(store, b), 5);
  expect(retryableItems(store, null).map(({ id }) => id)).toEqual([a]);
  retryItems(store, retryableItems(store, b), 7);
  // A file that may be on the service is not checked on disk again; first the service is asked for its name.
  expect(itemById(store, b)).toMatchObject({ state: 'queued', tries: 1, reason: null });
  expect(itemById(store, b)?.fingerprint).not.toBeNull();
});

test('the window ignores one, or all of a cause, and brings one back', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  for (const path of ['/1.jpg', '/2.jpg', '/3.jpg']) {
    const reason = { code: 'item.unreadable', detail: null } as const;
    moveItem(store, ledger.item(path), 'parked', 1, reason);
  }
  const [first = 0] = parkedItems(store, null).map(({ id }) => id);
  const wanted = { ids: null, code: 'item.unreadable' } as const;
  expect(
    ignoreProblems({ store, connectionId, now: 2 }, { ids: [first], code: null }).before,
  ).toHaveLength(1);
  expect(
    ignoreProblems({ store, connectionId, now: 2 }, { ids: [first], code: null }).before,
  ).toHaveLength(0);
  expect(ignoreProblems({ store, connectionId, now: 3 }, wanted).before).toHaveLength(2);
  expect(problemGroups(store, connectionId)).toEqual([]);
  expect(
    retryProblems({ store, connectionId, now: 4 }, { ids: [first], code: null }).before,
  ).toHaveLength(1);
  expect(retryProblems({ store, connectionId, now: 4 }, wanted).before).toEqual([]);
});

test('trying again and marking as delivered are taken back while nothing came of them', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const [a, b] = parked(ledger);
  const retried = retryProblems({ store, connectionId, now: 4 }, { ids: [a, b], code: null });
  // One of them has moved on meanwhile.
  moveItem(store, b, 'skipped', 5, { code: 'item.gone', detail: null });
  expect(undoDecision(store, retried, 6)).toBe(1);
  expect(itemById(store, a)).toMatchObject({ state: 'parked', reason: 'upload.unproven' });
  expect(itemById(store, b)).toMatchObject({ state: 'skipped', reason: 'item.gone' });

  // Planned, but nothing was sent: it is removed from its transfer.
  const again = retryProblems({ store, connectionId, now: 6 }, { ids: [a], code: null });
  const members = [{ itemId: a, name: 'a.jpg', nameKey: 'a.jpg' }];
  const batchRow = itemById(store, a)?.batchRow ?? 0;
  const shard = { kind: 'shard', sizeBytes: 100, notification: null, members } as const;
  const [packed = 0] = addTransfers(store, batchRow, [shard], 6);
  expect(itemById(store, a)?.state).toBe('planned');
  expect(undoDecision(store, again, 6)).toBe(1);
  expect(transferById(store, packed)?.state).toBe('dropped');
  expect(itemById(store, a)).toMatchObject({ state: 'parked', transferId: null });

  const believed = confirmAsDelivered(store, [a], 7);
  expect(itemById(store, a)?.state).toBe('confirmed');
  expect(undoDecision(store, believed, 8)).toBe(1);
  expect(itemById(store, a)).toMatchObject({ state: 'parked', reason: 'upload.unproven' });
  // Once.
  expect(undoDecision(store, believed, 9)).toBe(0);
});

test('a queued file that is ignored waits in its place again after Undo', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const id = ledger.item('/waiting.jpg');
  const ignored = ignoreProblems({ store, connectionId, now: 2 }, { ids: [id], code: null });
  expect(itemById(store, id)).toMatchObject({ state: 'skipped', reason: 'item.ignored' });
  expect(undoDecision(store, ignored, 3)).toBe(1);
  // It is read again before it is sent.
  expect(itemById(store, id)).toMatchObject({ state: 'queued', reason: null, fingerprint: null });
  expect(undoDecision(store, ignored, 4)).toBe(0);
});

test('all are tried again at once, except those that may already be on the service', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const [unproven, rejected] = parked(ledger);
  const locked = ledger.item('/locked.jpg');
  moveItem(store, locked, 'parked', 2, { code: 'item.unreadable', detail: null });
  const decision = retryProblems({ store, connectionId, now: 4 }, { ids: null, code: null });
  expect(decision.before.map(({ id }) => id)).toEqual([rejected, locked]);
  expect(itemById(store, unproven)?.state).toBe('parked');
  expect(undoDecision(store, decision, 5)).toBe(2);
});

test('a command sends the problems of its own connection again, never those of another service', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const [a, b] = parked(ledger);
  const other = ensureConnection(store, {
    apiUrl: 'http://127.0.0.1:2',
    projectsUrl: 'http://127.0.0.1:2',
    workspace: 'demo',
  });
  expect(idsToRetry({ store, connectionId }, null)).toEqual([a, b]);
  expect(idsToRetry({ store, connectionId }, b)).toEqual([b]);
  expect(idsToRetry({ store, connectionId: other }, null)).toEqual([]);
  expect(idsToRetry({ store, connectionId: other }, b)).toEqual([]);
});

test('the same retry again continues with what an interrupted one had queued', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const [a, b] = parked(ledger);
  ledger.item('/untried.jpg');
  const retry = (id: number | null): readonly number[] => {
    const ids = idsToRetry({ store, connectionId }, id);
    retryItems(
      store,
      ids.flatMap((one) => itemById(store, one) ?? []),
      4,
    );
    return ids;
  };
  expect([retry(null), retry(null), retry(b), retry(a)]).toEqual([[a, b], [a, b], [b], [a]]);
  const batch = ledger.batch({ batchId: 'later', generation: 2 });
  const member = { itemId: a, name: 'a', nameKey: 'a' };
  const planned = { kind: 'shard', sizeBytes: 1, notification: null, members: [member] } as const;
  ledger.sent(addTransfers(store, batch.id, [planned], 5)[0] ?? 0, 6);
  expect([itemById(store, a)?.state, retry(null)]).toEqual(['sent', [a, b]]);
  store.run('UPDATE batches SET paused = 1 WHERE id = ?', batch.id);
  expect(retry(null)).toEqual([b]);
  moveItem(store, a, 'confirmed', 7);
  expect([retry(null), retry(a)]).toEqual([[b], []]);
});
