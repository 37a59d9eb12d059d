/** Two Sluices with ledgers of their own fetch different files of one name into one directory: no file gets bytes of the other. */
import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { contentOf, createOutputScene, type OutputScene, sha256 } from './outputScene.ts';
import { clockAhead, filesWith } from './ports.ts';

const MIB = 1024 * 1024;
const SLOW = { kind: 'slow', bytesPerSecond: 20 * MIB } as const;
const MINE = contentOf(1, 4 * MIB);
const THEIRS = contentOf(2, 5 * MIB);

/** A second user of the same directory, at another service. */
async function createPair(): Promise<{ mine: OutputScene; theirs: OutputScene }> {
  const mine = await createOutputScene();
  await mine.put('one', 'big.bin', MINE);
  const other = await createOutputScene();
  await other.put('one', 'big.bin', THEIRS);
  const fetch: OutputScene['fetch'] = (options = {}) =>
    other.fetch({ ...options, target: mine.target });
  return { mine, theirs: { ...other, fetch } };
}

/** Begins a download that ends as by a kill when so much is here. */
async function cutAt(scene: OutputScene, bytes: number): Promise<void> {
  const stop = new AbortController();
  scene.service.faults.next('GET', /^\/storage\//, SLOW);
  const onProgress = (now: { bytes: number }): void => {
    if (now.bytes >= bytes) stop.abort();
  };
  expect((await scene.fetch({ signal: stop.signal, onProgress })).ok).toBe(false);
}

/** Both files are there, whole, under a name each, and nothing else is. */
async function expectBoth(mine: OutputScene): Promise<void> {
  const { 'manifest.json': _one, 'manifest~2.json': _two, ...found } = await mine.files();
  expect(Object.keys(found)).toEqual(['one/big.bin', 'one/big~2.bin']);
  expect(Object.values(found).sort()).toEqual([sha256(MINE), sha256(THEIRS)].sort());
}

test('each goes on with what it began', async () => {
  const { mine, theirs } = await createPair();
  await cutAt(mine, MIB);
  await cutAt(theirs, 2 * MIB);
  for (const scene of [mine, theirs]) {
    scene.service.log.clear();
    expect((await scene.fetch()).ok).toBe(true);
    const [request] = scene.service.log.find('GET', /^\/storage\//);
    expect(JSON.stringify(request)).toMatch(/bytes=\d{7}-/);
  }
  await expectBoth(mine);
});

test('at the same time', async () => {
  const { mine, theirs } = await createPair();
  for (const { service } of [mine, theirs]) service.faults.next('GET', /^\/storage\//, SLOW);
  const fetched = await Promise.all([mine.fetch(), theirs.fetch()]);
  expect(fetched.map(({ ok }) => ok)).toEqual([true, true]);
  await expectBoth(mine);
});

test('a part that was not continued for a day is removed, and nothing else is', async () => {
  const { mine, theirs } = await createPair();
  await cutAt(theirs, MIB);
  const parts = join(mine.target, 'one');
  await writeFile(join(parts, 'small.csv.another000.sluice.part'), 'left');
  await writeFile(join(parts, 'of another program.part'), 'kept');
  expect((await mine.fetch()).ok).toBe(true);
  expect(await readdir(parts)).toHaveLength(4);
  const tomorrow = clockAhead(25 * 3_600_000);
  await mine.put('one', 'more.csv', Buffer.from('a,1\n'));
  expect((await mine.fetch({ wraps: [tomorrow] })).ok).toBe(true);
  expect(await readdir(parts)).toEqual(['big.bin', 'more.csv', 'of another program.part']);
});

test('a small file has a part of its ledger, too', async () => {
  const { mine, theirs } = await createPair();
  const parts: string[] = [];
  const noting = filesWith((files) => ({
    writeWhole: (path, part, bytes, options) => {
      parts.push(basename(part));
      return files.writeWhole(path, part, bytes, options);
    },
  }));
  for (const [number, scene] of [mine, theirs].entries()) {
    await scene.put('one', 'small.csv', contentOf(number + 3, 500));
    expect((await scene.fetch({ wraps: [noting] })).ok).toBe(true);
  }
  const own = parts.filter((part) => /^small\.csv\.[a-z0-9]{10}\.sluice\.part$/.test(part));
  expect(new Set(own).size).toBe(2);
  const names = ['big.bin', 'big~2.bin', 'small.csv', 'small~2.csv'];
  expect((await readdir(join(mine.target, 'one'))).sort()).toEqual(names);
});
