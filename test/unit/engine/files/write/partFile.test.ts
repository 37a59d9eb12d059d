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
import { scratch } from '../../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../../helpers/results.ts';

const DONE = { ok: true, value: undefined };
const KEEP = { replace: false };
const REPLACE = { replace: true };
const partOf = (path: string): string => `${path}.sluice.part`;
const openPart = (path: string) => openPartAt(path, partOf(path), null);
/** Opens a part of which this much is synced, and returns what is recorded about that as well. */
async function resumePart(path: string, syncedBytes: number) {
  const notes: number[] = [];
  const note = (bytes: number): Promise<void> => {
    notes.push(bytes);
    return Promise.resolve();
  };
  return {
    part: valueOf(await openPartAt(path, partOf(path), { bytes: syncedBytes, note })),
    notes,
  };
}

describe('a file being downloaded', () => {
  test('appears under its name only when committed', async () => {
    const directory = scratch();
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
    const { part: first, notes } = await resumePart(path, 0);
    await first.write(Buffer.from('half '));
    await first.close();
    expect(notes).toEqual([5]);
    const { part: second, notes: later } = await resumePart(path, 5);
    expect(second.offsetBytes).toBe(5);
    const kept: Buffer[] = [];
    for await (const bytes of second.kept()) kept.push(Buffer.from(bytes));
    expect(Buffer.concat(kept).toString('utf8')).toBe('half ');
    await second.write(Buffer.from('whole'));
    await second.close();
    expect(later).toEqual([10]);
    const { part: third, notes: last } = await resumePart(path, 10);
    expect(third.offsetBytes).toBe(10);
    expect(await third.truncate()).toEqual(DONE);
    expect(last).toEqual([0]);
    await third.write(Buffer.from('new'));
    await third.commit(REPLACE);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(last).toEqual([0]);
  });

  test.each([
    [0, 0, []],
    [4, 4, []],
    [10, 10, []],
    // Another program shortened it: what is appended must not count as synced.
    [12, 10, [10]],
  ])('of ten bytes with %i synced, %i are kept', async (synced, kept, noted) => {
    const path = join(scratch(), 'a.bin');
    writeFileSync(partOf(path), Buffer.alloc(10, 1));
    const { part, notes } = await resumePart(path, synced);
    expect(part.offsetBytes).toBe(kept);
    expect(statSync(partOf(path)).size).toBe(kept);
    expect(notes).toEqual(noted);
    await part.close();
    expect(notes).toEqual(noted);
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
      const part = valueOf(await openPartAt(path, name, null));
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

test('a part that another file has taken the place of does not count as synced', async () => {
  const path = join(scratch(), 'a.csv');
  const { part, notes } = await resumePart(path, 0);
  valueOf(await part.write(Buffer.from('mine')));
  writeFileSync(`${path}.other`, 'other');
  renameSync(`${path}.other`, partOf(path));
  await part.close();
  expect(notes).toEqual([]);
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

  /** Replaces the syncs of a part of which nothing is there yet. */
  async function withSyncs(path: string, sync: () => Promise<void>) {
    const { part, notes } = await resumePart(path, 0);
    const handle = await promises.open(partOf(path));
    const methods: { datasync(): Promise<void>; sync(): Promise<void> } =
      Object.getPrototypeOf(handle);
    await handle.close();
    const { datasync, sync: syncAll } = methods;
    onTestFinished(() => {
      methods.datasync = datasync;
      methods.sync = syncAll;
    });
    methods.datasync = sync;
    methods.sync = sync;
    const writeSteps = async (steps: number): Promise<void> => {
      for (let step = 0; step < steps; step += 1) expect(await part.write(STEP)).toEqual(DONE);
    };
    return { part, notes, writeSteps };
  }
  const failure = (): Error => Object.assign(new Error('EIO'), { code: 'EIO' });
  /** The system reports only once that bytes were lost. */
  function failingOnce(from: number): () => Promise<void> {
    let syncs = 0;
    return () => {
      syncs += 1;
      return syncs === from ? Promise.reject(failure()) : Promise.resolve();
    };
  }

  test('counts as synced only as far as the last sync that worked', async () => {
    const path = join(scratch(), 'long.mp4');
    const { part, notes, writeSteps } = await withSyncs(path, failingOnce(2));
    await writeSteps(8);
    expect(codeOf(await part.commit(KEEP))).toBe('disk.failed');
    expect(existsSync(path)).toBe(false);
    await part.close();
    expect(notes).toEqual([4 * STEP.length]);
  });

  test('takes nothing more after such a sync failed', async () => {
    const { part, notes, writeSteps } = await withSyncs(
      join(scratch(), 'long.mp4'),
      failingOnce(1),
    );
    await writeSteps(4);
    expect(codeOf(await part.write(STEP))).toBe('disk.failed');
    await part.close();
    expect(notes).toEqual([]);
  });

  test('does not count as synced when the last sync failed', async () => {
    const path = join(scratch(), 'long.mp4');
    const { part, notes, writeSteps } = await withSyncs(path, failingOnce(1));
    await writeSteps(1);
    expect(codeOf(await part.commit(KEEP))).toBe('disk.failed');
    expect(codeOf(await part.commit(KEEP))).toBe('disk.failed');
    await part.close();
    expect(notes).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  test('is synced as often when it starts over', async () => {
    let syncs = 0;
    const { part, notes, writeSteps } = await withSyncs(join(scratch(), 'long.mp4'), () => {
      syncs += 1;
      return Promise.resolve();
    });
    for (let starts = 1; starts <= 2; starts += 1) {
      await writeSteps(6);
      expect(await part.truncate()).toEqual(DONE);
      expect(syncs).toBe(starts);
    }
    await part.close();
    expect(notes).toEqual([4 * STEP.length, 0, 4 * STEP.length, 0]);
  });
});
