/**
 * Shortcuts of views, and every dialog of every view, with a fake main (test/e2e/gallery): the keyboard opens it, the focus goes in, stays in, and
 * returns when Escape closes it; an accessibility checker finds nothing, in light and dark.
 */
import { expect, type Locator, type Page } from '@playwright/test';
import { accessibilityFaults } from './support/accessibility.ts';
import { type GalleryBrowser, test } from './support/galleryTest.ts';

interface Opened {
  /** The dialog's name. */
  readonly title: string | RegExp;
  readonly at: string;
  readonly scenario?: 'busy' | 'failing';
  /** A tab that is opened first. */
  readonly tab?: string | RegExp;
  /** What is selected first, by the name of its list. */
  readonly choose?: { readonly label: string; readonly option: string };
  /** The button that opens it, or the menu whose entry does. */
  readonly by: string | RegExp;
  readonly entry?: string;
  /** A window-wide shortcut instead. */
  readonly key?: string;
}

const DIALOGS: readonly Opened[] = [
  { title: 'Watch a folder', at: 'uploads', by: 'Watch a folder…' },
  { title: /^Upload /, at: 'uploads', by: 'More', entry: 'Upload a folder once…' },
  { title: 'What was skipped', at: 'uploads', by: 'More', entry: 'What was skipped…' },
  { title: /^Why is this/, at: 'uploads', by: 'More', entry: 'Why is a file not uploaded?' },
  { title: /^Edit “/, at: 'uploads', by: 'Actions for line-3', entry: 'Edit rule…' },
  { title: /^Stop watching/, at: 'uploads', by: 'Actions for line-3', entry: 'Stop watching…' },
  { title: /^Skipped in/, at: 'uploads', by: 'Actions for dock-cam', entry: 'What was skipped…' },
  { title: /^Skipped in/, at: 'batches/line-3-2026-11-21', by: /skipped: see why$/ },
  { title: /^Close the batch of/, at: 'uploads', by: 'Actions for line-3', entry: 'Close batch…' },
  { title: /^Close “/, at: 'batches/line-3-2026-11-21', by: /^More about/, entry: 'Close batch…' },
  { title: 'Start job', at: 'jobs', by: 'Start job…' },
  { title: /^Abort/, at: 'jobs/sluice-7f3k2m9qx0ab', by: 'Abort…' },
  { title: 'New folder', at: 'projects', by: 'New folder…' },
  { title: /^Move .* to…$/, at: 'projects/cups-on-belt', by: 'Move to…' },
  {
    title: 'New annotation job',
    at: 'projects/cups-on-belt',
    tab: /^Annotation jobs/,
    by: 'New annotation job…',
  },
  {
    title: 'From (UTC)',
    at: 'projects/cups-on-belt',
    tab: 'Insights',
    choose: { label: 'Period', option: 'From … to …' },
    by: 'Choose a day',
  },
  { title: /^Send .* again/, at: 'problems', by: 'Send all 3 again (may duplicate)' },
  { title: /^Mark /, at: 'problems', by: 'Mark all 3 as delivered' },
  { title: 'Add workspace', at: 'settings', by: 'Add workspace…' },
  { title: /^API key of/, at: 'settings', by: /^More for/, entry: 'Replace API key…' },
  { title: /^Remove the workspace/, at: 'settings', by: /^More for/, entry: 'Remove…' },
  { title: 'Support bundle', at: 'settings', tab: 'Help and about', by: 'Preview…' },
  { title: 'Licences', at: 'settings', tab: 'Help and about', by: 'Licences…' },
  { title: 'Keyboard shortcuts', at: 'uploads', by: 'Watch a folder…', key: '?' },
  { title: 'Search or run a command', at: 'uploads', by: 'Search' },
  { title: 'Add a project', at: 'projects', by: 'Add project…', scenario: 'failing' },
];

/** Opens it with the keyboard only; returns what must have the focus afterwards. */
async function openByKeys(gallery: GalleryBrowser, page: Page, opened: Opened): Promise<Locator> {
  const { at, scenario = 'busy', tab, choose, by, entry, key } = opened;
  if (new URL(page.url()).searchParams.get('scenario') === scenario) await gallery.lead(page, at);
  else await gallery.show(page, scenario, at);
  if (tab !== undefined) await page.getByRole('tab', { name: tab }).click();
  if (choose !== undefined) {
    await page.getByLabel(choose.label).selectOption({ label: choose.option });
  }
  const opener = page.getByRole('button', { name: by, exact: typeof by === 'string' }).first();
  await opener.focus();
  await page.keyboard.press(key ?? 'Enter');
  if (entry === undefined) return opener;
  const item = page.getByRole('menuitem', { name: entry, exact: true });
  await expect(item).toBeVisible();
  await item.focus();
  await page.keyboard.press('Enter');
  return opener;
}

