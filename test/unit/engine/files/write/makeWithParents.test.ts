/** Creating a directory with its parents while others create them, too. */
import { stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWithParents } from '../../../../../main/engine/files/write/makeWithParents.ts';
import { scratch } from '../../../../helpers/scratch.ts';

test('siblings made at the same time below a directory that is not there yet are all made', async () => {
  const root = scratch();
  for (let round = 0; round < 100; round++) {
    const paths = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) =>
      join(root, `${round}`, 'results', name),
    );
    await Promise.all(paths.map(makeWithParents));
    const made = await Promise.all(paths.map(async (path) => (await stat(path)).isDirectory()));
    expect(made).toEqual(paths.map(() => true));
  }
});

test('an existing directory is fine', async () => {
  const path = join(scratch(), 'a', 'b');
  await makeWithParents(path);
  await makeWithParents(path);
  expect((await stat(path)).isDirectory()).toBe(true);
});

test('a file in the way is reported, and so is a dangling link', async () => {
  await expect(makeWithParents(join(import.meta.filename, 'below'))).rejects.toThrow(/ENOTDIR/);
  await expect(makeWithParents(import.meta.filename)).rejects.toThrow(/EEXIST/);
  const link = join(scratch(), 'link');
  await symlink('nowhere', link);
  await expect(makeWithParents(link)).rejects.toThrow(/EEXIST/);
});

test.runIf(process.platform === 'linux')(
  'a directory that is there and refuses new ones as not found ends it',
  async () => {
    await expect(makeWithParents('/proc/sluice/below')).rejects.toThrow(/ENOENT/);
  },
);
