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
import { describe, expect, test } from 'vitest';
import type { Written } from '../../../../../main/engine/core/ports.ts';
import { SYNC_CALLS, ASYNC_CALLS } from '../../../../../main/engine/files/write/writeCalls.ts';
import { writeWhole } from '../../../../../main/engine/files/write/writeWhole.ts';
import type { Result } from '../../../../../preload/contract/errors.ts';
import { statFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../../helpers/results.ts';

const KEEP = { replace: false };
const REPLACE = { replace: true };
const bytes = (text: string): Buffer => Buffer.from(text);

describe.each([
  ['blocking', SYNC_CALLS],
  ['without blocking', ASYNC_CALLS],
])('%s', (_name, calls) => {
  /** Writes a file by way of the part of a ledger. */
  function write(
    path: string,
    content: Uint8Array,
    options: { readonly replace: boolean },
    ledger = 'mine',
  ): Promise<Result<Written>> {
    return writeWhole(path, `${path}.${ledger}.sluice.part`, content, options, calls);
  }

  test('a file appears complete under its name, and its stamp is returned', async () => {
    const directory = scratch();
    const path = join(directory, 'a.csv');
    const written = valueOf(await write(path, bytes('one,two'), KEEP));
    expect(readFileSync(path, 'utf8')).toBe('one,two');
    expect(written).toEqual({ kind: 'written', stamp: valueOf(statFile(path)).stamp });
    expect(readdirSync(directory)).toEqual(['a.csv']);
    // Its drive may have gone away: whether it is made again is decided where drives are known.
    const deeper = join(directory, 'missing', 'a.csv');
    expect(codeOf(await write(deeper, bytes('one,two'), KEEP))).toBe('disk.failed');
    expect(readdirSync(directory)).toEqual(['a.csv']);
  });

  test('an existing file with the name stays, unless it is to be replaced', async () => {
    const path = join(scratch(), 'a.csv');
    writeFileSync(path, 'old');
    expect(valueOf(await write(path, bytes('new'), KEEP))).toEqual({ kind: 'occupied' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(existsSync(`${path}.mine.sluice.part`)).toBe(false);
    expect(valueOf(await write(path, bytes('new'), REPLACE))).toMatchObject({ kind: 'written' });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('a link has the name, too, and is never written through', async () => {
    const directory = scratch();
    writeFileSync(join(directory, 'victim'), 'safe');
    const path = join(directory, 'a.csv');
    symlinkSync('victim', path);
    expect(valueOf(await write(path, bytes('new'), KEEP))).toEqual({ kind: 'occupied' });
    expect(valueOf(await write(path, bytes('new'), REPLACE))).toMatchObject({ kind: 'written' });
    expect(readFileSync(join(directory, 'victim'), 'utf8')).toBe('safe');
  });

  test('a part that is no file is refused: bytes go nowhere else, and nothing waits for a pipe', async () => {
    const directory = scratch();
    writeFileSync(join(directory, 'victim'), 'safe');
    symlinkSync('victim', join(directory, 'a.csv.mine.sluice.part'));
    symlinkSync('nowhere', join(directory, 'b.csv.mine.sluice.part'));
    mkdirSync(join(directory, 'c.csv.mine.sluice.part'));
    execFileSync('mkfifo', [join(directory, 'd.csv.mine.sluice.part')]);
    for (const name of ['a.csv', 'b.csv', 'c.csv', 'd.csv']) {
      const path = join(directory, name);
      expect(codeOf(await write(path, bytes('new'), KEEP))).toBe('disk.failed');
      expect(existsSync(path)).toBe(false);
    }
    expect(readFileSync(join(directory, 'victim'), 'utf8')).toBe('safe');
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
  });

  test('what an earlier try left is written over', async () => {
    const path = join(scratch(), 'a.csv');
    writeFileSync(`${path}.mine.sluice.part`, 'much longer than what comes');
    expect(valueOf(await write(path, bytes('short'), KEEP))).toMatchObject({ kind: 'written' });
    expect(readFileSync(path, 'utf8')).toBe('short');
  });

  test('two that write the same part at the same time: each file is whole and its own', async () => {
    const path = join(scratch(), 'a.csv');
    const texts = ['one', 'two, which is longer', 'three'];
    const all = await Promise.all(texts.map((text) => write(path, bytes(text), REPLACE)));
    // One that began after another had ended succeeds as well.
    const written = texts.filter((_, index) => all[index]?.ok);
    for (const one of all) if (!one.ok) expect(codeOf(one)).toBe('file.busy');
    expect(written).toContain(readFileSync(path, 'utf8'));
  });

  test('two with ledgers of their own write one name at the same time: one gets it, the other an error', async () => {
    const directory = scratch();
    const names = Array.from({ length: 50 }, (_, number) => `${String(number)}.csv`);
    for (const name of names) {
      const path = join(directory, name);
      const both = await Promise.all(
        ['one', 'two'].map((ledger) => write(path, bytes(ledger), KEEP, ledger)),
      );
      expect(both.map((one) => valueOf(one).kind).sort()).toEqual(['occupied', 'written']);
      const first = valueOf(both[0] ?? expect.fail()).kind === 'written' ? 'one' : 'two';
      expect(readFileSync(path, 'utf8')).toBe(first);
    }
    expect(readdirSync(directory).sort()).toEqual(names.sort());
  });

  test('another hard link to a leftover part file keeps its bytes', async () => {
    const directory = scratch();
    const path = join(directory, 'a.csv');
    writeFileSync(join(directory, 'copy'), 'kept');
    linkSync(join(directory, 'copy'), `${path}.mine.sluice.part`);
    expect(valueOf(await write(path, bytes('new'), KEEP))).toMatchObject({ kind: 'written' });
    expect(readFileSync(join(directory, 'copy'), 'utf8')).toBe('kept');
  });

  test('a directory with that name, or a file in place of the directory, is reported', async () => {
    const directory = scratch();
    mkdirSync(join(directory, 'a.csv', 'full'), { recursive: true });
    expect(codeOf(await write(join(directory, 'a.csv'), bytes('x'), REPLACE))).toBe('disk.failed');
    writeFileSync(join(directory, 'file'), '');
    expect(codeOf(await write(join(directory, 'file', 'b.csv'), bytes('x'), KEEP))).toBe(
      'disk.failed',
    );
  });

  test('many at once in the same directories, each whole', async () => {
    const directory = scratch();
    const names = Array.from({ length: 200 }, (_, index) => `${index % 3}/${index}.bin`);
    for (const name of ['0', '1', '2']) mkdirSync(join(directory, name));
    const written = await Promise.all(
      names.map((name) => write(join(directory, name), bytes(name), KEEP)),
    );
    for (const one of written) expect(valueOf(one)).toMatchObject({ kind: 'written' });
    for (const name of names) expect(readFileSync(join(directory, name), 'utf8')).toBe(name);
  });
});
