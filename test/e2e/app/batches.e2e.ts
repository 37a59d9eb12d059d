/** Batches, as shown in the window: items, shards, receipts, outputs; 100,000 of them by keyboard; nonsense from the service. */
import { sample } from '../../helpers/media.ts';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { addSeededItem, seedLedger } from '../../helpers/largeLedger.ts';
import type { AppUnderTest } from '../support/appUnderTest.ts';
import {
  connected,
  healAndTryAgain,
  hold,
  launchConnected,
  startJob,
  test,
  until,
  untilReady,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

function batchPanel(page: Page, batchId: string): Locator {
  return page.getByRole('region', { name: `batch ${batchId}` });
}

async function showBatch(page: Page, batchId: string): Promise<Locator> {
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('row', { name: new RegExp(batchId) }).click();
  return batchPanel(page, batchId);
}

/** The name of a figure of the batch. */
function figure(panel: Locator, name: string): Locator {
  return panel.getByRole('term').filter({ hasText: name });
}

/** What this computer knows does not wait for the service. */
async function expectLedgerFirst(panel: Locator): Promise<void> {
  const cell = (name: string): Locator => figure(panel, name).locator('..');
  await expect(cell('Confirmed')).toHaveText(/Confirmed\s*12$/);
  await expect(cell('In workspace')).toHaveText(/In workspace\s*–\s*$/);
  await expect(panel.getByText('not available')).toHaveCount(0);
}

async function expectItems(panel: Locator): Promise<void> {
  await expect(figure(panel, 'Confirmed').locator('..')).toHaveText(/Confirmed\s*12$/);
  await expect(panel.getByText('In workspace').locator('..')).toHaveText(
    /In workspace\s*12\s*Verified/,
  );
  await expect(panel.getByText('in 6 d 23 h')).toBeVisible();
  const items = panel.getByRole('grid', { name: 'Files' });
  await expect(items.getByRole('row')).toHaveCount(13);
  await expect(items.locator('img').first()).toBeVisible();
  await panel.getByLabel('Files in which state').selectOption({ label: 'Needs attention · 0' });
  await expect(panel.getByText('No matching files')).toBeVisible();
  await panel.getByLabel('Files in which state').selectOption({ label: 'Confirmed · 12' });
  await expect(items.getByRole('row')).toHaveCount(13);
  await panel.getByLabel('Search files').fill('nowhere');
  await expect(panel.getByText('No matching files')).toBeVisible();
  await panel.getByRole('button', { name: 'Show all files' }).click();
  await panel.getByLabel('Search files').fill('000003');
  await expect(items.getByRole('row')).toHaveCount(2);
  await panel.getByLabel('Search files').fill('');
  await panel.getByRole('button', { name: 'File' }).click();
  await expect(items.getByRole('columnheader', { name: 'File' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
}

/** Copies and empty files: the row of their watch names both, the batch only the copy of one of its files. */
async function expectLeftOut(page: Page, panel: Locator): Promise<void> {
  await page.getByRole('link', { name: 'Uploads' }).click();
  await page.getByRole('button', { name: /^2 skipped .*camera: see why$/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Skipped in camera' });
  const files = page.getByRole('grid', { name: 'Skipped files' });
  // The first row is the header.
  await expect(files.getByRole('row')).toHaveCount(3);
  const blank = files.getByRole('row', { name: /empty\.jpg/ });
  await expect(blank).toContainText('The file is empty.');
  // Files of the same name are distinguished by their folders.
  await expect(blank.getByTitle(/[\\/]line$/)).toBeVisible();
  await dialog.getByLabel('Reason').selectOption({ label: 'Copies · 1' });
  await expect(files.getByRole('row')).toHaveCount(2);
  const copy = files.getByRole('row', { name: /copy\.jpg/ });
  await expect(copy).toContainText(/Same content as .*line-000001.*, confirmed in line-7\./);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await showBatch(page, 'line-7');
  await panel.getByRole('button', { name: '1 skipped: see why' }).click();
  await expect(files.getByRole('row')).toHaveCount(2);
  await expect(copy).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(files).toBeHidden();
}

/** In a wide window the detail is next to the list and follows the selection. */
async function expectSideBySide(page: Page): Promise<void> {
  const narrow = page.viewportSize();
  await page.setViewportSize({ width: 1400, height: 800 });
  const list = page.getByRole('grid', { name: 'Batches' });
  const panel = batchPanel(page, 'line-7');
  // What others uploaded is shown on demand.
  await expect(list.getByRole('row', { name: /aside/ })).toHaveCount(0);
  await page.getByLabel('Which batches').selectOption('All batches');
  await expect(list.getByRole('row', { name: /aside/ })).toBeVisible();
  await list.getByRole('row', { name: /line-7/ }).click();
  await expect(list).toBeVisible();
  await expect(panel).toBeVisible();
  await page.keyboard.press('Home');
  await expect(batchPanel(page, 'aside')).toBeVisible();
  await expect(panel).toBeHidden();
  await page.keyboard.press('End');
  await expect(figure(panel, 'Confirmed')).toBeVisible();
  await panel.getByRole('button', { name: 'Close (Esc)' }).click();
  await expect(panel).toBeHidden();
  if (narrow !== null) await page.setViewportSize(narrow);
}

async function expectReceipts(app: AppUnderTest, panel: Locator, scratch: string): Promise<void> {
  for (const format of ['CSV', 'JSON'] as const) {
    const filePath = join(scratch, `receipt.${format.toLowerCase()}`);
    await app.answerNextDialog({ filePath });
    await panel.getByRole('button', { name: /^More about/ }).click();
    await app.page.getByRole('menuitem', { name: `Save receipt as ${format}…` }).click();
    await expect(app.page.getByText(filePath)).toBeVisible();
    const text = await readFile(filePath, 'utf8');
    const lines = format === 'CSV' ? text.trim().split('\r\n').length - 1 : countIn(text);
    // The confirmed files, and the copy that was left out.
    expect([format, lines]).toEqual([format, 13]);
  }
}

function countIn(json: string): number {
  const lines: unknown = JSON.parse(json);
  return Array.isArray(lines) ? lines.length : -1;
}

/** In a narrow window the detail covers the list: Escape returns to it with its focus, Enter opens the selected row again. */
async function expectWayBack(page: Page, panel: Locator): Promise<void> {
  const list = page.getByRole('grid', { name: 'Batches' });
  await expect(list).toBeHidden();
  await panel.getByRole('tab', { name: 'Results' }).focus();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(list).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await expect(list.getByRole('row', { selected: true })).toContainText('line-7');
  await expect(panel).toBeHidden();
  await page.keyboard.press('Enter');
  const back = panel.getByRole('button', { name: 'All batches' });
  await expect(back).toBeFocused();
  await back.click();
  await expect(list).toBeFocused();
}

test('a batch from its items to its results', async ({ launch, scratch, service }) => {
  const directory = await writeImages(scratch, 'line', 12);
  const app = await launch({ env: { ...connected(service), HOME: scratch } });
  const { page } = app;
  // Too narrow for a list with its detail next to it.
  await page.setViewportSize({ width: 1100, height: 780 });
  await untilReady(page);
  await watch(app, directory, { batch: 'line-7', mode: 'bulk' });
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 12);
  await copyFile(join(directory, 'line-000001.jpg'), join(directory, 'copy.jpg'));
  await writeFile(join(directory, 'empty.jpg'), '');
  await until(page, ({ pipeline: line }) => line.counts.skipped, 2);
  const answer = hold(service, 'GET', /\/count\b/);
  const panel = await showBatch(page, 'line-7');
  await expectLedgerFirst(panel);
  answer();
  await expectItems(panel);
  await expectLeftOut(page, panel);
  await expectReceipts(app, panel, scratch);

  await panel.getByRole('tab', { name: 'Archives 1' }).click();
  await expect(panel.getByText('1 indexed')).toBeVisible();
  await expect(
    panel
      .getByRole('grid', { name: 'Archives' })
      .getByRole('gridcell', { name: '12', exact: true }),
  ).toBeVisible();
  await panel.getByRole('tab', { name: 'Results' }).click();
  await expect(panel.getByRole('heading', { name: 'No results yet' })).toBeVisible();

  await panel.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: 'Close batch…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close batch' }).click();
  await expect(panel.getByText('Closed', { exact: true })).toBeVisible();
  await startJob(page, 'line-7', { jobId: 'seven', name: null });
  const ended = async (): Promise<string> =>
    (await value(page, 'job.detail', { jobId: 'seven' })).job.state;
  await expect.poll(ended).toBe('succeeded');

  // Another computer fills its own batch.
  await service.otherComputer.uploadVideo('aside', 'aside.mp4', await sample('mp4'));
  await expectWayBack(page, panel);
  await expectSideBySide(page);
  // The batches that the service created for the job are shown as part of it.
  await expect(page.getByRole('row', { name: /seven/ })).toHaveCount(0);
  await page.getByRole('row', { name: /line-7/ }).click();
  const results = batchPanel(page, 'line-7');
  await results.getByRole('tab', { name: 'Results' }).click();
  const release = hold(service, 'GET', /^\/storage\//);
  await results.getByRole('button', { name: 'Download results' }).click();
  await expect(results.getByRole('progressbar', { name: 'Download of the results' })).toBeVisible();
  release();
  await results.getByRole('button', { name: 'Show in folder' }).first().click();
  await expect.poll(async () => (await app.openedExternally()).join()).toContain('seven-export');
  await expect(results.getByRole('grid', { name: 'summary/summary.csv' })).toBeVisible();
});

test('100,000 items are walked through by keyboard and stay in place while the list moves on', async ({
  launch,
  scratch,
  service,
}) => {
  const userDataDir = join(scratch, 'user-data');
  const ledger = join(userDataDir, 'data', 'ledger.db');
  const { url: apiUrl, workspace } = service;
  const place = { apiUrl, workspace, batchId: 'season', displayName: 'A whole season' };
  seedLedger(ledger, { ...place, items: 100_000, now: Date.now() });
  const app = await launchConnected(launch, service, { userDataDir });
  const { page } = app;
  const panel = await showBatch(page, 'season');
  const items = panel.getByRole('grid', { name: 'Files' });
  await expect(items).toHaveAttribute('aria-rowcount', '100001');
  const chosen = items.getByRole('row', { selected: true });
  await items.focus();
  await page.keyboard.press('ArrowDown');
  await expect(chosen).toContainText('frame_099999.jpg');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(chosen).toContainText('frame_099998.jpg');
  await page.keyboard.press('End');
  await expect(chosen).toContainText('frame_000000.jpg');
  await page.keyboard.press('Home');
  await expect(chosen).toContainText('frame_099999.jpg');
  await page.keyboard.press('PageDown');
  await expect(chosen).not.toContainText('frame_099999.jpg');
  await typeAtOnce(items, 'frame_099965');
  await expect(chosen).toContainText('frame_099965');

  const name = (await chosen.textContent()) ?? '';
  expect(await items.evaluate((grid) => grid.scrollTop)).toBeGreaterThan(0);
  const box = await chosen.boundingBox();
  addSeededItem(ledger, 'season', 'late.jpg', Date.now());
  await expect(items).toHaveAttribute('aria-rowcount', '100002');
  await expect(chosen).toHaveText(name);
  expect(await chosen.boundingBox()).toEqual(box);
  await page.keyboard.press('ArrowDown');
  await expect(chosen).toContainText('frame_099964');
  await panel.getByRole('button', { name: 'Size' }).click();
  await expect(items.getByRole('row').nth(1)).toContainText('1.1 MB');
  // Another order begins at its top, and so do the keys: what is at the old place is another file.
  await expect.poll(() => items.evaluate((grid) => grid.scrollTop)).toBe(0);
  await items.focus();
  await page.keyboard.press('ArrowDown');
  await expect(items.getByRole('row').nth(1)).toHaveAttribute('aria-selected', 'true');
  console.log(`Frames while scrolling 100,000 rows: ${await frameTimes(items)}`);
});

/** Letters that are typed quickly belong together; a busy machine would let too much time pass between two of them. */
async function typeAtOnce(list: Locator, letters: string): Promise<void> {
  await list.evaluate((grid, typed) => {
    for (const key of typed) {
      grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    }
  }, letters);
}

/** Scrolls through the whole list in four seconds of frames; returns the times between them. */
async function frameTimes(list: Locator): Promise<string> {
  return list.evaluate(async (grid) => {
    const times: number[] = [];
    let last = performance.now();
    for (let frame = 0; frame < 240; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
      grid.scrollTop += grid.scrollHeight / 240;
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number): string => (sorted[Math.floor(part * 239)] ?? 0).toFixed(1);
    return `half under ${at(0.5)} ms, 95 of 100 under ${at(0.95)} ms, the longest ${at(1)} ms`;
  });
}

const COUNT = /\/batches\/odd\/count$/;
const HTML = { kind: 'wrongJson', text: '<!doctype html><title>502</title>' } as const;
const NONSENSE = [
  { path: COUNT, ...HTML },
  { path: COUNT, kind: 'wrongJson', text: '{"status":"ok","count":"plenty"}' },
  { path: COUNT, kind: 'status', status: 500 },
] as const;

test('nonsense from the service leaves what the ledger knows, and a way on', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'odd', 3);
  await watch(app, directory, { batch: 'odd', mode: 'single' });
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 3);
  const panel = await showBatch(page, 'odd');
  for (const { path, ...fault } of NONSENSE) {
    service.faults.always('GET', path, fault);
    await expect(panel.getByRole('alert')).toBeVisible();
    await expect(panel.getByText(/workspace count is not available/)).toBeVisible();
    await expect(panel.getByRole('grid', { name: 'Files' })).toBeVisible();
    await healAndTryAgain(service, path, panel.getByRole('button', { name: 'Try again' }));
    await expect(panel.getByRole('alert')).toBeHidden();
  }
  // Files of a batch that was filled elsewhere.
  await service.otherComputer.uploadVideo('theirs', 'theirs.mp4', await sample('mp4'));
  const theirList = /\/batches\/theirs\/list$/;
  service.faults.always('GET', theirList, {
    kind: 'wrongJson',
    text: '{"status":"ok","nextPageToken":"again","filesMetadata":[]}',
  });
  await page.evaluate(() => location.assign('#/batches/theirs'));
  const theirs = batchPanel(page, 'theirs');
  await expect(theirs.getByRole('tabpanel').getByRole('alert')).toBeVisible();
  await healAndTryAgain(
    service,
    theirList,
    theirs.getByRole('tabpanel').getByRole('button', { name: 'Try again' }),
  );
  await expect(theirs.getByRole('tabpanel').getByRole('alert')).toBeHidden();
  await expect(theirs.getByText('theirs.mp4')).toBeVisible();

  await page.evaluate(() => location.assign('#/batches/never-made'));
  await expect(page.getByText('Batch not found')).toBeVisible();
  await page.getByRole('button', { name: 'Show all batches' }).click();
  await expect(page.getByRole('row', { name: /odd/ })).toBeVisible();
});