function dialogOf(page: Page, { title }: Opened): Locator {
  return page.getByRole('dialog', { name: title, exact: typeof title === 'string' });
}

function holdsFocus(dialog: Locator): Promise<boolean> {
  return dialog.evaluate((node) => node.contains(document.activeElement));
}

/** Presses Tab twelve times, then Shift+Tab; returns whether the open dialog held the focus after each press, as its page saw it. */
async function tabThrough(page: Page, dialog: Locator): Promise<readonly boolean[]> {
  const held = await dialog.evaluateHandle((node) => {
    const seen: boolean[] = [];
    // The page hears of no key while the focus is outside of it: then there are fewer entries than presses.
    const look = ({ key }: KeyboardEvent): void => {
      if (key === 'Tab') seen.push(node.contains(document.activeElement));
    };
    addEventListener('keyup', look, { capture: true });
    return seen;
  });
  for (const way of ['Tab', 'Shift+Tab'] as const) {
    for (let step = 0; step < 12; step += 1) await page.keyboard.press(way);
  }
  return held.evaluate((seen) => seen);
}

/** As App.svelte does; the scenarios are light. */
function setTheme(page: Page, theme: 'light' | 'dark'): Promise<unknown> {
  return page.evaluate((to) => (document.documentElement.dataset['theme'] = to), theme);
}

/** The findings of the accessibility checker in the open dialog, in light and in dark. */
async function faultsOf(page: Page): Promise<readonly unknown[]> {
  const within = '[role="dialog"]';
  const light = await accessibilityFaults(page, { within });
  await setTheme(page, 'dark');
  const dark = await accessibilityFaults(page, { within, rules: ['color-contrast'] });
  await setTheme(page, 'light');
  return [...light, ...dark];
}

test('a shortcut brings the focus to the list of a view, however long the view takes to load', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  const { promise: until, resolve } = Promise.withResolvers<void>();
  await page.route(/BatchesView.*\.js$/, async (route) => {
    await until;
    await route.continue();
  });
  await page.clock.install();
  await gallery.show(page, 'busy', 'uploads');
  await expect(page.getByRole('heading', { name: 'Uploads', level: 1 })).toBeVisible();
  await page.keyboard.press('Control+2');
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0);
  await page.clock.fastForward(60_000);
  resolve();
  await expect(page.getByRole('grid', { name: 'Batches' })).toBeFocused();
  await page.close();
});

test('the heading of a group of rows has no menu', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'batches');
  const grid = page.getByRole('grid', { name: 'Batches' });
  await grid.getByText('Today', { exact: true }).click({ button: 'right' });
  // One would be drawn by then.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  });
  await expect(page.getByRole('menu')).toHaveCount(0);
  await grid.getByText('line-3-2026-11-21').click({ button: 'right' });
  await expect(page.getByRole('menu')).toBeVisible();
  await page.close();
});

test('while nothing can be sent, no file of a batch is called uploading', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'failing', 'batches/line-3-2026-11-21');
  const bar = page.getByRole('img', { name: /^Files: / });
  await expect(bar).toHaveAccessibleName(/waiting/);
  await expect(bar).not.toHaveAccessibleName(/uploading/);
  await page.close();
});

test('a screen reader hears the folder of skipped files, and the name of a project folder once', async ({
  gallery,
}) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'uploads');
  const activity = page.getByRole('region', { name: 'Activity' });
  await expect(activity.getByRole('button', { name: /: Drop · 21 Nov$/ })).toBeVisible();
  await gallery.lead(page, 'projects');
  const gate = page.getByRole('row', { name: /Gate/ });
  await expect(gate).toHaveAccessibleName('Gate open folder, 1 project');
  await gate.getByRole('button', { name: 'Close Gate' }).click();
  await expect(gate).toHaveAccessibleName('Gate closed folder, 1 project');
  await page.close();
});

