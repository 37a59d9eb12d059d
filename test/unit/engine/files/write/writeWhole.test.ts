import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../../../main/engine/files/write/writeWhole.ts';
import { statFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { codeOf, scratchDirectories, valueOf } from '../scratch.ts';

const scratch = scratchDirectories();
const KEEP = { replace: false };
const REPLACE = { replace: true };
const bytes = (text: string): Buffer => Buffer.from(text);

test('a file appears complete under its name, and its stamp is returned', async () => {
  const directory = scratch();
  const path = join(directory, 'deep', 'er', 'a.csv');
  const written = valueOf(await writeWhole(path, bytes('one,two'), KEEP));
  expect(readFileSync(path, 'utf8')).toBe('one,two');
  expect(written).toEqual({ kind: 'written', stamp: valueOf(statFile(path)).stamp });
  expect(readdirSync(join(directory, 'deep', 'er'))).toEqual(['a.csv']);
});

test('an existing file with the name stays, unless it is to be replaced', async () => {
  const path = join(scratch(), 'a.csv');
  writeFileSync(path, 'old');
  expect(valueOf(await writeWhole(path, bytes('new'), KEEP))).toEqual({ kind: 'occupied' });
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(existsSync(`${path}.sluice.part`)).toBe(false);
  expect(valueOf(await writeWhole(path, bytes('new'), REPLACE))).toMatchObject({ kind: 'written' });
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('a link has the name, too, and is never written through', async () => {
  const directory = scratch();
  writeFileSync(join(directory, 'victim'), 'safe');
  const path = join(directory, 'a.csv');
  symlinkSync('victim', path);
  expect(valueOf(await writeWhole(path, bytes('new'), KEEP))).toEqual({ kind: 'occupied' });
  expect(valueOf(await writeWhole(path, bytes('new'), REPLACE))).toMatchObject({ kind: 'written' });
  expect(readFileSync(join(directory, 'victim'), 'utf8')).toBe('safe');
});

test('a part that is no file is refused: bytes go nowhere else, and nothing waits for a pipe', async () => {
  const directory = scratch();
  writeFileSync(join(directory, 'victim'), 'safe');
  symlinkSync('victim', join(directory, 'a.csv.sluice.part'));
  symlinkSync('nowhere', join(directory, 'b.csv.sluice.part'));
  mkdirSync(join(directory, 'c.csv.sluice.part'));
  execFileSync('mkfifo', [join(directory, 'd.csv.sluice.part')]);
  for (const name of ['a.csv', 'b.csv', 'c.csv', 'd.csv']) {
    const path = join(directory, name);
    expect(codeOf(await writeWhole(path, bytes('new'), KEEP))).toBe('disk.failed');
    expect(existsSync(path)).toBe(false);
  }
  expect(readFileSync(join(directory, 'victim'), 'utf8')).toBe('safe');
  expect(existsSync(join(directory, 'nowhere'))).toBe(false);
});

test('what an earlier try left is written over', async () => {
  const path = join(scratch(), 'a.csv');
  writeFileSync(`${path}.sluice.part`, 'much longer than what comes');
  expect(valueOf(await writeWhole(path, bytes('short'), KEEP))).toMatchObject({ kind: 'written' });
  expect(readFileSync(path, 'utf8')).toBe('short');
});

test('two that write the same part at the same time: each file is whole and its own', async () => {
  const path = join(scratch(), 'a.csv');
  const texts = ['one', 'two, which is longer', 'three'];
  const all = await Promise.all(texts.map((text) => writeWhole(path, bytes(text), REPLACE)));
  const last = texts[all.findIndex(({ ok }) => ok)];
  expect(all.filter(({ ok }) => ok)).toHaveLength(1);
  for (const one of all) if (!one.ok) expect(codeOf(one)).toBe('file.busy');
  expect(readFileSync(path, 'utf8')).toBe(last);
});

test('another hard link to a leftover part file keeps its bytes', async () => {
  const directory = scratch();
  const path = join(directory, 'a.csv');
  writeFileSync(join(directory, 'copy'), 'kept');
  linkSync(join(directory, 'copy'), `${path}.sluice.part`);
  expect(valueOf(await writeWhole(path, bytes('new'), KEEP))).toMatchObject({ kind: 'written' });
  expect(readFileSync(join(directory, 'copy'), 'utf8')).toBe('kept');
});

test('a directory with that name, or a file in place of the directory, is reported', async () => {
  const directory = scratch();
  mkdirSync(join(directory, 'a.csv', 'full'), { recursive: true });
  expect(codeOf(await writeWhole(join(directory, 'a.csv'), bytes('x'), REPLACE))).toBe(
    'disk.failed',
  );
  writeFileSync(join(directory, 'file'), '');
  expect(codeOf(await writeWhole(join(directory, 'file', 'b.csv'), bytes('x'), KEEP))).toBe(
    'disk.failed',
  );
});

test('many at once in the same directories, each whole', async () => {
  const directory = scratch();
  const names = Array.from({ length: 200 }, (_, index) => `${index % 3}/${index}.bin`);
  const written = await Promise.all(
    names.map((name) => writeWhole(join(directory, name), bytes(name), KEEP)),
  );
  for (const one of written) expect(valueOf(one)).toMatchObject({ kind: 'written' });
  for (const name of names) expect(readFileSync(join(directory, name), 'utf8')).toBe(name);
});
