/** Tables as a person arranges them: sorted by click or keyboard, columns and lists resized, the same after a restart. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { startJob, test, until, value, watch, writeImages } from './appSteps.ts';
import { accessibilityFaults } from '../support/accessibility.ts';

async function titles(list: Locator): Promise<readonly string[]> {
  const rows = await list.getByRole('row').allTextContents();
  return rows.flatMap((text) => /(alpha|beta|gamma)/i.exec(text)?.[1]?.toLowerCase() ?? []);
}

async function widthOf(place: Locator): Promise<number> {
  return (await place.boundingBox())?.width ?? 0;
}

/** Drags the middle of an edge sideways. */
async function dragBy(page: Page, grip: Locator, byPx: number): Promise<void> {
  const box = await grip.boundingBox();
  if (box === null) throw new Error('there is nothing to drag');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + byPx / 2, y, { steps: 3 });
  await page.mouse.move(x + byPx, y, { steps: 3 });
  await page.mouse.up();
}

test('batches and jobs are sorted by their columns, by pointer and by keys, also after a restart', async ({
  app,
  page,
  scratch,
}) => {
  test.slow();
  await page.setViewportSize({ width: 1300, height: 800 });
  for (const [index, name] of ['beta', 'gamma', 'alpha'].entries()) {
    const directory = await writeImages(scratch, name, index + 1);
    await watch(app, directory, { batch: name });
    await until(page, ({ pipeline }) => pipeline.counts.confirmed, [1, 3, 6][index]);
    await value(page, 'batch.seal', { batchId: name });
    await startJob(page, name, { name: `job of ${name}` });
  }
  await page.getByRole('link', { name: 'Batches' }).click();
  const batches = page.getByRole('grid', { name: 'Batches' });
  const heading = (name: string): Locator =>
    batches.getByRole('columnheader', { name, exact: true });
  await expect(heading('Started')).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(() => titles(batches)).toEqual(['alpha', 'gamma', 'beta']);
  await heading('Name').getByRole('button').click();
  await expect(heading('Name')).toHaveAttribute('aria-sort', 'ascending');
  await expect.poll(() => titles(batches)).toEqual(['alpha', 'beta', 'gamma']);
  // By keyboard, and the focus stays on the heading.
  await heading('Uploaded').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(batches)).toEqual(['alpha', 'gamma', 'beta']);
  await page.keyboard.press('Enter');
  await expect(heading('Uploaded')).toHaveAttribute('aria-sort', 'ascending');
  await expect.poll(() => titles(batches)).toEqual(['beta', 'gamma', 'alpha']);
  await expect(heading('Uploaded').getByRole('button')).toBeFocused();
  // A column is widened by keyboard and by its edge.
  const expires = heading('Expires');
  const before = await widthOf(expires);
  await expires.getByRole('button').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => widthOf(expires)).toBe(before + 16);
  await dragBy(page, expires.getByTitle('Drag to resize; double-click to reset'), -40);
  await expect.poll(() => widthOf(expires)).toBe(before + 56);
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole('link', { name: 'Jobs' }).click();
  const jobs = page.getByRole('grid', { name: 'Jobs' });
  await jobs.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expect.poll(() => titles(jobs)).toEqual(['alpha', 'beta', 'gamma']);
  await jobs.getByRole('columnheader', { name: 'Batch' }).getByRole('button').click();
  await jobs.getByRole('columnheader', { name: 'Batch' }).getByRole('button').click();
  await expect.poll(() => titles(jobs)).toEqual(['gamma', 'beta', 'alpha']);

  // As it was left.
  await page.reload();
  await page.getByRole('link', { name: 'Batches' }).click();
  await expect(heading('Uploaded')).toHaveAttribute('aria-sort', 'ascending');
  await expect.poll(() => titles(batches)).toEqual(['beta', 'gamma', 'alpha']);
  expect(await widthOf(expires)).toBe(before + 56);
});

test('the list beside a detail is as wide as one drags it', async ({ app, page, scratch }) => {
  const directory = await writeImages(scratch, 'cups', 2);
  await page.setViewportSize({ width: 1500, height: 800 });
  await watch(app, directory, { batch: 'cups' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 2);
  await page.getByRole('link', { name: 'Batches' }).click();
  const list = page.getByRole('grid', { name: 'Batches' });
  await list.getByRole('row', { name: /cups/i }).click();
  const divider = page.getByRole('separator', { name: 'Width of the list' });
  await expect(divider).toBeVisible();
  const usual = await widthOf(list);
  await dragBy(page, divider, 80);
  await expect.poll(() => widthOf(list)).toBe(usual + 80);
  await expect(divider).toHaveAttribute('aria-valuenow', String(usual + 80));
  await divider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => widthOf(list)).toBe(usual + 64);
  // Never too narrow to read, never so wide that the detail has no room.
  await dragBy(page, divider, -900);
  const least = Number(await divider.getAttribute('aria-valuemin'));
  await expect.poll(() => widthOf(list)).toBe(least);
  await divider.focus();
  await page.keyboard.press('End');
  // The detail is wide enough all the time; the end is where the handle says it is.
  const most = Number(await divider.getAttribute('aria-valuemax'));
  expect(most).toBeGreaterThan(least);
  await expect.poll(() => widthOf(list)).toBe(most);
  const widest = most;
  expect(await widthOf(page.getByRole('region', { name: 'batch cups' }))).toBeGreaterThanOrEqual(
    470,
  );
  // The same in another view, and after a restart.
  await page.reload();
  await expect.poll(() => widthOf(list)).toBe(widest);
  await divider.dblclick();
  await expect.poll(() => widthOf(list)).toBe(usual);
});

test('what was skipped is sorted by its columns', async ({ app, page, scratch }) => {
  const directory = await writeImages(scratch, 'cups', 1);
  for (const [name, size] of [
    ['beta.jpg', 2000],
    ['alpha.jpg', 3000],
    ['gamma.jpg', 1000],
  ] as const) {
    await writeFile(join(directory, name), 'not an image'.padEnd(size));
  }
  await watch(app, directory, { batch: 'cups' });
  await until(page, ({ pipeline: { counts } }) => [counts.confirmed, counts.skipped], [1, 3]);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'What was skipped…' }).click();
  const list = page.getByRole('dialog').getByRole('grid', { name: 'Skipped files' });
  const heading = (name: string): Locator => list.getByRole('columnheader', { name, exact: true });
  await expect(heading('File')).toHaveAttribute('aria-sort', 'none');
  await heading('File').getByRole('button').click();
  await expect(heading('File')).toHaveAttribute('aria-sort', 'ascending');
  await expect.poll(() => titles(list)).toEqual(['alpha', 'beta', 'gamma']);
  await heading('Size').getByRole('button').click();
  await expect.poll(() => titles(list)).toEqual(['alpha', 'beta', 'gamma']);
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(list)).toEqual(['gamma', 'beta', 'alpha']);
});
