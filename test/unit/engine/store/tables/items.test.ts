/** What the ledger knows about content, and what it does with a file that returns. */
import { expect, test } from 'vitest';
import type { Store } from '../../../../../main/engine/store/store.ts';
import { expireBatch } from '../../../../../main/engine/store/tables/batches.ts';
import {
  itemById,
  itemsWithContent,
  knownContent,
  newestByPath,
  reidentify,
} from '../../../../../main/engine/store/tables/items.ts';
import { addTransfers, dropTransfer } from '../../../../../main/engine/store/tables/transfers.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger, identified } from '../../../../helpers/ledger.ts';

test('content that many items have takes no more rows than content that one has', () => {
  const ledger = createTestLedger();
  const copied = identified('copied').fingerprint ?? expect.unreachable();
  const fresh = identified('fresh').fingerprint ?? expect.unreachable();
  for (let copy = 0; copy < 20; copy += 1) ledger.item(`/${copy}.jpg`, { fingerprint: copied });
  let rows = 0;
  const counting: Store = {
    ...ledger.store,
    all: (...given) => {
      const found = ledger.store.all(...given);
      rows += found.length;
      return found;
    },
  };
  expect([...knownContent(counting, [copied, fresh, copied])]).toEqual([copied]);
  expect(rows).toBeLessThanOrEqual(2);
});

test('duplicates are not looked at when their content is looked up, however many there are', () => {
  const { store, destinationId, ...ledger } = createTestLedger();
  const { fingerprint } = identified('copied');
  if (fingerprint === null) expect.unreachable();
  const original = ledger.item('/original.jpg', { fingerprint });
  for (let copy = 0; copy < 20; copy += 1)
    ledger.item(`/${copy}.jpg`, {
      fingerprint,
      state: 'skipped',
      duplicateOf: original,
      reason: { code: 'item.duplicate', detail: null },
    });
  const place = { destinationId, baseId: null };
  expect(itemsWithContent(store, place, fingerprint, false).map(({ id }) => id)).toEqual([
    original,
  ]);
  expect([...knownContent(store, [fingerprint])]).toEqual([fingerprint]);
  // The index that both of them use does not contain the duplicates.
  const withDuplicates =
    'SELECT 1 FROM items INDEXED BY items_fingerprint WHERE fingerprint IS NOT NULL';
  expect(() => store.has(withDuplicates)).toThrow('no query solution');
  expect(store.has(`${withDuplicates} AND duplicate_of IS NULL`)).toBe(true);
});

test('the same command again finds a file that is queued, although its batch has expired', () => {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const batch = ledger.batch();
  const {
    id,
    itemIds: [item = 0],
  } = ledger.transfer(batch, ['/a.jpg']);
  dropTransfer(store, id, 2000);
  expireBatch(store, batch.id, 2000);
  const { fingerprint } = itemById(store, item) ?? expect.unreachable();
  if (fingerprint === null) expect.unreachable();
  const found = () => [
    newestByPath(store, destinationId, ['/a.jpg'], true).get('/a.jpg')?.id,
    ...itemsWithContent(store, { destinationId, baseId: null }, fingerprint, true).map(
      (one) => one.id,
    ),
  ];
  expect(found()).toEqual([item, item]);
  moveItem(store, item, 'skipped', 3000, { code: 'item.gone', detail: null });
  expect(found()).toEqual([undefined]);
});

test('a file that returns does not claim its name from the one that got it meanwhile', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const first = ledger.transfer(batch, ['a.jpg']);
  const [gone = 0] = first.itemIds;
  moveItem(store, gone, 'skipped', 2000, { code: 'item.gone', detail: null });
  const other = ledger.item('other/a.jpg');
  const members = [{ itemId: other, name: 'a.jpg', nameKey: 'a.jpg' }];
  addTransfers(
    store,
    batch.id,
    [{ kind: 'shard', sizeBytes: 100, notification: null, members }],
    3000,
  );
  const returned = itemById(store, gone);
  if (returned === null) throw new Error('the item is there');
  reidentify(store, returned, identified('a.jpg'), 4000);
  expect(itemById(store, gone)).toMatchObject({ state: 'queued', name: null });
  expect(itemById(store, other)).toMatchObject({ state: 'planned', name: 'a.jpg' });
});
