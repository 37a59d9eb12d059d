/** For which uploads a thread is started at once. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { areFewFiles } from '../../../../main/cli/run/fewFiles.ts';
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../../../main/engine/core/limits.ts';
import { scratch } from '../../../helpers/scratch.ts';

const CLOCK = { sleep: () => new Promise<never>(() => undefined) };

function directoryOf(files: number): string {
  const directory = scratch();
  for (let index = 0; index < files; index += 1)
    writeFileSync(join(directory, `${index}.jpg`), 'a');
  return directory;
}

test('a few small files are few, whether they are named or in a directory', async () => {
  const some = directoryOf(FEW_FILES - 1);
  expect(await areFewFiles(CLOCK, [some])).toBe(true);
  expect(await areFewFiles(CLOCK, [some, join(some, '1.jpg')])).toBe(true);
  expect(await areFewFiles(CLOCK, [some, join(some, '1.jpg'), join(some, '2.jpg')])).toBe(false);
  expect(await areFewFiles(CLOCK, [directoryOf(FEW_FILES + 1)])).toBe(false);
  expect(await areFewFiles(CLOCK, [directoryOf(0)])).toBe(true);
});

test('a large file, a directory in a directory, a link and what is not there are not', async () => {
  const large = directoryOf(1);
  truncateSync(join(large, '0.jpg'), WHOLE_HASH_MAX_BYTES);
  expect(await areFewFiles(CLOCK, [large])).toBe(true);
  truncateSync(join(large, '0.jpg'), WHOLE_HASH_MAX_BYTES + 1);
  expect(await areFewFiles(CLOCK, [large])).toBe(false);
  expect(await areFewFiles(CLOCK, [join(large, '0.jpg')])).toBe(false);
  const deep = directoryOf(1);
  mkdirSync(join(deep, 'more'));
  expect(await areFewFiles(CLOCK, [deep])).toBe(false);
  const linked = directoryOf(1);
  if (process.platform !== 'win32') {
    symlinkSync(join(linked, '0.jpg'), join(linked, '1.jpg'));
    expect(await areFewFiles(CLOCK, [linked])).toBe(false);
  }
  expect(await areFewFiles(CLOCK, [join(linked, 'none')])).toBe(false);
});

test('what does not answer is not, and the guess does not wait for it', async () => {
  const late = { sleep: () => Promise.resolve() };
  expect(await areFewFiles(late, [directoryOf(1)])).toBe(false);
});
