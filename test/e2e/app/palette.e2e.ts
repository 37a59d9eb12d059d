/** The command palette, shortcuts and links from other programs: everything works by a few letters, and hostile input does nothing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  connected,
  findInPalette,
  runFromPalette,
  test,
  until,
  untilReady,
  uploadAndProcess,
  value,
  writeImages,
} from './appSteps.ts';

test('every view, batch, job, project and action is a few letters away; links lead where they may', async ({
  launch,
  scratch,
  service,
}) => {
  test.slow();
  const directory = await writeImages(scratch, 'cups', 2);
  const app = await launch({ env: connected(service), args: ['sluice://batch/cam-1'] });
  const { page } = app;
  // The link that the first start was given.
  await expect.poll(() => page.url()).toContain('batches/cam-1');
  await untilReady(page);
  // A batch that was not sent from here has no receipt.
  await expect(await findInPalette(page, 'cam-1')).toContainText('Copy the ID cam-1');
  await expect(page.getByRole('option', { name: 'Start a job over cam-1' })).toBeVisible();
  await expect(page.getByRole('option', { name: /receipt/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  const jobId = await uploadAndProcess(app, directory, 'tall-cups', 2);
  const { projects } = await value(page, 'project.list', {});

  for (const view of ['Batches', 'Jobs', 'Projects', 'Problems', 'Settings', 'Uploads']) {
    await runFromPalette(page, view.toLowerCase(), view);
    await expect(page.getByRole('heading', { name: view, level: 1 })).toBeVisible();
  }
  await runFromPalette(page, 'tall', 'tall-cups');
  await expect.poll(() => page.url()).toContain('batches/tall-cups');
  await expect(await findInPalette(page, 'receipt')).toContainText('receipt of tall-cups as CSV');
  await page.keyboard.press('Escape');
  await runFromPalette(page, 'count the', 'Count the cups');
  await expect.poll(() => page.url()).toContain(`jobs/${encodeURIComponent(jobId)}`);
  const project = projects[0];
  expect(project).toBeDefined();
  await runFromPalette(page, project?.name ?? '', project?.name ?? '');
  await expect.poll(() => page.url()).toContain('projects/');
  await runFromPalette(page, 'pause', 'Pause uploads');
  await until(page, ({ pipeline: line }) => line.paused, true);
  await runFromPalette(page, 'resume', 'Resume uploads');
  await until(page, ({ pipeline: line }) => line.paused, false);
  await writeImages(scratch, 'cups', 3);
  await runFromPalette(page, 'look for', 'Scan for new files');
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 3);
  // A name that shows its letters in another order than they are in.
  await writeFile(join(directory, 'cup\u202egpj.exe.jpg'), tinyJpeg(900));
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 4);
  await expect(await findInPalette(page, 'exe.jpg')).toContainText('cup\\u202egpj.exe.jpg');
  await page.keyboard.press('Escape');
  // Of a long name, the end and what is known about the file stay in sight.
  await writeFile(join(directory, `${'line-3-station-west_'.repeat(7)}000031.jpg`), tinyJpeg(901));
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 5);
  const long = await findInPalette(page, '000031');
  await expect(long).toContainText(/….*000031\.jpg/);
  const known = await long.getByText(/^Confirmed · /).boundingBox();
  expect(known?.width).toBeGreaterThan(80);
  await page.keyboard.press('Escape');
  await runFromPalette(page, 'bandwidth', 'Change the bandwidth cap');
  await expect(page.getByRole('tab', { name: 'Uploading', selected: true })).toBeVisible();
  await findInPalette(page, 'zzzz nothing');
  await expect(page.getByText('No results')).toBeVisible();
  await page.keyboard.press('Escape');

  // With the mouse: the button in the sidebar shows its shortcut.
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('option', { name: 'Keyboard shortcuts' }).click();
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list.getByText('Search or run a command')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await page.keyboard.press('?');
  await expect(list).toBeVisible();
  await page.keyboard.press('Escape');

  // Further starts: a good link leads there, a hostile one only shows the window as it is.
  expect(await app.secondStart(['sluice://job/j-1'])).toBe(0);
  await expect.poll(() => page.url()).toContain('jobs/j-1');
  for (const hostile of [
    'sluice://batch/../../settings',
    'sluice://batch/%2e%2e%2fsettings',
    'sluice://batch/a?add=1',
    'sluice://settings/connections',
    'sluice://batch/"><img src=x>',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ]) {
    expect(await app.secondStart([hostile])).toBe(0);
  }
  expect(page.url()).toContain('jobs/j-1');
  expect(await app.openedExternally()).toEqual([]);
});
