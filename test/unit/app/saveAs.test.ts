import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { scratch } from '../../helpers/scratch.ts';

const asked = vi.hoisted(() => ({ path: '' }));

vi.mock('electron', () => ({
  dialog: { showSaveDialog: async () => ({ canceled: false, filePath: asked.path }) },
}));

const { saveAs } = await import('../../../main/app/ipc/saveAs.ts');

test('a file is saved whole, and changes no other file of the user', async () => {
  const directory = scratch();
  asked.path = join(directory, 'receipt.csv');
  await writeFile(`${asked.path}.part`, 'of the user');
  const allowed: (readonly string[])[] = [];
  const window = { current: () => Object.create(null) };
  const allow = (paths: readonly string[]): void => void allowed.push(paths);
  expect(await saveAs({ window, allowed: { allow } }, 'receipt.csv', ['a\r\n', 'b\r\n'])).toEqual({
    ok: true,
    value: { path: asked.path },
  });
  expect(await readFile(asked.path, 'utf8')).toBe('a\r\nb\r\n');
  expect(await readFile(`${asked.path}.part`, 'utf8')).toBe('of the user');
  expect((await readdir(directory)).toSorted()).toEqual(['receipt.csv', 'receipt.csv.part']);
  expect(allowed).toEqual([[asked.path]]);
});
