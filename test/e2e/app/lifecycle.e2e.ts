/** What may happen to a program that runs for weeks: no network, a revoked key, a quit, a kill and a failure in the middle. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  agreesToKeep,
  changeSettings,
  connected,
  hold,
  launchConnected,
  lineOf,
  notificationTitles,
  says,
  test,
  until,
  untilReady,
  watch,
  writeImages,
} from './appSteps.ts';

test('a lost network and a refused key hold everything back, and nothing is lost', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 0);
  await watch(app, directory, { batch: 'held', mode: 'single' });
  await expect(lineOf(page, 'camera')).toContainText('No files yet');

  await service.unplug();
  await writeImages(scratch, 'camera', 4);
  await says(page, /Waiting for the network; nothing is lost|The connection to the service failed/);
  await expect(lineOf(page, 'camera')).toContainText('4 waiting');
  await page.getByRole('link', { name: /^Jobs/ }).click();
  const unlisted = page.getByText('Jobs of other computers appear once the service answers.');
  await expect(unlisted).toBeVisible();
  await service.plug();
  await expect(unlisted).toBeHidden();
  await page.getByRole('link', { name: /^Uploads/ }).click();
  await says(page, 'All 4 files confirmed');

  service.state.apiKey = 'the-new-key';
  for (const number of [50, 51]) {
    await writeFile(join(directory, `late-${number}.jpg`), tinyJpeg(number));
  }
  await says(page, 'The service refused the key; 2 files wait');
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('Waiting for a new API key');
  await expect(progress).toContainText('2 files to go');
  // The history and the projects also say so, and lead to the key.
  await expect(page.getByRole('region', { name: 'Activity' })).toContainText('2 files wait');
  await page.getByRole('link', { name: /^Projects/ }).click();
  const refused = page.getByRole('alert').filter({ hasText: 'The service refused the key' });
  await expect(refused.getByRole('button', { name: 'Try again' })).toBeVisible();
  await refused.getByRole('button', { name: 'Update API key…' }).click();
  await expect(page.getByRole('dialog').getByLabel('API key')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /^Uploads/ }).click();
  await expect.poll(() => notificationTitles(app)).toContain('The API key was refused');
  // One click from the strip to the field.
  await page.getByRole('button', { name: 'Update API key…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('API key').fill('still-not-the-key');
  await dialog.getByRole('button', { name: 'Check and save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The service refused the key');
  await agreesToKeep(app);
  await dialog.getByLabel('API key').fill('the-new-key');
  await dialog.getByRole('button', { name: 'Check and save' }).click();
  await expect(dialog).toBeHidden();
  await says(page, 'All 6 files confirmed');
  expect(service.state.objects('held')).toHaveLength(6);
  expect(service.state.doubles()).toEqual([]);
});

test('after an outage, the window is connected while the first file is still being sent', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 0);
  for (const number of [1, 2, 3]) {
    await writeFile(join(directory, `${number}.jpg`), tinyJpeg(number, 100_000));
  }
  await changeSettings(page, { bandwidth: '1k' });
  await watch(app, directory, { batch: 'back', mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.transfers.length, 3);
  await service.unplug();
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('Offline, nothing is lost');
  await service.plug();
  // Only one file is tried, and most of it is still to be sent.
  await until(page, ({ pipeline }) => [pipeline.transfers.length, pipeline.blockedBy?.code], [
    1,
    'network.lost',
  ]);
  await untilReady(page);
  await expect(page.getByRole('button', { name: /^demo/ })).toContainText('Connected');
  await says(page, 'Uploads were interrupted; nothing is lost. Trying now');
  await expect(progress).toContainText('1 uploading · 2 waiting');
  await changeSettings(page, { bandwidth: '' });
  await says(page, 'All 3 files confirmed');
});

test('a kill and a quit in the middle of sending: the next start shows the true state and completes', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'slow', 12);
  const app = await launchConnected(launch, service);
  const release = hold(service, 'POST', /upload\/image$/);
  await watch(app, directory, { batch: 'slow', mode: 'single' });
  await says(app.page, /\d+ files? to go, \d+ % done/);
  await app.kill();

  const second = await launch({ env: connected(service) });
  await says(second.page, /\d+ files? to go, \d+ % done/);
  await second.answerNextDialog({ response: 1 });
  await second.quit();
  await expect(lineOf(second.page, 'camera')).toContainText('uploading');
  await second.answerNextDialog({ response: 0 });
  await second.close();

  release();
  const third = await launch({ env: connected(service) });
  await says(third.page, 'All 12 files confirmed');
  await expect(lineOf(third.page, 'camera')).toContainText('12 confirmed');
  expect(service.state.objects('slow')).toHaveLength(12);
  expect(service.state.doubles()).toEqual([]);
});

test('a program that fails says so, restarts with its queue, and gives up after a few times', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'failing', 8);
  const settings = join(scratch, 'user-data', 'window.json');
  const log = join(scratch, 'user-data', 'data', 'logs', 'sluice.log');
  const first = await launch({ env: connected(service), expects: [/Unhandled/] });
  const release = hold(service, 'POST', /upload\/image$/);
  await watch(first, directory, { batch: 'failing', mode: 'single' });
  await says(first.page, /\d+ files? to go, \d+ % done/);
  await first.failMain('throw', `made by the test with ${service.apiKey}`);
  expect(await first.exited).toBe(0);
  expect(first.output()).toContain('sluice-relaunch: ');
  const lines = (await readFile(log, 'utf8')).split('\n');
  const [failed] = lines.filter((line) => line.includes('"app.failed"'));
  expect(failed).toContain('made by the test with');
  expect(lines.join('\n')).not.toContain(service.apiKey);

  // As if it had failed two more times since.
  const kept: { failures: { at: number[] } } = JSON.parse(await readFile(settings, 'utf8'));
  const [at = 0] = kept.failures.at;
  const failures = { ...kept.failures, at: [at, at, at] };
  await writeFile(settings, JSON.stringify({ ...kept, failures }));
  release();
  const second = await launch({ env: connected(service), expects: [/Unhandled/] });
  const notice = second.page.getByRole('status').filter({ hasText: 'crashed and restarted' });
  await expect(notice).toBeVisible();
  await notice.getByRole('button', { name: 'Show the log' }).click();
  await expect.poll(() => second.openedExternally()).toEqual([log]);
  await notice.getByRole('button', { name: 'Got it' }).click();
  await expect(notice).toBeHidden();
  await says(second.page, 'All 8 files confirmed');
  expect(service.state.objects('failing')).toHaveLength(8);
  expect(service.state.doubles()).toEqual([]);
  await second.failMain('reject', 'made by the test again');
  expect(await second.exited).toBe(1);
  expect(second.output()).not.toContain('sluice-relaunch: ');
});
