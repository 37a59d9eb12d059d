import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../../preload/contract/watchRule.ts';
import { previewRule } from '../../../../main/engine/watches/preview.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';
import { systemClock } from '../../../../main/systemClock.ts';

const FILES: Readonly<Record<string, number>> = {
  'a.jpg': 100,
  'b.png': 50,
  'empty.jpg': 0,
  'cam-1/1.jpg': 10,
  'cam-1/2.jpg': 10,
  'cam-1/3.jpg': 10,
  'cam-2/1.jpg': 7,
  'cam-2/half.jpg.part': 7,
  'cam-2/clip.mp4': 1000,
};

function createScene() {
  const ledger = createTestLedger();
  const directory = join(ledger.directory, 'in');
  for (const [name, size] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), Buffer.alloc(size, 1));
  }
  const { ports } = createTestPipeline(ledger, { clock: systemClock });
  return {
    directory,
    ports,
    preview: (
      given: Partial<WatchRule>,
      addedAt?: number,
      used = ports,
      { signal } = new AbortController(),
    ) => {
      const rule = { ...standardRule(directory, 'line'), batch: 'line', ...given };
      return previewRule(used, rule, signal, addedAt);
    },
  };
}

test('counts what would be taken, and what stays behind', async () => {
  expect(await createScene().preview({ kinds: 'images' })).toMatchObject({
    files: 6,
    bytes: 187,
    // The empty file, the half file, and the video.
    leftOut: 3,
    more: false,
    batches: [{ batchId: 'line', files: 6, bytes: 187 }],
    batchCount: 1,
  });
});

test('says that there is more when it ends before everything is listed', async () => {
  const { preview, ports } = createScene();
  const late = new AbortController();
  const slow = { list: (path: string) => ports.files.list(path).finally(() => late.abort()) };
  const cut = await preview({}, undefined, { ...ports, files: { ...ports.files, ...slow } }, late);
  expect(cut).toMatchObject({ files: 0, more: true });
});

test('shows each batch of a template', async () => {
  const { batches } = await createScene().preview({ batch: '{folder}', exclude: ['*.mp4'] });
  expect(batches).toEqual([
    { batchId: 'in', files: 2, bytes: 150 },
    { batchId: 'cam-1', files: 3, bytes: 30 },
    { batchId: 'cam-2', files: 1, bytes: 7 },
  ]);
});

test('images and videos are counted into the batches they go to', async () => {
  const scene = createScene();
  const mixed = await scene.preview({});
  expect(mixed.batches).toEqual([
    { batchId: 'line', files: 6, bytes: 187 },
    { batchId: 'line-videos', files: 1, bytes: 1000 },
  ]);
  expect(mixed.batchCount).toBe(2);
  expect(mixed.notes).toEqual([]);
  // Without images, videos go to the batch that the rule names.
  expect((await scene.preview({ kinds: 'videos' })).batches).toEqual([
    { batchId: 'line', files: 1, bytes: 1000 },
  ]);
});

test('what is never sent, whatever is in it, is not counted as new', async () => {
  const scene = createScene();
  writeFileSync(join(scene.directory, 'notes'), 'x');
  writeFileSync(join(scene.directory, 'a.txt'), 'x');
  writeFileSync(join(scene.directory, 'large.png'), '');
  truncateSync(join(scene.directory, 'large.png'), 20 * 1024 * 1024 + 1);
  const seen = await scene.preview({ exclude: ['*.mp4'] });
  expect(seen).toMatchObject({ files: 6, bytes: 187, leftOut: 6 });
  expect(seen.notes).toEqual(['Videos, if any come, go to a batch of their own: line-videos']);
});

test('counts batches for each directory separately, as the pipeline does', async () => {
  const rule = { batch: '{folder}-{n}', itemsPerBatch: 2, exclude: ['*.mp4'] };
  const { batches } = await createScene().preview(rule);
  expect(batches.map(({ batchId, files }) => `${batchId}: ${files}`)).toEqual([
    'in-1: 2',
    'cam-1-1: 2',
    'cam-1-2: 1',
    'cam-2-1: 1',
  ]);
});

test('shows at most 20 batches, and how many there are', async () => {
  const scene = createScene();
  for (let number = 0; number < 30; number += 1) {
    mkdirSync(join(scene.directory, `day-${number}`));
    writeFileSync(join(scene.directory, `day-${number}/x.jpg`), 'x');
  }
  const seen = await scene.preview({ batch: '{folder}', exclude: ['*.mp4'] });
  expect(seen.batches).toHaveLength(20);
  expect(seen.batchCount).toBe(33);
});

test('a glob that matches nothing leaves everything out, and still names the batch', async () => {
  const seen = await createScene().preview({ include: ['*.gif'], batch: 'My Batch' });
  expect(seen).toMatchObject({ files: 0, bytes: 0, leftOut: 9 });
  expect(seen.batches).toEqual([{ batchId: 'my-batch', files: 0, bytes: 0 }]);
  expect(seen.notes).toContainEqual(expect.stringContaining('becomes my-batch'));
});

test('new files only: files that exist now are left out, files that came since the watch began are not', async () => {
  const scene = createScene();
  expect(await scene.preview({ existing: false })).toMatchObject({ files: 0, leftOut: 9 });
  const before = Date.now() - 3_600_000;
  expect(await scene.preview({ existing: false, kinds: 'images' }, before)).toMatchObject({
    files: 6,
  });
});

test('its own targets below it are not counted', async () => {
  const scene = createScene();
  const moveTo = join(scene.directory, 'cam-1');
  expect(await scene.preview({ moveTo, kinds: 'images' })).toMatchObject({ files: 3, bytes: 157 });
});

test('a directory that went away is empty', async () => {
  const scene = createScene();
  rmSync(scene.directory, { recursive: true });
  expect(await scene.preview({ batch: '{watch}-{host}' })).toMatchObject({
    files: 0,
    batchCount: 1,
  });
});
