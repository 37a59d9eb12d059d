/** What a person who uses the keyboard, or presses twice, meets when rows disappear and buttons work; with a fake main (test/e2e/gallery). */
import { expect, type Locator, type Page } from '@playwright/test';
import { type GalleryBrowser, test } from './support/galleryTest.ts';

const FIRST = 'cam-3-091000.jpg';
const SECOND = 'cam-3-091001.jpg';
const THIRD = 'cam-3-091002.jpg';

/** The files that the service refused, in the list of problems. */
async function refusedFiles(gallery: GalleryBrowser, page: Page): Promise<Locator> {
  await gallery.show(page, 'failing', 'problems');
  await page.getByRole('button', { name: /^Show files/ }).click();
  const files = page.getByRole('region', { name: /^The service did not take/ }).getByRole('grid');
  await expect(files.getByText(FIRST)).toBeVisible();
  return files;
}

function ignore(files: Locator, name: string): Locator {
  return files
    .getByRole('row')
    .filter({ hasText: name })
    .getByRole('button', { name: /^Ignore/ });
}

test('under the pointer, a file that is ignored keeps its place: a second click ignores no other', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  const files = await refusedFiles(gallery, page);
  const { x, y, width, height } = (await ignore(files, FIRST).boundingBox()) ?? never();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.up();
  const row = files.getByRole('row').filter({ hasText: FIRST });
  await expect(row).toContainText('Off the list');
  // As slow as a person likes.
  await page.mouse.down();
  await page.mouse.up();
  await ignore(files, THIRD).click();
  await expect(files.getByText('Off the list')).toHaveCount(2);
  await expect(ignore(files, SECOND)).toBeVisible();
  // They leave together, with the pointer.
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(row).toHaveCount(0);
  await expect(files.getByText(THIRD)).toHaveCount(0);
  await expect(files.getByText(SECOND)).toBeVisible();
  await page.close();
});

test('after its row has gone, the keyboard is at the next row; after the last row, at the title', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  const files = await refusedFiles(gallery, page);
  await ignore(files, SECOND).focus();
  await page.keyboard.press('Enter');
  await expect(files.getByText(SECOND)).toHaveCount(0);
  await expect(files).toBeFocused();
  await expect(files.getByRole('row', { selected: true })).toContainText(THIRD);
  const alone = page.getByRole('region').filter({ hasText: 'a panorama' });
  await alone.getByRole('button', { name: 'Ignore' }).focus();
  await page.keyboard.press('Enter');
  await expect(alone).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Problems', level: 1 })).toBeFocused();
  await page.close();
});

test('a message that is dismissed gives the keyboard back to where it was', async ({ gallery }) => {
  const page = await gallery.newPage();
  const files = await refusedFiles(gallery, page);
  await ignore(files, FIRST).focus();
  await page.keyboard.press('Enter');
  await expect(files).toBeFocused();
  await page.getByRole('button', { name: 'Dismiss' }).focus();
  await page.keyboard.press('Enter');
  await expect(files).toBeFocused();
  await page.close();
});

test('a dialog from the menu of a row gives the keyboard back to the row', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'uploads');
  const row = page.locator('[data-source-row]').first();
  await row.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Stop watching…' }).press('Enter');
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(row).toBeFocused();
  await page.close();
});

test('a button keeps the keyboard focus while it works and afterwards', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'problems');
  // Every request takes until the test lets it end.
  await page.evaluate(() => {
    const { sluice } = window;
    const request = sluice.request.bind(sluice);
    const ended = new Promise((done) => addEventListener('let-it-end', done, { once: true }));
    Object.assign(sluice, {
      request: (...given: Parameters<typeof request>) => ended.then(() => request(...given)),
    });
  });
  const again = page.getByRole('button', { name: 'Try again', exact: true });
  await again.focus();
  await page.keyboard.press('Enter');
  await expect(again).toHaveAttribute('aria-busy', 'true');
  await expect(again).toBeDisabled();
  await page.evaluate(() => requestAnimationFrame(() => dispatchEvent(new Event('let-it-end'))));
  await expect(again).not.toHaveAttribute('aria-busy');
  await expect(again).toBeFocused();
  await page.close();
});

test('the shortcut of a view leads into it, without a list too', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'failing', 'problems');
  await page.getByRole('button', { name: /^Show files/ }).click();
  await page.getByRole('button', { name: 'Pause' }).focus();
  for (const [key, name] of [
    ['6', 'Settings'],
    ['5', 'Problems'],
  ] as const) {
    await page.keyboard.press(`Control+${key}`);
    await expect(page.getByRole('heading', { level: 1, name })).toBeFocused();
  }
  await page.close();
});

test('after a dialog that showed another tab, the keyboard is in that tab', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'projects/cups-on-belt');
  const tab = page.getByRole('tabpanel');
  await tab.getByRole('button', { name: 'New annotation job…' }).press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tab', { name: 'Annotation jobs', selected: true })).toBeVisible();
  await expect(tab).toBeFocused();
  await page.close();
});

