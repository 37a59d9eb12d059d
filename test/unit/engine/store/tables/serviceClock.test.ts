/** What the ledger remembers about the service's clock, and when that is no longer valid. */
import { expect, test } from 'vitest';
import {
  noteServiceClock,
  serviceAheadMs,
} from '../../../../../main/engine/store/tables/serviceClock.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

const T = 1_800_000_000_000;
const HOUR = 3_600_000;

test('the difference is known for a day, and not after this computer was set back', () => {
  const { store, connectionId } = createTestLedger();
  const ahead = (now: number): number => serviceAheadMs(store, connectionId, now);
  expect(ahead(T)).toBe(0);
  noteServiceClock(store, connectionId, { service: T - 192 * HOUR, local: T });
  expect(ahead(T)).toBe(-192 * HOUR);
  expect(ahead(T + 23 * HOUR)).toBe(-192 * HOUR);
  expect(ahead(T + 25 * HOUR)).toBe(0);
  expect(ahead(T - 192 * HOUR)).toBe(0);
  expect(serviceAheadMs(store, connectionId + 1, T)).toBe(0);
});
