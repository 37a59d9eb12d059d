import { expect, test } from 'vitest';
import { failingCode } from '../../../../../main/engine/store/queue/failing.ts';
import { beginSending } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

test('the cause is known only while every unsent transfer waits for another try', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const batch = ledger.batch();
  const fail = (id: number, code: string, since: number): unknown =>
    store.run(
      'UPDATE transfers SET last_code = ?, failing_since = ? WHERE id = ?',
      code,
      since,
      id,
    );
  const first = ledger.transfer(batch, ['a.jpg']);
  expect(failingCode(store, connectionId)).toBe(null);
  fail(first.id, 'upload.urlExpired', 2000);
  expect(failingCode(store, connectionId)).toBe('upload.urlExpired');
  const other = ledger.transfer(batch, ['b.jpg']);
  expect(failingCode(store, connectionId)).toBe(null);
  fail(other.id, 'service.busy', 1000);
  expect(failingCode(store, connectionId)).toBe('service.busy');
  expect(failingCode(store, connectionId + 1)).toBe(null);
  beginSending(store, [other.id], 3000);
  expect(failingCode(store, connectionId)).toBe(null);
});
