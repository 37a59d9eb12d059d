import { expect, test } from 'vitest';
import { bytesLeft, createProgressMeter } from '../../../../main/engine/status/progress.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

const WHAT = 'destination:1' as const;

test('new work begins at 0, whatever was confirmed before, and goes on after a restart', () => {
  const { store } = createTestLedger();
  const meter = createProgressMeter(store);
  meter.update(new Map([[WHAT, { confirmed: 900, sent: 0, unsent: 0, open: 0 }]]));
  meter.update(new Map([[WHAT, { confirmed: 900, sent: 0, unsent: 100, open: 4 }]]));
  expect(meter.of(WHAT, 30)).toEqual({ confirmed: 0, sent: 0, onWire: 30, total: 100 });
  const later = new Map([[WHAT, { confirmed: 925, sent: 25, unsent: 50, open: 3 }]]);
  meter.update(later);
  // Never more than what is still unsent.
  const progress = meter.of(WHAT, 80);
  expect(progress).toEqual({ confirmed: 25, sent: 25, onWire: 50, total: 100 });
  expect(bytesLeft(progress)).toBe(0);

  const restarted = createProgressMeter(store);
  restarted.update(later);
  expect(restarted.of(WHAT, 10)).toEqual({ confirmed: 25, sent: 25, onWire: 10, total: 100 });
  restarted.update(new Map([[WHAT, { confirmed: 1000, sent: 0, unsent: 0, open: 0 }]]));
  expect(restarted.of(WHAT, 0).total).toBe(0);
});
