/** Results, as shown in the window: a table, images, archives; kept after a restart and after the service has deleted them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import type { ReferenceService } from '../../service/referenceService.ts';
import type { AppUnderTest } from '../support/appUnderTest.ts';
import type { AppFixtures } from '../support/test.ts';
import {
  choose,
  launchConnected,
  notificationTitles,
  openedNames,
  startJob,
  test,
  until,
  watch,
  writeImages,
} from './appSteps.ts';

const DAY_MS = 24 * 60 * 60_000;

function open(
  launch: AppFixtures['launch'],
  scratch: string,
  service: ReferenceService,
): Promise<AppUnderTest> {
  return launchConnected(launch, service, { env: { HOME: scratch } });
}

/** A batch `cups` of six images, and a job on it. */
async function withJob(
  app: AppUnderTest,
  scratch: string,
  job: { readonly workflowId: string; readonly downloadTo?: string },
): Promise<void> {
  const { page } = app;
  await watch(app, await writeImages(scratch, 'cups', 6), { batch: 'cups', mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 6);
  if (job.downloadTo !== undefined) {
    await mkdir(job.downloadTo);
    await choose(app, job.downloadTo);
  }
  await startJob(page, 'cups', {
    jobId: 'count',
    options: { workflowId: job.workflowId, persistImagesOutputs: true },
    downloadTo: job.downloadTo ?? null,
  });
}

async function openBatch(page: Page): Promise<Locator> {
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('row', { name: /cups/ }).click();
  const panel = page.getByRole('region', { name: 'batch cups', exact: true });
  return panel;
}

test('results are a destination: a table that is sorted and searched, images side by side, archives unpacked', async ({
  launch,
  scratch,
  service,
}) => {
  const app = await open(launch, scratch, service);
  const { page } = app;
  await withJob(app, scratch, { workflowId: 'count-cups' });
  await expect.poll(() => service.state.batch('count-export') !== null).toBe(true);
  await until(page, ({ jobsRunning }) => jobsRunning, 0);
  const panel = await openBatch(page);
  // The batches that the service created for the job are part of it.
  const grid = page.getByRole('grid', { name: 'Batches' });
  await expect(grid.getByRole('row')).toHaveCount(1);
  await expect(panel.getByRole('tab', { name: 'Results' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await panel.getByRole('button', { name: 'Download results' }).click();
  await expect(panel.getByText(/^\d+ files, .*, in$/)).toBeVisible();

  const table = panel.getByRole('grid', { name: 'summary/summary.csv' });
  await expect(panel.getByText('6 rows')).toBeVisible();
  const first = table.getByRole('row').nth(1);
  await table.getByRole('button', { name: 'image' }).click();
  await expect(first).toContainText('cups-000001.jpg');
  await table.getByRole('button', { name: 'image' }).click();
  await expect(first).toContainText('cups-000006.png');
  await panel.getByRole('button', { name: 'Open in spreadsheet' }).click();
  await expect.poll(() => openedNames(app)).toEqual(['summary.csv']);
  await panel.getByLabel('Search rows').fill('000003');
  await expect(panel.getByText('1 of 6 rows')).toBeVisible();
  await expect(first).toContainText('cups-000003.jpg');

  // A whole row, and as cells for a spreadsheet.
  await table.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  const row = page.getByRole('dialog', { name: 'Row 1', exact: true });
  await expect(row).toContainText('cups-000003.jpg');
  await page.keyboard.press('Space');
  await expect(row).toBeHidden();
  await panel.getByLabel('Search rows').fill('');
  await expect(panel.getByText('6 rows', { exact: true })).toBeVisible();
  // The first row is the header.
  await expect(table.getByRole('row')).toHaveCount(7);
  await table.getByRole('row').nth(1).click();
  await table
    .getByRole('row')
    .nth(3)
    .click({ modifiers: ['Shift'] });
  await table.getByRole('row').nth(2).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy 3 rows' }).click();
  await expect(page.getByText('3 rows copied')).toBeVisible();

  await panel.getByText('Images 6', { exact: true }).click();
  const sheet = panel.getByRole('listbox', { name: 'Result images' });
  await expect(sheet.getByRole('option')).toHaveCount(6);
  await sheet.focus();
  await page.keyboard.press('End');
  const names = await sheet.getByRole('option').allInnerTexts();
  const [before = '', last = ''] = names.slice(-2);
  await expect(sheet.getByRole('option', { selected: true })).toHaveAccessibleName(last);
  await page.keyboard.press('Enter');
  const picture = page.getByRole('dialog', { name: last });
  await expect(picture.getByRole('img', { name: last })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await page
    .getByRole('dialog', { name: before })
    .getByRole('button', { name: /^Next file/ })
    .click();
  await picture.getByRole('button', { name: /^Previous file/ }).click();
  await page
    .getByRole('dialog', { name: before })
    .getByRole('button', { name: 'Show in folder' })
    .click();
  await expect.poll(() => openedNames(app)).toEqual(['summary.csv', before]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  // Several images at once, by keyboard and by pointer, and dragged out of the window.
  await sheet.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(sheet.getByRole('option', { selected: true })).toHaveCount(2);
  await sheet
    .getByRole('option')
    .nth(4)
    .click({ modifiers: ['ControlOrMeta'] });
  await expect(sheet.getByRole('option', { selected: true })).toHaveCount(3);
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Copy name (3)' }).press('Enter');
  await expect(page.getByText('3 names copied')).toBeVisible();
  await sheet.getByRole('option').nth(4).dispatchEvent('dragstart');
  // The table and the image opened before, plus these three.
  await expect.poll(async () => (await openedNames(app)).length).toBe(5);

  await panel.getByText('Archive 1', { exact: true }).click();
  const archives = panel.getByRole('grid', { name: 'Archives' });
  await expect(archives.getByRole('gridcell').first()).toBeVisible();
  await archives.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog')).toContainText('No preview for this file');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog')).toBeHidden();
  await panel.getByRole('button', { name: 'Unpack 1 archive' }).click();
  await expect(page.getByText('1 archive unpacked.')).toBeVisible();
  await panel.getByText('Tables 2', { exact: true }).click();
  await panel
    .getByLabel('Which table')
    .selectOption({ label: 'exported_data/shard-0/results.jsonl' });
  const lines = panel.getByRole('grid', { name: 'exported_data/shard-0/results.jsonl' });
  await expect(lines.getByRole('columnheader', { name: 'predictions' })).toBeVisible();
  await expect(lines.getByRole('row')).toHaveCount(7);
});

test('archives that a rule unpacks are unpacked for a person who downloads the results, too', async ({
  launch,
  scratch,
  service,
}) => {
  const app = await open(launch, scratch, service);
  await watch(app, await writeImages(scratch, 'cups', 6), {
    batch: 'cups',
    mode: 'single',
    seal: { quietMinutes: null, items: 6, at: null },
    job: { workflowId: 'count-cups' },
    unpack: true,
  });
  await until(app.page, ({ pipeline }) => pipeline.counts.confirmed, 6);
  const panel = await openBatch(app.page);
  await panel.getByRole('tab', { name: 'Results' }).click();
  await panel.getByRole('button', { name: 'Download results' }).click();
  // The second table is in the archive.
  await expect(panel.getByText('Tables 2', { exact: true })).toBeVisible();
});

test('results that came by themselves say where they are, after a restart and when the service has deleted them', async ({
  launch,
  scratch,
  service,
}) => {
  const folder = join(scratch, 'my results');
  const first = await open(launch, scratch, service);
  await withJob(first, scratch, { workflowId: 'count-cups', downloadTo: folder });
  const open1 = await openBatch(first.page);
  const where = /files, .*, downloaded automatically to$/;
  await expect(open1.getByText(where)).toBeVisible();
  await expect(open1.getByText(/my results/)).toBeVisible();
  expect(service.state.batch('count-export')).not.toBeNull();
  const gets = service.log.find('GET', /\/storage\//).length;
  await first.close();

  await service.clock.advance(9 * DAY_MS);
  const second = await open(launch, scratch, service);
  const { page } = second;
  await page.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('row', { name: /Count the cups/ }).click();
  const panel = page.getByRole('region', { name: 'job count', exact: true });
  await expect(panel.getByText(where)).toBeVisible();
  await expect(panel.getByRole('grid', { name: 'summary/summary.csv' })).toBeVisible();
  const place = panel.getByRole('group', { name: 'Where the results are' });
  await place.getByRole('button', { name: 'Show in folder' }).click();
  await expect.poll(() => openedNames(second)).toEqual(['my results']);
  expect(service.log.find('GET', /\/storage\//)).toHaveLength(gets);
});

test('a job that failed leads to what its tasks said, and offers no results', async ({
  launch,
  scratch,
  service,
}) => {
  const app = await open(launch, scratch, service);
  const { page } = app;
  await withJob(app, scratch, { workflowId: 'always-fails' });
  const panel = await openBatch(page);
  await expect(panel.getByText('Job failed', { exact: true })).toBeVisible();
  await panel.getByRole('tab', { name: 'Results' }).click();
  await expect(panel.getByText('The workflow failed.')).toBeVisible();
  await expect(panel.getByText('The job failed and left no results.')).toBeVisible();
  await expect(panel.getByRole('button', { name: /^Download/ })).toBeHidden();
  await panel.getByRole('button', { name: 'Show job' }).click();
  const job = page.getByRole('region', { name: 'job count', exact: true });
  await expect(job.getByRole('tab', { name: /^Errors/ })).toHaveAttribute('aria-selected', 'true');
  await expect(job.getByText('The workflow failed.', { exact: true }).first()).toBeVisible();
  expect(await notificationTitles(app)).not.toContain('Results are here');
});
