/** Uploads as home: what is safe, what is moving and what is next; menus by keyboard, a quick look, the search for a file, the history. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { clipOf, sample, withJpegComment } from '../../helpers/media.ts';
import {
  changeSettings,
  findInPalette,
  lineOf,
  notificationTitles,
  says,
  test,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';
import { accessibilityFaults } from '../support/accessibility.ts';

const PAD = 60_000;

/** Writes distinct images of about `PAD` bytes that show something. */
async function writePictures(parent: string, name: string, count: number): Promise<string> {
  const directory = join(parent, name);
  await mkdir(directory, { recursive: true });
  const picture = await sample('smallJpeg');
  for (let number = 1; number <= count; number += 1) {
    const content = withJpegComment(picture, `${name} ${number}`, PAD);
    await writeFile(join(directory, `IMG_${String(number).padStart(5, '0')}.jpg`), content);
  }
  return directory;
}

/** Collects the values of the overall progress bar, ten times a second, until it ends; `enough` is called when it has had four. */
async function followProgress(page: Page, enough: () => Promise<void>): Promise<readonly number[]> {
  const seen: number[] = [];
  const done = page.getByText(/^All \d+ files safe$/).first();
  const bar = page.getByRole('progressbar', { name: 'All uploads' });
  const hasEnded = async (): Promise<boolean> => {
    if (await done.isVisible()) return true;
    const now = await bar.getAttribute('aria-valuenow', { timeout: 1000 }).catch(() => null);
    if (now === null || seen.at(-1) === Number(now)) return false;
    seen.push(Number(now));
    if (seen.length === 4) await enough();
    return false;
  };
  await expect.poll(hasEnded, { intervals: [100], timeout: 120_000 }).toBe(true);
  return seen;
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((one, other) => one - other);
}

