/** Another program touches the part of a small file between two steps of writing it. */
import fs, { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeWhole } from '../../../../../main/engine/files/write/writeWhole.ts';
import { codeOf, scratchDirectories, valueOf } from '../scratch.ts';

const scratch = scratchDirectories();

interface Others {
  readonly beforeLink?: (part: string) => void;
  readonly afterLink?: (part: string, path: string) => void;
}

/** Writes a file while another program acts around the moment in which it gets its name. */
function writeAmong(directory: string, others: Others): ReturnType<typeof writeWhole> {
  const { linkSync } = fs;
  onTestFinished(() => {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  });
  fs.linkSync = (part, path) => {
    others.beforeLink?.(String(part));
    linkSync(part, path);
    others.afterLink?.(String(part), String(path));
  };
  syncBuiltinESMExports();
  const path = join(directory, 'a.csv');
  return writeWhole(path, `${path}.part`, Buffer.from('mine'), { replace: false });
}

test('a part that was removed after it got its name is no failure', async () => {
  const directory = scratch();
  const written = await writeAmong(directory, { afterLink: (part) => rmSync(part) });
  expect(valueOf(written)).toMatchObject({ kind: 'written' });
  expect(readdirSync(directory)).toEqual(['a.csv']);
});

test('a part that was replaced before it got its name is not taken for the file', async () => {
  const beforeLink = (part: string): void => {
    writeFileSync(`${part}.new`, 'else');
    renameSync(`${part}.new`, part);
  };
  expect(codeOf(await writeAmong(scratch(), { beforeLink }))).toBe('file.busy');
});

test('where a second name counts as another file, equal content is the file', async () => {
  const afterLink = (part: string, path: string): void => {
    rmSync(path);
    writeFileSync(path, readFileSync(part));
  };
  expect(valueOf(await writeAmong(scratch(), { afterLink }))).toMatchObject({ kind: 'written' });
});
