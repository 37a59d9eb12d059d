import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { isOthersPart, partPathOf } from '../../../../../main/engine/files/names/partPath.ts';

const MINE = 'abcdefghij';
const at = (name: string): string => join('results', 'one', name);

test('a part is next to its file, and its name shows whose it is', () => {
  const part = partPathOf(at('a.csv'), MINE);
  expect(part).toBe(at('a.csv.abcdefghij.sluice.part'));
  expect(isOthersPart(basename(part), MINE)).toBe(false);
  expect(isOthersPart(basename(part), 'another000')).toBe(true);
  for (const name of ['a.csv', 'a.part', 'sluice.part', 'abcdefghij']) {
    expect(isOthersPart(name, MINE)).toBe(false);
  }
});

test('long names that differ only at their end have parts of their own, which every file system takes', () => {
  const names = ['a', 'b'].map((end) => 'ä'.repeat(119) + end);
  const parts = names.map((name) => basename(partPathOf(at(name), MINE)));
  expect(new Set(parts).size).toBe(2);
  for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
});
