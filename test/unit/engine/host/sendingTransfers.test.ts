/** How far the transfers are that are being sent. */
import { expect, test } from 'vitest';
import {
  bodyRatio,
  bytesOnWire,
  createSendingReader,
  runningTransfers,
} from '../../../../main/engine/host/sendingTransfers.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

test.each([
  ['bulk', 1536, 30.72],
  ['single', 50, 1],
] as const)('half of the body is half of the files: %s', (mode, sent, ratio) => {
  const { store, connectionId, batch, transfer } = createTestLedger();
  // An archive needs 1,024 bytes for a file of 100.
  transfer(batch({ mode }), mode === 'bulk' ? ['/a.jpg', '/b.jpg', '/c.jpg'] : ['/a.jpg']);
  store.run(`UPDATE transfers SET state = 'sending'`);
  const sending = createSendingReader(store)(connectionId);
  expect(bytesOnWire(sending, () => sent)).toBe(50);
  expect(bodyRatio(sending)).toBe(ratio);
  const [shown] = runningTransfers(store, sending, () => sent);
  expect(shown).toMatchObject({ sentBytes: 50, sizeBytes: 100 });
});
