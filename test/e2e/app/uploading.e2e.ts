/** A running watch, as a person sees and controls it: found, sending, confirmed; paused and resumed. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  choosesIn,
  hold,
  lineOf,
  says,
  startJob,
  test,
  trayLabels,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

/** The rule editor, from the button to a watch that sends files one by one with a settle time of a second. */
async function watchByHand(page: Page, batch: string): Promise<void> {
  await page.getByRole('button', { name: 'Watch a folder…' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Batch', { exact: true }).fill(batch);
  await dialog.getByRole('tab', { name: 'Filters & format' }).click();
  await dialog.getByLabel('How to send').selectOption('One at a time');
  await dialog.getByLabel('Wait before upload').fill('1');
  await dialog.getByRole('button', { name: 'Start watching' }).click();
  await expect(dialog).toBeHidden();
}

test('files that arrive are seen to be found, sent and confirmed; pause holds them back', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 0);
  await app.answerNextDialog({ filePaths: [directory] });
  await watchByHand(page, 'arriving');
  const line = lineOf(page, 'camera');
  await expect(line).toContainText('No files yet');

  const release = hold(service, 'POST', /upload\/image$/);
  await writeImages(scratch, 'camera', 3);
  await says(page, /\d+ files? to go, \d+ % done/);
  await expect(line).toContainText('uploading');
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText(/\d files? to go/);
  release();
  await says(page, 'All 3 files confirmed');
  await expect(line).toContainText('3 confirmed');
  const top = async (): Promise<number> => Math.round((await line.boundingBox())?.y ?? 0);
  const place = await top();

  // Pause everything from the strip; the tray shows it, and resumes it.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await says(page, 'Paused; nothing is queued');
  await writeFile(join(directory, 'held.jpg'), tinyJpeg(900));
  await says(page, 'Paused; 1 file waits');
  await expect(line).toContainText('1 waiting');
  // The row stays in place, or it would jump with each file that arrives.
  expect(await top()).toBe(place);
  expect(service.state.objects('arriving')).toHaveLength(3);
  await expect.poll(() => trayLabels(app)).toContain('Resume');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await says(page, 'All 4 files confirmed');
  await expect.poll(() => trayLabels(app)).toContain('Pause');

  // One watch, from its menu.
  await choosesIn(page, 'Actions for camera', 'Pause');
  await expect(line).toContainText('Paused');
  await writeFile(join(directory, 'later.jpg'), tinyJpeg(901));
  await choosesIn(page, 'Actions for camera', 'Resume');
  await says(page, 'All 5 files confirmed');

  await choosesIn(page, 'More', 'Why is a file not uploaded?');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('File path').fill(`"${join(directory, 'later.jpg')}"`);
  await dialog.getByRole('button', { name: 'Check' }).click();
  await expect(dialog).toContainText('Uploaded: the service confirmed it');
  await dialog.getByLabel('File path').fill('/home/ann/elsewhere.jpg');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await expect(dialog).toContainText('never seen this file');
  const other = join(scratch, 'other.jpg');
  await writeFile(other, tinyJpeg(902));
  await app.answerNextDialog({ filePaths: [other] });
  await dialog.getByRole('button', { name: 'Choose…' }).click();
  await expect(dialog.getByLabel('File path')).toHaveValue(other);
  await expect(dialog).toContainText('no watched folder');
  await page.keyboard.press('Escape');

  await choosesIn(page, 'Actions for camera', 'Stop watching…');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('button', { name: 'Stop watching' }).click();
  await expect(page.getByText('No folder is watched')).toBeVisible();
  expect(service.state.doubles()).toEqual([]);
  expect(await readdir(directory)).toHaveLength(5);
});

const hash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

test('the results of a batch come down with one click, byte for byte', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 3);
  await watch(app, directory, { batch: 'worked' });
  await says(page, 'All 3 files confirmed');
  await value(page, 'batch.seal', { batchId: 'worked' });
  const jobId = await startJob(page, 'worked');
  const results = async (): Promise<string> =>
    (await value(page, 'job.detail', { jobId })).resultsBatch ?? '';
  await expect.poll(results).toContain('export');

  await page.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('row', { name: /Count the cups/ }).click();
  await page.getByRole('button', { name: 'Download results' }).click();
  await expect(page.getByRole('button', { name: 'Show in folder' }).first()).toBeVisible();
  const { to = '' } = (await value(page, 'snapshot.get', {})).downloads[0] ?? {};
  const files = await readdir(to, { recursive: true, withFileTypes: true });
  const here = await Promise.all(
    files
      .filter((one) => one.isFile())
      .map(async (one) => `${one.name} ${hash(await readFile(join(one.parentPath, one.name)))}`),
  );
  // Sluice adds its manifest.
  const fetched = here.filter((one) => !one.startsWith('manifest.json '));
  const there = await Promise.all(
    service.state
      .objects(await results())
      .map(async ({ objectId, name }) => `${name} ${hash(await service.bytes(objectId))}`),
  );
  expect(fetched.toSorted()).toEqual(there.toSorted());
  expect(fetched.length).toBeGreaterThan(0);
});

test('the time at which batches close each day is typed, stepped and emptied by keyboard', async ({
  app,
  page,
  scratch,
}) => {
  const directory = await writeImages(scratch, 'camera', 0);
  await app.answerNextDialog({ filePaths: [directory] });
  await page.getByRole('button', { name: 'Watch a folder…' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Batch', { exact: true }).fill('daily');
  await dialog.getByRole('tab', { name: 'When done' }).click();
  await dialog.getByLabel('Batch reaches').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.type('0630');
  await page.keyboard.press('ArrowUp');
  await expect(dialog.getByRole('group', { name: 'Daily at' })).toHaveText('06:31');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  const closesAt = ({ watches }: AppSnapshot): readonly unknown[] =>
    watches.map(({ rule }) => rule.seal.at);
  await until(page, closesAt, ['06:31']);

  await page.getByRole('button', { name: 'Actions for camera' }).click();
  await page.getByRole('menuitem', { name: 'Edit rule…' }).click();
  await dialog.getByRole('tab', { name: 'When done' }).click();
  // Clicking the label focuses the hours, as in any other field.
  await dialog.getByText('Daily at').click();
  const field = dialog.getByRole('group', { name: 'Daily at' });
  const hours = field.getByRole('spinbutton', { name: 'Hours' });
  await expect(hours).toBeFocused();
  // Only a time is accepted, also from an input method or the clipboard.
  await page.keyboard.insertText('noon');
  await expect(field).toHaveText('06:31');
  const paste = (text: string): Promise<void> =>
    hours.evaluate((part, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const how = { clipboardData, bubbles: true, cancelable: true };
      part.dispatchEvent(new ClipboardEvent('paste', how));
    }, text);
  await paste('18:05');
  await expect(field).toHaveText('18:05');
  await paste('tomorrow');
  await expect(field).toHaveText('18:05');
  await field.getByRole('button', { name: 'Clear the time' }).press('Enter');
  await expect(field).toHaveText('––:––');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await until(page, closesAt, [null]);
});
