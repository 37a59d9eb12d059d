/** Works like a person, by the text in the window, from the first start to a confirmed upload. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import { agreesToKeep, lineOf, notificationTitles, says, test, writeImages } from './appSteps.ts';

test('a first run, as shown in the window: connect, pick a folder, choose, confirmed; a restart shows the same', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'cups', 5);
  const app = await launch();
  const { page } = app;
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByLabel('API key', { exact: true }).fill('not-the-key');
  await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9');
  await expect(page.getByRole('alert')).toContainText('cannot be reached at this address');
  await page.getByLabel('Address', { exact: true }).fill(service.url);
  await expect(page.getByRole('alert')).toContainText('The service refused the key');
  await expect(page.getByRole('button', { name: 'Connect' })).toBeDisabled();
  await page.getByLabel('API key', { exact: true }).fill(service.apiKey);
  await expect(page.getByText(`The key is valid for workspace ${service.workspace}`)).toBeVisible();
  await agreesToKeep(app);
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByRole('heading', { name: 'Choose a folder to upload' })).toBeFocused();
  // A file is not a folder, and the window says so; the folder itself can be dropped or chosen.
  await app.dropFiles(page.locator('body'), [join(directory, 'cups-000001.jpg')]);
  await expect(page.getByRole('alert')).toContainText('That’s not a folder.');
  await app.dropFiles(page.locator('body'), [directory]);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('cups');
  await page.getByRole('button', { name: 'Back' }).click();
  const empty = join(scratch, 'empty');
  await mkdir(empty);
  await app.answerNextDialog({ filePaths: [empty] });
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Nothing to upload');
  await expect(page.getByRole('button', { name: 'Start watching' })).toBeEnabled();
  await page.getByRole('button', { name: 'Back' }).click();
  await app.answerNextDialog({ filePaths: [directory] });
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('5 files');
  await expect(page.getByRole('heading', { name: 'Preview and start' })).toBeFocused();
  await page.getByRole('button', { name: 'Start uploading' }).click();
  await expect(page.getByRole('button', { name: 'cups', exact: true })).toBeFocused();
  await says(page, 'All 5 files confirmed');
  await expect(lineOf(page, 'cups')).toContainText('5 confirmed');
  await expect.poll(() => notificationTitles(app)).toContain('All 5 files are safe');
  await app.close();

  const again = await launch();
  await says(again.page, 'All 5 files confirmed');
  const recent = again.page.getByRole('list', { name: 'Most recent' });
  await expect(recent.getByRole('button')).toHaveCount(5);
  await writeFile(join(directory, 'late.jpg'), tinyJpeg(4711));
  await says(again.page, 'All 6 files confirmed');
  await again.page.getByRole('link', { name: 'Batches' }).click();
  await expect(again.page.getByText('6 confirmed').first()).toBeVisible();
  expect(service.state.doubles()).toEqual([]);
  expect(await readdir(directory)).toHaveLength(6);
});
