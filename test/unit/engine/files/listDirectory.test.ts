import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listDirectory } from '../../../../main/engine/files/listDirectory.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../helpers/results.ts';

/** A number that visits every value below `of` once, out of order. */
const shuffled = (number: number, of: number): number => (number * 7919) % of;

/** Fills a directory with so many names that it is read in several parts, and returns these names. */
function fill(directory: string, files: number): readonly string[] {
  const first = join(directory, 'a.jpg');
  writeFileSync(first, 'x');
  const names = Array.from(
    { length: files },
    (_, number) => `frame-${shuffled(number, files)}.jpg`,
  );
  for (const name of names) linkSync(first, join(directory, name));
  return [...names, 'a.jpg'];
}

test('a large directory is listed completely, in the order of the names, as often as it is asked for', async () => {
  const directory = scratch();
  const names = fill(directory, 10_000);
  expect(statSync(directory).size).toBeGreaterThan(64 * 1024);
  mkdirSync(join(directory, 'frame-5.d'));
  symlinkSync('a.jpg', join(directory, 'link ~.jpg'));
  execFileSync('mkfifo', [join(directory, 'ünder 日本.jpg')]);
  const listed = valueOf(await listDirectory(directory));
  const expected = [
    ...names.map((name) => ({ name, type: 'file' })),
    { name: 'frame-5.d', type: 'directory' },
    { name: 'link ~.jpg', type: 'link' },
    { name: 'ünder 日本.jpg', type: 'other' },
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(listed.length).toBe(10_004);
  expect([...listed]).toEqual(expected);
  expect([...listed]).toEqual(expected);
});

test.runIf(process.platform === 'linux')(
  'names of a large directory that are not UTF-8 keep their bytes',
  async () => {
    const directory = scratch();
    fill(directory, 3_000);
    const odd = Buffer.concat([Buffer.from(join(directory, 'n')), Buffer.of(0xff, 0xe9)]);
    writeFileSync(odd, 'x');
    const large = valueOf(await listDirectory(directory));
    const [found] = [...large].filter(({ name }) => name.startsWith('n'));
    expect(found).toEqual({ name: 'n\uefff\uefe9', type: 'file' });
  },
);

test('a directory that was emptied is listed as empty, even if it still takes space', async () => {
  const directory = scratch();
  for (const name of fill(directory, 3_000)) rmSync(join(directory, name));
  const listed = valueOf(await listDirectory(directory));
  expect([listed.length, ...listed]).toEqual([0]);
});

test('a path that is not a directory, or leads nowhere, is named as such', async () => {
  const directory = scratch();
  writeFileSync(join(directory, 'file'), '');
  expect(codeOf(await listDirectory(join(directory, 'none')))).toBe('item.gone');
  expect(codeOf(await listDirectory(join(directory, 'file')))).toBe('item.unreadable');
});
