/** After a connection broke, Sluice asks at once about what it was sending; other connections continue. */
import { expect, test } from 'vitest';
import { ensureConnection } from '../../../../../main/engine/store/tables/connections.ts';
import {
  beginSending,
  recoverSending,
  transferById,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

test('transfers of one connection are recovered without touching those of another', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const address = { apiUrl: 'http://127.0.0.1:2', projectsUrl: 'http://127.0.0.1:2' };
  const other = ensureConnection(store, { ...address, workspace: 'other' });
  const hung = ledger.transfer(ledger.batch(), ['/a.jpg']);
  const busy = ledger.transfer(ledger.batch({ connectionId: other, batchId: 'b' }), ['/b.jpg']);
  for (const { id } of [hung, busy]) beginSending(store, [id], 1000);
  expect(recoverSending(store, connectionId, { now: 5000, laterMs: null }, 6000)).toBe(1);
  expect(transferById(store, hung.id)).toMatchObject({ state: 'unknown', lastByteAt: 5000 });
  expect(transferById(store, busy.id)?.state).toBe('sending');
  expect(recoverSending(store, other, { now: 5000, laterMs: null }, 6000)).toBe(1);
  expect(transferById(store, busy.id)?.state).toBe('unknown');
});