test('a batch that was uploaded elsewhere offers no receipt', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'batches/from-another-computer');
  await page.getByRole('button', { name: /^More about/ }).click();
  for (const name of ['Save receipt as CSV…', 'Save receipt as JSON…']) {
    await expect(page.getByRole('menuitem', { name })).toBeDisabled();
  }
  await page.close();
});

test('a download that failed does not claim to continue by itself', async ({ gallery }) => {
  const page = await gallery.newPage();
  await gallery.show(page, 'busy', 'batches/from-another-computer');
  const failure = page.getByRole('tabpanel').getByRole('alert');
  await expect(failure).toContainText('The service is busy');
  await expect(failure).not.toContainText('by itself');
  await page.close();
});

test('a menu stays in a window that gets narrower', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await gallery.show(page, 'busy', 'batches/line-3-2026-11-21');
  const row = page.getByRole('grid', { name: 'Files' }).getByRole('row').nth(2);
  await row.click({ button: 'right', position: { x: 600, y: 20 } });
  await expect(page.getByRole('menu')).toBeVisible();
  await page.setViewportSize({ width: 900, height: 600 });
  await expect
    .poll(() => page.getByRole('menu').evaluate((menu) => menu.getBoundingClientRect().right))
    .toBeLessThanOrEqual(900);
  await page.close();
});

test('a message covers no line and no button of a dialog, and dismissing it leaves the dialog open', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 900, height: 600 } });
  await gallery.show(page, 'busy', 'jobs/sluice-7f3k2m9qx0ab');
  await page.getByRole('button', { name: 'Abort…' }).click();
  await page.getByRole('button', { name: 'Abort job' }).click();
  await expect(page.getByText('The service was told to abort the job.')).toBeVisible();
  await page.keyboard.press('Control+n');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  const covered = (): Promise<readonly string[]> =>
    page.evaluate(() => {
      const message = document.querySelector('.toast')?.getBoundingClientRect();
      const parts = [
        ...document.querySelectorAll('[role=dialog] :is(.body, .top button, .foot button)'),
      ];
      const isUnder = ({ top, bottom, left, right }: DOMRect): boolean =>
        message === undefined ||
        (bottom > message.top &&
          top < message.bottom &&
          right > message.left &&
          left < message.right);
      return parts
        .filter((part) => isUnder(part.getBoundingClientRect()))
        .map((part) => part.className);
    });
  // The others are windows of 1280×800 and 900×600 in which everything is twice as large.
  for (const size of ['900x600', '640x400', '450x300']) {
    const [width = 0, height = 0] = size.split('x').map(Number);
    await page.setViewportSize({ width, height });
    expect(await covered(), size).toEqual([]);
  }
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('The service was told to abort the job.')).toBeHidden();
  await expect(dialog).toBeVisible();
  await page.close();
});

test('a message stays while the pointer is on it, or the focus', async ({ gallery }) => {
  const page = await gallery.newPage();
  await page.clock.install();
  await gallery.show(page, 'busy', 'jobs/sluice-7f3k2m9qx0ab');
  await page.getByRole('button', { name: 'Abort…' }).click();
  await page.getByRole('button', { name: 'Abort job' }).click();
  const message = page.getByText('The service was told to abort the job.');
  await message.hover();
  await page.clock.fastForward(60_000);
  await expect(message).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).focus();
  await page.mouse.move(0, 0);
  await page.clock.fastForward(60_000);
  await expect(message).toBeVisible();
  await page.getByRole('button', { name: 'Search' }).focus();
  await page.clock.fastForward(60_000);
  await expect(message).toBeHidden();
  await page.close();
});

test.describe('the keyboard opens a dialog and stays in it, accessibility checks pass, and Escape returns the focus', () => {
  let page: Page;
  test.beforeAll(async ({ gallery }) => {
    // One page for all: a new one takes longer to load than a dialog takes to test.
    page = await gallery.newPage({ viewport: { width: 1280, height: 820 } });
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  test.afterAll(() => page.close());

  // One test for each: a busy machine takes minutes for all of them.
  for (const opened of DIALOGS) {
    test(`${opened.at}, ${String(opened.title)}`, async ({ gallery }) => {
      const opener = await openByKeys(gallery, page, opened);
      const dialog = dialogOf(page, opened);
      await expect(dialog).toBeVisible();
      await expect.poll(() => holdsFocus(dialog)).toBe(true);
      expect(await tabThrough(page, dialog)).toEqual(Array.from({ length: 24 }, () => true));
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      await expect(opener).toBeFocused();
    });
  }
});
