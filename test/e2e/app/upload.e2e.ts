/** From files to confirmed uploads through the window: each file arrives exactly once, and the window tells the truth. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  ask,
  choose,
  connect,
  connected,
  test,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

test('a first run ends with confirmed uploads, and a restart shows the same', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 12);
  const app = await launch();
  await until(app.page, ({ connections }) => connections.length, 0);
  await connect(app.page, service);
  await watch(app, directory, { batch: 'first-run' });
  await until(app.page, ({ line }) => line.counts.confirmed, 12);
  expect(service.state.objects('first-run')).toHaveLength(12);
  expect(service.state.doubles()).toEqual([]);
  expect(await readdir(directory)).toHaveLength(12);
  await expect
    .poll(async () => (await app.notifications()).map(({ title }) => title))
    .toContain('Upload confirmed');
  await app.close();

  const again = await launch();
  await until(again.page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
  await until(again.page, ({ line, watches }) => [line.counts.confirmed, watches.length], [12, 1]);
  const batches = await value(again.page, 'batch.page', { offset: 0, limit: 50, search: '' });
  expect(batches.rows.map(({ batchId, counts }) => [batchId, counts.confirmed])).toEqual([
    ['first-run', 12],
  ]);
  await writeFile(join(directory, 'late.jpg'), tinyJpeg(4711));
  await until(again.page, ({ line }) => line.counts.confirmed, 13);
  expect(service.state.doubles()).toEqual([]);
});

test('dropped files go to the batch that was named, other paths are refused', async ({
  launch,
  scratch,
  service,
}) => {
  const dropped = await writeImages(scratch, 'dropped', 3);
  const secret = await writeImages(scratch, 'secret', 1);
  const app = await launch({ env: connected(service) });
  await until(app.page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
  const refused = await ask(app.page, 'upload.paths', {
    paths: [secret],
    batch: 'stolen',
    mode: 'auto',
  });
  expect(refused).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });

  await app.dropFiles(app.page.locator('#app'), [dropped]);
  const send = (): Promise<unknown> =>
    ask(app.page, 'upload.paths', { paths: [dropped], batch: 'My Drop', mode: 'auto' });
  await expect.poll(send).toEqual({ ok: true, value: { batchId: 'my-drop' } });
  await until(app.page, ({ line }) => line.counts.confirmed, 3);
  expect(service.state.objects('my-drop')).toHaveLength(3);
  expect(service.state.objects('stolen')).toHaveLength(0);
  const items = await value(app.page, 'batch.items', {
    batchId: 'my-drop',
    offset: 0,
    limit: 10,
    search: '000002',
    state: 'confirmed',
    sort: 'name',
    descending: true,
  });
  expect(items).toMatchObject({ total: 1, rows: [{ state: 'confirmed', kind: 'image' }] });
});

test('pausing holds everything back, resuming sends it once', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 5);
  const app = await launch({ env: connected(service) });
  await until(app.page, ({ connections }) => connections.length, 1);
  await value(app.page, 'line.pause', { paused: true });
  await watch(app, directory, { batch: 'held', mode: 'single' });
  await until(app.page, ({ line }) => [line.paused, line.counts.found], [true, 5]);
  expect(service.state.objects('held')).toHaveLength(0);
  await expect
    .poll(async () => (await app.tray.items()).map(({ label }) => label))
    .toContain('Resume');
  await app.tray.click('Resume');
  await until(app.page, ({ line }) => [line.paused, line.counts.confirmed], [false, 5]);
  expect(service.state.doubles()).toEqual([]);
});

test('a line that is cut goes on by itself when it is back', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = join(scratch, 'camera');
  await mkdir(directory);
  const app = await launch({ env: connected(service) });
  await until(app.page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
  await watch(app, directory, { batch: 'cut' });
  await service.unplug();
  await writeImages(scratch, 'camera', 4);
  await until(app.page, ({ connections }) => connections.map(({ state }) => state), [
    'unreachable',
  ]);
  await until(app.page, ({ line }) => line.counts.found, 4);
  await service.plug();
  await until(app.page, ({ line }) => line.counts.confirmed, 4);
  expect(service.state.doubles()).toEqual([]);
  await until(app.page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
});

test('outputs of a job come down with one click', async ({ launch, scratch, service }) => {
  const directory = await writeImages(scratch, 'camera', 3);
  const results = join(scratch, 'results');
  await mkdir(results);
  const app = await launch({ env: connected(service) });
  await until(app.page, ({ connections }) => connections.length, 1);
  await watch(app, directory, { batch: 'worked' });
  await until(app.page, ({ line }) => line.counts.confirmed, 3);
  await value(app.page, 'batch.seal', { batchId: 'worked' });
  const { jobId } = await value(app.page, 'job.start', {
    batchId: 'worked',
    kind: 'image',
    jobId: null,
    name: 'count',
    options: { workflowId: 'count-cups' },
    downloadTo: null,
  });
  const state = async (): Promise<string> =>
    (await value(app.page, 'job.detail', { jobId })).job.state;
  await expect.poll(state, { timeout: 30_000 }).toBe('succeeded');
  const { resultsBatch, stages } = await value(app.page, 'job.detail', { jobId });
  expect(stages.length).toBeGreaterThan(0);
  await choose(app, results);
  const order = { batchId: resultsBatch ?? '', to: results, unpack: false };
  await value(app.page, 'batch.download', order);
  await until(app.page, ({ downloads }) => downloads.map((one) => one.state), ['done']);
  expect((await readdir(results, { recursive: true })).length).toBeGreaterThan(0);
});
