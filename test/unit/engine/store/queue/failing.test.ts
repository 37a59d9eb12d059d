import { expect, test } from 'vitest';
import { failingCode, unreadCause } from '../../../../../main/engine/store/queue/failing.ts';
import { beginSending } from '../../../../../main/engine/store/tables/transfers.ts';
import { noteWait } from '../../../../../main/engine/store/tables/waits.ts';
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
  const cause = (base: string | null = null) =>
    failingCode(store, connectionId, base === null ? null : [base]);
  const first = ledger.transfer(batch, ['a.jpg']);
  expect(cause()).toBe(null);
  fail(first.id, 'upload.urlExpired', 2000);
  expect(cause()).toBe('upload.urlExpired');
  const other = ledger.transfer(batch, ['b.jpg']);
  expect(cause()).toBe(null);
  fail(other.id, 'service.busy', 1000);
  expect(cause()).toBe('service.busy');
  expect(failingCode(store, connectionId + 1, null)).toBe(null);
  // What fails or waits in another batch says nothing about this one.
  const { id } = ledger.transfer(ledger.batch({ baseId: 'other', batchId: 'other' }), ['c.jpg']);
  expect([cause(), cause('batch-1'), cause('other')]).toEqual([null, 'service.busy', null]);
  fail(id, 'service.failed', 500);
  expect([cause('batch-1'), cause('other')]).toEqual(['service.busy', 'service.failed']);
  beginSending(store, [other.id], 3000);
  expect([cause('batch-1'), cause('other')]).toEqual([null, 'service.failed']);
});

test('why a batch cannot be read is known once that has lasted, and nothing is left to send', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const { id } = ledger.transfer(ledger.batch(), ['a.jpg']);
  const wait = { code: 'service.unexpectedAnswer', detail: 'its list ends', nextAt: null } as const;
  noteWait(store, connectionId, 'batch:batch-1', wait, 2000);
  const cause = (since: number, base = 'batch-1') =>
    unreadCause(store, connectionId, [base], since)?.context['said'];
  expect(cause(2000)).toBeUndefined();
  ledger.sent(id, 3000);
  expect(cause(2000)).toBe('its list ends');
  expect(unreadCause(store, connectionId, null, 2000)?.code).toBe('service.unexpectedAnswer');
  // What waits in another batch says nothing about this one.
  ledger.transfer(ledger.batch({ baseId: 'other', batchId: 'other' }), ['b.jpg']);
  expect(cause(2000)).toBe('its list ends');
  expect(unreadCause(store, connectionId, null, 2000)).toBe(null);
  expect(cause(1999)).toBeUndefined();
  expect(cause(2000, 'other')).toBeUndefined();
});
