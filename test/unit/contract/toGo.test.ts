import { expect, test } from 'vitest';
import { NO_COUNTS as counts } from '../../../main/engine/status/counts.ts';
import { doneFraction } from '../../../preload/contract/figures.ts';
import { bytesToGo, filesToGo, percentDone, toGoWords } from '../../../preload/contract/toGo.ts';

const none = { confirmed: 0, sent: 0, onWire: 0, total: 0 };

test('what is left does not depend on what was uploaded before this work', () => {
  const open = { ...counts, queued: 1900, sending: 1000, sent: 100 };
  const bytes = { confirmed: 3e8, sent: 5e7, onWire: 6e7, total: 1e9 };
  for (const confirmed of [0, 1_204_000]) {
    expect(filesToGo({ ...open, confirmed })).toBe('3,000 files to go');
    expect(toGoWords({ ...open, confirmed }, bytes)).toBe('3,000 files to go, 41 % done');
  }
  expect(bytesToGo(bytes)).toBe('590 MB to go');
});

test('it is not done before the last file is confirmed', () => {
  const sent = { ...none, sent: 100, total: 100 };
  expect(percentDone(sent)).toBe('99 % done');
  expect(bytesToGo(sent)).toBeNull();
  expect(doneFraction({ ...none, confirmed: 100, total: 100 })).toBe(1);
});

test('files without a size yet have no percentage', () => {
  for (const bytes of [none, { ...none, confirmed: 100, total: 100 }]) {
    expect(toGoWords({ ...counts, confirmed: 300, queued: 1 }, bytes)).toBe('1 file to go');
  }
});
