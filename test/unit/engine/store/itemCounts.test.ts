/** The counts that the ledger keeps agree with its items, whatever happens to them. */
import { expect, test } from 'vitest';
import { forgetContent, itemById, reidentify } from '../../../../main/engine/store/tables/items.ts';
import { confirmItems, moveItem } from '../../../../main/engine/store/transitions.ts';
import {
  requeueTransfer,
  beginSending,
  dropTransfer,
  markSent,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';

function agree({ store }: TestLedger): void {
  const kept = store.all(
    'SELECT destination_id, state, count, bytes FROM item_counts WHERE count <> 0 OR bytes <> 0 ORDER BY 1, 2',
  );
  expect(kept).toEqual(
    store.all(
      'SELECT destination_id, state, count(*) AS count, sum(size_bytes) AS bytes FROM items GROUP BY 1, 2 ORDER BY 1, 2',
    ),
  );
}

test('while items go through the pipeline, change and leave', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  const one = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  const two = ledger.transfer(batch, ['/c.jpg']);
  const queued = ledger.item('/d.jpg', { sizeBytes: 5 });
  agree(ledger);
  beginSending(store, one.id, 2);
  beginSending(store, two.id, 2);
  markSent(store, one.id, { hashes: ['a', 'b'], proof: null, at: 3 }, 3);
  agree(ledger);
  confirmItems(store, one.itemIds, 4);
  const transfer = transferById(store, two.id);
  if (transfer === null) throw new Error('it is there');
  requeueTransfer(store, transfer, false, 5);
  dropTransfer(store, two.id, 6);
  agree(ledger);
  const item = itemById(store, queued);
  if (item === null) throw new Error('it is there');
  forgetContent(store, queued, 0);
  reidentify(store, item, identified('other', { sizeBytes: 7000 }), 7);
  moveItem(store, queued, 'skipped', 8, { code: 'item.ignored', detail: null });
  agree(ledger);
  store.run('DELETE FROM items WHERE id = ?', queued);
  agree(ledger);
});

test('a change that is taken back changes no count', () => {
  const ledger = createTestLedger();
  ledger.item('/a.jpg');
  const act = (): void =>
    ledger.store.transaction(() => {
      ledger.item('/b.jpg');
      throw new Error('no');
    });
  expect(act).toThrow('no');
  agree(ledger);
});
