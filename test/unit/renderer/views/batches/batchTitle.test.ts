import { expect, it } from 'vitest';
import { batchTitle } from '../../../../../renderer/views/batches/batchTitle.ts';

it.each([
  ['orchard-2026-11-21', 'Orchard · 21 Nov'],
  ['line-3-host-20261121', 'Line 3 host · 21 Nov'],
  ['orchard-2026-vm-20261121-2', 'Orchard 2026 vm · 21 Nov (2)'],
  ['orchard-20261102-videos', 'Orchard · 2 Nov · videos'],
  ['cups', 'cups'],
  ['cam-1', 'cam-1'],
  ['2026-11-21', '2026-11-21'],
  ['cups-20261345', 'cups-20261345'],
])('%s is called %s', (batchId, title) => {
  expect(batchTitle({ batchId, displayName: null })).toBe(title);
});

it('a name that a person gave is taken as it is', () => {
  expect(batchTitle({ batchId: 'cups-20261121', displayName: 'Night shift' })).toBe('Night shift');
});
