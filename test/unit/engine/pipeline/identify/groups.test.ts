/** Groups of found files: the next one is read while one is written. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifyGroups } from '../../../../../main/engine/pipeline/identify/identify.ts';
import type { FoundFile } from '../../../../../main/engine/pipeline/find/scan.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { tinyJpeg } from '../../../../helpers/media.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const OPTIONS = { destinationId: 1, isWatched: true };

function scene() {
  const ledger = createTestLedger();
  const directory = join(ledger.directory, 'images');
  mkdirSync(directory);
  const found = (name: string, content: number): FoundFile => {
    const path = join(directory, name);
    writeFileSync(path, tinyJpeg(content));
    return { path, relativePath: name, error: null };
  };
  const items = (): readonly string[] =>
    ledger.store
      .all('SELECT relative_path, state, reason FROM items ORDER BY id')
      .map((row) => [row['relative_path'], row['state'], row['reason'] ?? ''].join(' ').trim());
  return { pipeline: createTestPipeline(ledger), found, items };
}

async function* of(
  ...groups: readonly (readonly FoundFile[])[]
): AsyncGenerator<readonly FoundFile[]> {
  for (const group of groups) yield await Promise.resolve(group);
}

test('a path that is found again in the next group stays one item', async () => {
  const { pipeline, found, items } = scene();
  const [a, b] = [found('a.jpg', 1), found('b.jpg', 2)];
  await identifyGroups(pipeline, OPTIONS, of([a, b], [b], [a]));
  expect(items()).toEqual(['a.jpg queued', 'b.jpg queued']);
});

test('content of the group that is being written is known to the next one', async () => {
  const { pipeline, found, items } = scene();
  await identifyGroups(
    pipeline,
    OPTIONS,
    of([found('a.jpg', 1)], [found('b.jpg', 1)], [found('c.jpg', 2)]),
  );
  expect(items()).toEqual(['a.jpg queued', 'b.jpg skipped item.duplicate', 'c.jpg queued']);
});

test('after a stop nothing more is written, and a group that failed to be written is reported', async () => {
  const { pipeline, found, items } = scene();
  const stop = new AbortController();
  async function* groups(): AsyncGenerator<readonly FoundFile[]> {
    yield await Promise.resolve([found('a.jpg', 1)]);
    yield [found('b.jpg', 2)];
    stop.abort();
    yield [found('c.jpg', 3)];
  }
  await identifyGroups({ ...pipeline, signal: stop.signal }, OPTIONS, groups());
  expect(items()).toEqual(['a.jpg queued']);
  const isWanted = (): boolean => {
    throw new Error('broken');
  };
  const taking = identifyGroups(
    pipeline,
    { ...OPTIONS, isWanted },
    of([found('d.jpg', 4)], [found('e.jpg', 5)]),
  );
  await expect(taking).rejects.toThrow('broken');
});
