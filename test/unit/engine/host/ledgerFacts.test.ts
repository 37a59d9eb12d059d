/** What the window shows as waiting. */
import { expect, test } from 'vitest';
import { waitsOfWork } from '../../../../main/engine/host/ledgerFacts.ts';
import { noteWait } from '../../../../main/engine/store/tables/waits.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

test('without a network, nothing waits until there is something to do; a cause that needs a person is always shown', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const codes = (): readonly unknown[] => waitsOfWork(store, connectionId).map(({ code }) => code);
  const note = (code: 'network.lost' | 'network.proxyAuth'): void =>
    noteWait(store, connectionId, 'connection', { code, detail: null, nextAt: 2000 }, 1000);
  note('network.lost');
  expect(codes()).toEqual([]);
  ledger.item('/a.jpg');
  expect(codes()).toEqual(['network.lost']);
  store.run("UPDATE items SET state = 'skipped'");
  expect(codes()).toEqual([]);
  note('network.proxyAuth');
  expect(codes()).toEqual(['network.proxyAuth']);
});
