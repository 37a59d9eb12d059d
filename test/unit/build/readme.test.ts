/** README promises a place in the window and a command for each operation of the specification. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../helpers/operations.ts';

test('README names the place of every operation', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8');
  const table = readme.split('| operation | where in the window |')[1]?.split('\n\n')[0] ?? '';
  const named = table
    .split('\n')
    .slice(2)
    .flatMap((row) => (row.split('|')[1] ?? '').split('·').map((name) => name.trim()));
  expect(named.toSorted()).toEqual(OPERATIONS.map(({ name }) => name).toSorted());
});
