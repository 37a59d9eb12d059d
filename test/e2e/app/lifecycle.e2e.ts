/** What may happen to a program that runs for weeks: no network, a key that is taken back, a quit and a kill in the middle. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import { connected, launchConnected, lineOf, says, test, watch, writeImages } from './appSteps.ts';

test('a network that goes and a key that is refused hold everything back, and nothing is lost', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = join(scratch, 'camera');
  await mkdir(directory);
  const app = await launchConnected(launch, service);
  const { page } = app;
  await watch(app, directory, { batch: 'held', mode: 'single' });
  await expect(lineOf(page, 'camera')).toContainText('Waits for the first file');

  await service.unplug();
  await writeImages(scratch, 'camera', 4);
  await says(page, 'Waiting for the network; nothing is lost');
  await expect(lineOf(page, 'camera')).toContainText('4 waiting');
  await service.plug();
  await says(page, 'All 4 files confirmed');

  service.state.apiKey = 'the-new-key';
  for (const number of [50, 51]) {
    await writeFile(join(directory, `late-${number}.jpg`), tinyJpeg(number));
  }
  await says(page, 'The service refused the key; 2 files wait');
  await page.getByRole('button', { name: 'Give the key…' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Give the key of demo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Key').fill('still-not-the-key');
  await dialog.getByRole('button', { name: 'Check and keep' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The service refused the key');
  await dialog.getByLabel('Key').fill('the-new-key');
  await dialog.getByRole('button', { name: 'Check and keep' }).click();
  await expect(dialog).toBeHidden();
  await says(page, 'All 6 files confirmed');
  expect(service.state.objects('held')).toHaveLength(6);
  expect(service.state.doubles()).toEqual([]);
});

test('a kill and a quit in the middle of sending: the next start tells the truth and completes', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'slow', 12);
  const slow = { kind: 'slow', bytesPerSecond: 15 } as const;
  const app = await launchConnected(launch, service);
  service.faults.always('POST', /upload\/image$/, slow);
  await watch(app, directory, { batch: 'slow', mode: 'single' });
  await says(app.page, /Sending \d+ of 12 files/);
  await app.kill();

  const second = await launch({ env: connected(service) });
  await says(second.page, /Sending \d+ of \d+ files/);
  await second.answerNextDialog({ response: 1 });
  await second.quit();
  await expect(lineOf(second.page, 'camera')).toContainText('sending');
  await second.answerNextDialog({ response: 0 });
  await second.close();

  service.faults.clear();
  const third = await launch({ env: connected(service) });
  await says(third.page, 'All 12 files confirmed');
  await expect(lineOf(third.page, 'camera')).toContainText('12 confirmed');
  expect(service.state.objects('slow')).toHaveLength(12);
  expect(service.state.doubles()).toEqual([]);
});
