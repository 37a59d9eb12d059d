/** For which uploads a thread is started at once. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { areFewFiles } from '../../../../main/cli/run/fewFiles.ts';
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../../../main/engine/core/limits.ts';

function directoryOf(files: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-little-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (let index = 0; index < files; index += 1)
    writeFileSync(join(directory, `${index}.jpg`), 'a');
  return directory;
}

test('a few small files are little work, whether they are named or in a directory', () => {
  const some = directoryOf(FEW_FILES - 1);
  expect(areFewFiles([some])).toBe(true);
  expect(areFewFiles([some, join(some, '1.jpg')])).toBe(true);
  expect(areFewFiles([some, join(some, '1.jpg'), join(some, '2.jpg')])).toBe(false);
  expect(areFewFiles([directoryOf(FEW_FILES + 1)])).toBe(false);
  expect(areFewFiles([directoryOf(0)])).toBe(true);
});

test('a large file, a directory in a directory, a link and what is not there are not', () => {
  const large = directoryOf(1);
  truncateSync(join(large, '0.jpg'), WHOLE_HASH_MAX_BYTES);
  expect(areFewFiles([large])).toBe(true);
  truncateSync(join(large, '0.jpg'), WHOLE_HASH_MAX_BYTES + 1);
  expect(areFewFiles([large])).toBe(false);
  expect(areFewFiles([join(large, '0.jpg')])).toBe(false);
  const deep = directoryOf(1);
  mkdirSync(join(deep, 'more'));
  expect(areFewFiles([deep])).toBe(false);
  const linked = directoryOf(1);
  if (process.platform !== 'win32') {
    symlinkSync(join(linked, '0.jpg'), join(linked, '1.jpg'));
    expect(areFewFiles([linked])).toBe(false);
  }
  expect(areFewFiles([join(linked, 'none')])).toBe(false);
});
