import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPart as openPartAt } from '../../../../../main/engine/files/write/partFile.ts';
import { statFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { codeOf, scratchDirectories, valueOf } from '../scratch.ts';

const scratch = scratchDirectories();
const DONE = { ok: true, value: undefined };
const KEEP = { replace: false };
const REPLACE = { replace: true };
const partOf = (path: string): string => `${path}.sluice.part`;
const openPart = (path: string) => openPartAt(path, partOf(path));

describe('a file being downloaded', () => {
  test('appears under its name only when committed', async () => {
    const directory = join(scratch(), 'made', 'here');
    const path = join(directory, 'a.csv');
    const part = valueOf(await openPart(path));
    expect(part.offsetBytes).toBe(0);
    expect(await part.write(Buffer.from('one,'))).toEqual(DONE);
    expect(await part.write(Buffer.from('two'))).toEqual(DONE);
    expect(readdirSync(directory)).toEqual(['a.csv.sluice.part']);
    expect(valueOf(await part.commit(REPLACE))).toMatchObject({ kind: 'written' });
    expect(readdirSync(directory)).toEqual(['a.csv']);
    expect(readFileSync(path, 'utf8')).toBe('one,two');
    await part.close();
  });

  test('continues where it was, or starts over', async () => {
    const path = join(scratch(), 'a.csv');
    const first = valueOf(await openPart(path));
    await first.write(Buffer.from('half '));
    await first.close();
    const second = valueOf(await openPart(path));
    expect(second.offsetBytes).toBe(5);
    const kept: Buffer[] = [];
    for await (const bytes of second.kept()) kept.push(Buffer.from(bytes));
    expect(Buffer.concat(kept).toString('utf8')).toBe('half ');
    await second.write(Buffer.from('whole'));
    await second.close();
    const third = valueOf(await openPart(path));
    expect(third.offsetBytes).toBe(10);
    expect(await third.truncate()).toEqual(DONE);
    await third.write(Buffer.from('new'));
    await third.commit(REPLACE);
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test.each([
    [10, 0],
    [10, 4096],
    [0, 3_000_000],
    [1_048_576, 1_048_576],
    [1_500_000, 2_000_000],
  ])('trusts %i bytes before %i zeros that a power cut may have left', async (good, zeros) => {
    const path = join(scratch(), 'a.bin');
    writeFileSync(
      `${path}.sluice.part`,
      Buffer.concat([Buffer.alloc(good, 1), Buffer.alloc(zeros)]),
    );
    const part = valueOf(await openPart(path));
    expect(part.offsetBytes).toBe(good);
    await part.close();
    expect(statSync(`${path}.sluice.part`).size).toBe(good);
  });

  test('many chunks of many sizes arrive in their order', async () => {
    const path = join(scratch(), 'a.bin');
    const chunks = [1, 65_536, 700_000, 400_000, 3_000_000, 5, 1_048_576, 12].map((size, index) =>
      Buffer.alloc(size, index + 1),
    );
    const part = valueOf(await openPart(path));
    for (const chunk of chunks) expect(await part.write(chunk)).toEqual(DONE);
    expect(valueOf(await part.commit(REPLACE))).toMatchObject({ kind: 'written' });
    expect(readFileSync(path).equals(Buffer.concat(chunks))).toBe(true);
  });

  test('replaces a finished file only by the rename, and only where it may', async () => {
    const path = join(scratch(), 'a.csv');
    writeFileSync(path, 'old');
    const part = valueOf(await openPart(path));
    await part.write(Buffer.from('new'));
    expect(valueOf(await part.commit(KEEP))).toEqual({ kind: 'occupied' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    const stamped = valueOf(await part.commit(REPLACE));
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(stamped).toEqual({ kind: 'written', stamp: valueOf(statFile(path)).stamp });
  });

  test('never writes through a link, nor over anything that is not a file', async () => {
    const directory = scratch();
    writeFileSync(join(directory, 'victim'), 'safe');
    symlinkSync('victim', join(directory, 'a.csv.sluice.part'));
    symlinkSync('nowhere', join(directory, 'b.csv.sluice.part'));
    mkdirSync(join(directory, 'c.csv.sluice.part'));
    for (const name of ['a.csv', 'b.csv', 'c.csv']) {
      expect(codeOf(await openPart(join(directory, name)))).toBe('disk.failed');
    }
    // A link under the final name is replaced itself, not what it leads to.
    symlinkSync('victim', join(directory, 'd.csv'));
    const part = valueOf(await openPart(join(directory, 'd.csv')));
    await part.write(Buffer.from('new'));
    expect(valueOf(await part.commit(REPLACE))).toMatchObject({ kind: 'written' });
    expect(readFileSync(join(directory, 'victim'), 'utf8')).toBe('safe');
    expect(readFileSync(join(directory, 'd.csv'), 'utf8')).toBe('new');
    expect(readdirSync(directory)).not.toContain('nowhere');
  });

  test('failures keep the part', async () => {
    const directory = scratch();
    writeFileSync(join(directory, 'file'), '');
    expect(codeOf(await openPart(join(directory, 'file', 'a.csv')))).toBe('disk.failed');
    mkdirSync(join(directory, 'a.csv', 'full'), { recursive: true });
    const part = valueOf(await openPart(join(directory, 'a.csv')));
    await part.write(Buffer.from('x'));
    expect(codeOf(await part.commit(REPLACE))).toBe('disk.failed');
    expect(readFileSync(join(directory, 'a.csv.sluice.part'), 'utf8')).toBe('x');
    await part.write(Buffer.from('y'));
    expect(codeOf(await part.commit(REPLACE))).toBe('disk.failed');
  });
});

test('a file that got the name while the part was written stays, until it is to be replaced', async () => {
  const directory = scratch();
  const path = join(directory, 'a.csv');
  const part = valueOf(await openPart(path));
  valueOf(await part.write(Buffer.from('new')));
  writeFileSync(path, 'mine');
  expect(valueOf(await part.commit({ replace: false }))).toEqual({ kind: 'occupied' });
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expect(valueOf(await part.commit({ replace: true }))).toMatchObject({ kind: 'written' });
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('of two that are complete at the same time, one gets the name and the other loses nothing', async () => {
  const path = join(scratch(), 'a.csv');
  const parts = ['mine', 'theirs'].map((words) => ({ words, name: `${path}.${words}` }));
  const ends = await Promise.all(
    parts.map(async ({ words, name }) => {
      const part = valueOf(await openPartAt(path, name));
      valueOf(await part.write(Buffer.from(words)));
      const { kind } = valueOf(await part.commit(KEEP));
      await part.close();
      return { words, name, kind };
    }),
  );
  expect(ends.map(({ kind }) => kind).sort()).toEqual(['occupied', 'written']);
  for (const { words, name, kind } of ends) {
    expect(readFileSync(kind === 'written' ? path : name, 'utf8')).toBe(words);
    expect(existsSync(name)).toBe(kind === 'occupied');
  }
});

test('a complete file keeps its bytes when its part was left behind by a kill', async () => {
  const path = join(scratch(), 'a.csv');
  writeFileSync(path, 'whole\0\0\0');
  linkSync(path, partOf(path));
  const part = valueOf(await openPart(path));
  expect(part.offsetBytes).toBe(0);
  valueOf(await part.write(Buffer.from('half')));
  await part.close();
  expect(readFileSync(path, 'utf8')).toBe('whole\0\0\0');
});

test('a part that somebody removed is not given its name, and what stands there instead keeps its bytes', async () => {
  const path = join(scratch(), 'a.csv');
  for (const takeAway of [rmSync, (part: string) => renameSync(`${path}.other`, part)]) {
    const part = valueOf(await openPart(path));
    valueOf(await part.write(Buffer.from('mine')));
    writeFileSync(`${path}.other`, 'other');
    takeAway(partOf(path));
    expect(codeOf(await part.commit(REPLACE))).toBe('file.busy');
    await part.close();
    expect(existsSync(path)).toBe(false);
  }
  expect(readFileSync(partOf(path), 'utf8')).toBe('other');
});

test('a part that was removed after it got its name is no failure', async () => {
  const { link } = promises;
  onTestFinished(() => {
    promises.link = link;
    syncBuiltinESMExports();
  });
  promises.link = async (from, to) => {
    await link(from, to);
    rmSync(from);
  };
  syncBuiltinESMExports();
  const directory = scratch();
  const part = valueOf(await openPart(join(directory, 'a.csv')));
  valueOf(await part.write(Buffer.from('mine')));
  expect(valueOf(await part.commit(KEEP))).toMatchObject({ kind: 'written' });
  expect(readdirSync(directory)).toEqual(['a.csv']);
});

describe('a large file that is synced while it arrives', () => {
  const STEP = Buffer.alloc(16 * 1024 * 1024, 1);

  /** Replaces the syncs of a part. */
  async function withSyncs(path: string, sync: () => Promise<void>) {
    const part = valueOf(await openPart(path));
    const handle = await promises.open(partOf(path));
    const methods: { datasync(): Promise<void> } = Object.getPrototypeOf(handle);
    await handle.close();
    const { datasync } = methods;
    onTestFinished(() => {
      methods.datasync = datasync;
    });
    methods.datasync = sync;
    const writeSteps = async (steps: number): Promise<void> => {
      for (let step = 0; step < steps; step += 1) expect(await part.write(STEP)).toEqual(DONE);
    };
    return { part, writeSteps };
  }
  const failing = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));

  test('reports what such a sync could not write, and is not resumed', async () => {
    const path = join(scratch(), 'long.mp4');
    let syncs = 0;
    const { part, writeSteps } = await withSyncs(path, () => {
      syncs += 1;
      return failing();
    });
    await writeSteps(4);
    expect(codeOf(await part.commit(KEEP))).toBe('disk.failed');
    expect(syncs).toBe(1);
    expect(existsSync(path)).toBe(false);
    expect(statSync(partOf(path)).size).toBe(0);
    await part.close();
  });

  test('is not resumed either when it was cut off after such a sync failed', async () => {
    const path = join(scratch(), 'long.mp4');
    const { part, writeSteps } = await withSyncs(path, failing);
    await writeSteps(4);
    await part.close();
    const again = valueOf(await openPart(path));
    expect(again.offsetBytes).toBe(0);
    await again.close();
  });

  test('takes nothing more after such a sync failed', async () => {
    const path = join(scratch(), 'long.mp4');
    const { part, writeSteps } = await withSyncs(path, failing);
    await writeSteps(4);
    expect(codeOf(await part.write(STEP))).toBe('disk.failed');
    await part.close();
    expect(statSync(partOf(path)).size).toBe(0);
  });

  test('is synced as often when it starts over', async () => {
    let syncs = 0;
    const { part, writeSteps } = await withSyncs(join(scratch(), 'long.mp4'), () => {
      syncs += 1;
      return Promise.resolve();
    });
    for (let starts = 1; starts <= 2; starts += 1) {
      await writeSteps(6);
      expect(await part.truncate()).toEqual(DONE);
      expect(syncs).toBe(starts);
    }
    await part.close();
  });
});
