import { expect, test } from 'vitest';
import { NO_COUNTS as counts } from '../../../main/engine/status/counts.ts';
import type { Counts } from '../../../preload/contract/records.ts';
import type { ByteProgress } from '../../../preload/contract/snapshot.ts';
import { doneFraction } from '../../../preload/contract/figures.ts';
import { bytesToGo, filesToGo, percentDone, toGoWords } from '../../../preload/contract/toGo.ts';
import { snapshotOf } from '../../e2e/gallery/snapshots.ts';

const none = { confirmed: 0, sent: 0, onWire: 0, total: 0 };
const { pipeline, watches, drops } = snapshotOf('busy');
const calm = { watches, drops: [] };

function words(of: Counts, bytes: ByteProgress, folders: Partial<typeof calm> = {}): string {
  return toGoWords({ ...calm, ...folders, pipeline: { ...pipeline, counts: of, bytes } });
}

test('what is left does not depend on what was uploaded before this work', () => {
  const open = { ...counts, queued: 1900, sending: 1000, sent: 100 };
  const bytes = { confirmed: 3e8, sent: 5e7, onWire: 6e7, total: 1e9 };
  for (const confirmed of [0, 1_204_000]) {
    expect(filesToGo({ ...open, confirmed })).toBe('3,000 files to go');
    expect(words({ ...open, confirmed }, bytes)).toBe('3,000 files to go, 41 % done');
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
    expect(words({ ...counts, confirmed: 300, queued: 1 }, bytes)).toBe('1 file to go');
  }
});

test('while more is found, there is neither a percentage nor a total', () => {
  const open = { ...counts, queued: 3 };
  const bytes = { ...none, sent: 98, total: 100 };
  const scanned = watches.map((watch) => ({ ...watch, state: 'scanning' as const }));
  expect(words(open, bytes, { watches: scanned })).toBe('3 files to go so far');
  const read = drops.map((drop) => ({ ...drop, reading: true }));
  expect(toGoWords({ ...calm, drops: read, pipeline: { ...pipeline, counts: open, bytes } })).toBe(
    '3 files to go so far',
  );
});