test('after a key that is refused, the next one can be typed at once; after a good one, the keyboard is back', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'failing', 'problems');
  const update = page.locator('main').getByRole('button', { name: 'Update API key…' });
  await update.click();
  const key = page.getByRole('dialog').getByLabel('API key', { exact: true });
  await key.fill('not-the-key');
  await page.getByRole('button', { name: 'Check and save' }).press('Enter');
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await expect(key).toHaveValue('');
  await expect(key).toBeFocused();
  await key.fill('the-key');
  await key.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(update).toBeFocused();
  await page.close();
});

function never(): never {
  throw new Error('not drawn');
}

test('Tab reaches the pictures being sent once, and arrow keys go from one to the next', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'uploads');
  const pictures = page.getByRole('list', { name: 'Uploading now' }).getByRole('button');
  await pictures.first().focus();
  await page.keyboard.press('ArrowRight');
  await expect(pictures.nth(1)).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(pictures.first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(pictures.first()).not.toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await expect(pictures.and(page.locator(':focus'))).toHaveCount(0);
  await page.close();
});

/** Runs in the page: what has the focus, and by which part of the page the frame around it is cut off; null for nothing. */
function frameCut(): string | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(focused);
  if (outlineStyle === 'none') return null;
  const wide = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const box = focused.getBoundingClientRect();
  for (let at = focused.parentElement; at !== null; at = at.parentElement) {
    if (getComputedStyle(at).overflow !== 'hidden') continue;
    const room = at.getBoundingClientRect();
    const cut =
      Math.min(box.left - room.left, box.top - room.top) < wide - 0.5 ||
      Math.min(room.right - box.right, room.bottom - box.bottom) < wide - 0.5;
    if (cut) return `${focused.ariaLabel ?? focused.textContent.trim()} in ${at.className}`;
  }
  return null;
}

test('Tab leads past the rows of a list, and the arrow keys past the headings of its groups', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 360 } });
  await gallery.show(page, 'busy', 'batches/line-3-2026-11-21');
  const files = page.getByRole('grid', { name: 'Files' });
  await files.focus();
  const headings = await files.getByRole('columnheader').getByRole('button').count();
  for (let at = 0; at <= headings; at += 1) await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Pause' })).toBeFocused();
  await page.getByRole('grid', { name: 'Batches' }).focus();
  for (const name of ['Gate north', 'Line 3, yesterday', 'Line 3 · 16 Nov']) {
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('heading', { level: 2, name })).toBeVisible();
  }
  const heading = page.getByRole('grid', { name: 'Batches' }).getByText('Today', { exact: true });
  await expect(heading).not.toBeInViewport();
  await page.keyboard.press('Home');
  await expect(heading).toBeInViewport({ ratio: 1 });
  await page.close();
});

test('the frame of the focus is not cut off', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 1200 } });
  const cut = new Set<string>();
  for (const place of [
    'uploads',
    'batches',
    'batches/line-3-2026-11-21',
    'jobs',
    'problems',
    'projects/cups-on-belt',
    'settings/about',
  ]) {
    await gallery.show(page, 'busy', place);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    for (let stop = 0; stop < 40; stop += 1) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(frameCut);
      if (found !== null) cut.add(`${place}: ${found}`);
    }
  }
  await page.close();
  expect([...cut]).toEqual([]);
});

/** Presses keys faster than a frame is drawn, as on a busy computer; runs in the page, so it must be self-contained. */
async function pressAtOnce(keys: readonly KeyboardEventInit[]): Promise<void> {
  for (const key of keys) {
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...key });
    document.activeElement?.dispatchEvent(event);
    await Promise.resolve();
    await Promise.resolve();
  }
}

test('keys that follow at once go to the menu or the palette, not to the list behind it', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await gallery.show(page, 'busy', 'batches');
  const list = page.getByRole('grid', { name: 'Batches' });
  await list.focus();
  await page.keyboard.press('Home');
  const detail = page.getByRole('button', { name: 'Close (Esc)' });
  await expect(detail).toBeVisible();
  const chosen = await list.getAttribute('aria-activedescendant');
  const open = { key: 'F10', shiftKey: true };

  await page.evaluate(pressAtOnce, [open, { key: 'End' }]);
  await expect(page.locator('[role=menuitem]:focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(list).toBeFocused();
  await page.evaluate(pressAtOnce, [open, { key: 'Escape' }]);
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(list).toBeFocused();
  await page.evaluate(pressAtOnce, [{ key: 'k', ctrlKey: true }, { key: 'Escape' }]);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(list).toBeFocused();
  await expect(detail).toBeVisible();
  expect(await list.getAttribute('aria-activedescendant')).toBe(chosen);
  await page.close();
});