test('an upload shows its progress and remaining time, and ends with what is safe', async ({
  app,
  page,
  scratch,
}) => {
  const directory = await writePictures(scratch, 'camera', 8);
  // So slow that a busy machine sees it all before it ends.
  await changeSettings(page, { bandwidth: '10k' });
  await watch(app, directory, { batch: 'home', mode: 'single' });
  const home = page.getByRole('region', { name: 'Progress' });
  await expect(home).toContainText(/ left/);
  await expect(home).toContainText(/\d % done\D*\d+ kB to go/);
  const lefts: number[] = [];
  const listen = setInterval(() => {
    void value(page, 'snapshot.get', {}).then(({ pipeline }) => {
      if (pipeline.leftMs !== null && pipeline.bytesPerSecond > 0) lefts.push(pipeline.leftMs);
    });
  }, 500);
  // The images that are being sent, and the row that expands to show them.
  await expect(
    home.getByRole('list', { name: 'Uploading now' }).getByRole('button').first(),
  ).toBeVisible();
  // Redrawn five times a second: with a transition, they would be laid out with every frame of a whole upload.
  const moves = page
    .locator('[role=progressbar] > *, .bar[role=img] > *')
    .evaluateAll((parts) => parts.map((part) => getComputedStyle(part).transitionDuration));
  expect([...new Set(await moves)]).toEqual(['0s']);
  const line = lineOf(page, 'camera');
  await line.getByRole('button', { name: 'camera', exact: true }).click();
  await expect(
    line.getByRole('list', { name: 'Transfers' }).getByRole('listitem').first(),
  ).toContainText('IMG_');
  const seen = await followProgress(page, async () => {
    await expect.poll(() => lefts.length).toBeGreaterThan(1);
    await changeSettings(page, { bandwidth: '60k' });
  });
  clearInterval(listen);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen).toEqual(sorted(seen));
  expect(Math.max(...seen)).toBeLessThan(100);
  expect(lefts.at(-1) ?? 0).toBeLessThan(lefts[0] ?? 0);
  await says(page, 'All 8 files confirmed');
  await expect(home).toContainText('All 8 files safe');

  // A drop has a row, too, which stays when it is done.
  const drop = await writeImages(scratch, 'few', 2);
  await app.dropFiles(page.locator('body'), [drop]);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Batch').fill('my-drop');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  const drops = page.getByRole('list', { name: 'Uploaded once' });
  await expect(drops.getByRole('listitem')).toContainText('my-drop');
  await says(page, 'All 10 files confirmed');
  await expect(drops.getByRole('listitem')).toContainText('Done');

  // Today.
  const activity = page.getByRole('region', { name: 'Activity' });
  // With a single day, its own line says the same as the week would.
  await expect(activity).not.toContainText('Last 7 days');
  await expect(activity.getByRole('button', { name: /^Today/ })).toContainText('All 10 files safe');
  await expect(activity.getByRole('listitem').filter({ hasText: 'camera' }).last()).toContainText(
    'All 8 files safe',
  );
  // The row shows that it is paused.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(line).toContainText('Paused');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(line).toContainText('Watching');
  // One notification for both if they end close together.
  await expect
    .poll(() => notificationTitles(app))
    .toContainEqual(expect.stringMatching(/^All \d+ files are safe$/));
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('a file is shown while it is uploaded, and no row moves before, meanwhile or afterwards', async ({
  app,
  page,
  scratch,
}) => {
  const directory = join(scratch, 'clips');
  await mkdir(directory, { recursive: true });
  await watch(app, directory, { batch: 'clips' });
  const home = page.getByRole('region', { name: 'Progress' });
  await expect(home).toContainText('are uploaded as they arrive');
  const strip = home.getByRole('list');
  await expect(strip).toBeHidden();
  const line = page.getByRole('list', { name: 'Watched folders' }).getByRole('listitem');
  const top = async (): Promise<number> => Math.round((await line.boundingBox())?.y ?? 0);
  const place = await top();
  expect(place).toBeGreaterThan(0);
  const told = await page.evaluateHandle(() => {
    const all: string[] = [];
    const live = document.querySelector('footer [aria-live=polite]');
    const note = (): unknown => live?.textContent !== '' && all.push(live?.textContent ?? '');
    if (live !== null)
      new MutationObserver(note).observe(live, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    return all;
  });
  await changeSettings(page, { bandwidth: '1k' });
  await writeFile(join(directory, 'belt.mp4'), await clipOf('belt'));
  await expect(strip.getByRole('button', { name: 'Look at belt.mp4' })).toBeVisible();
  expect(await top()).toBe(place);
  await changeSettings(page, { bandwidth: '' });
  await says(page, 'The file is confirmed');
  // A screen reader is not told each new figure.
  const all = await told.evaluate((texts) => texts);
  expect(all.at(-1)).toBe('The file is confirmed');
  expect(all.length).toBeLessThan(5);
  await expect(home.getByRole('list', { name: 'Most recent' })).toBeVisible();
  expect(await top()).toBe(place);
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('link', { name: 'Uploads' }).click();
  await expect(home).toContainText('The file is safe');
  await expect(strip.getByRole('button', { name: 'Look at belt.mp4' })).toBeVisible();
  expect(await top()).toBe(place);
});

test('a file is found by its name, looked at, copied, left out and taken back, by keys alone', async ({
  app,
  page,
  scratch,
}) => {
  const directory = await writePictures(scratch, 'shelf', 4);
  await watch(app, directory, { batch: 'shelf' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 4);

  // "Where is IMG_00003?"
  await expect(await findInPalette(page, 'img_00003')).toContainText('IMG_00003.jpg');
  await page.keyboard.press('Enter');
  const look = page.getByRole('dialog', { name: 'IMG_00003.jpg' });
  await expect(look).toContainText('Confirmed');
  await expect(look).toContainText(/[0-9a-f]{64}/);
  const picture = look.getByRole('img', { name: 'IMG_00003.jpg' });
  await expect
    .poll(() =>
      picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth),
    )
    .toBeGreaterThan(16);
  await page.keyboard.press('Space');
  await expect(look).toBeHidden();

  // The list of batches has the focus right after the view's shortcut.
  await page.keyboard.press('Control+2');
  const batches = page.getByRole('grid', { name: 'Batches' });
  await expect(batches).toBeFocused();
  await expect(batches.getByRole('row', { name: /shelf/ })).toBeVisible();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(batches).toBeFocused();
  await page.keyboard.press('Enter');
  const items = page.getByRole('grid', { name: 'Files' });
  // The first row is the header.
  await expect(items.getByRole('row')).toHaveCount(5);
  await items.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog', { name: /IMG_0000\d/ })).toBeVisible();
  const first = await page.getByRole('dialog').getAttribute('aria-labelledby');
  expect(first).not.toBeNull();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog')).toBeHidden();
  await items.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(items.getByRole('row', { selected: true })).toHaveCount(3);
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Copy path (3)' }).press('Enter');
  await expect(page.getByText('3 paths copied')).toBeVisible();
  await expect(page.getByRole('menu')).toBeHidden();
  await items.getByRole('row').nth(1).click();
  await items.getByRole('row').nth(1).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show in folder' }).click();
  const opened = async (): Promise<string> => (await app.openedExternally()).join(' ');
  await expect.poll(opened).toContain('IMG_0000');

  // Out of the window, into another program.
  await items.getByRole('row').nth(1).dispatchEvent('dragstart');
  await expect.poll(async () => (await app.openedExternally()).length).toBe(2);

  // A waiting file is left out, and Undo brings it back.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await until(page, ({ pipeline }) => pipeline.paused, true);
  await writeFile(
    join(directory, 'IMG_00009.jpg'),
    withJpegComment(await sample('smallJpeg'), 'late', 10),
  );
  await until(page, ({ pipeline }) => pipeline.counts.queued, 1);
  const [late] = await value(page, 'file.search', { search: 'img_00009', limit: 5 });
  expect(late?.state).toBe('queued');
  expect(await value(page, 'problem.ignore', { ids: [late?.id ?? 0], code: null })).toMatchObject({
    count: 1,
  });
  await until(page, ({ pipeline }) => [pipeline.counts.queued, pipeline.counts.skipped], [0, 1]);
  await value(page, 'problem.retry', { ids: [late?.id ?? 0], code: null });
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await says(page, 'All 5 files confirmed');
});
