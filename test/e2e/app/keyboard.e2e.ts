/** Without a mouse, at double size, and with assistive technology: every view and every dialog. */
import { expect, type Page } from '@playwright/test';
import { changeSettings, says, test, watch, writeImages } from './appSteps.ts';
import { accessibilityFaults } from '../support/accessibility.ts';

const VIEWS = ['Uploads', 'Batches', 'Jobs', 'Projects', 'Problems', 'Settings'] as const;
const SECTIONS = ['Workspaces', 'Uploading', 'General', 'Webhook', 'Help and about'] as const;
/** Buttons that open a dialog, with the way there: a view, a tab, then the button; and what it shows once it is loaded. All others: ../dialogs.e2e.ts. */
const DIALOGS = [
  ['Settings', 'Workspaces', 'Add workspace…', 'API key'],
  ['Settings', 'Help and about', 'Licences…', 'MIT'],
] as const;

async function open(page: Page, view: string): Promise<void> {
  await page.getByRole('link', { name: view }).click();
  await expect(page.getByRole('heading', { name: view, level: 1 })).toBeVisible();
  await loaded(page);
}

async function openSection(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await expect(page.getByRole('tab', { name, selected: true })).toBeVisible();
  await loaded(page);
}

/** Waits until everything is loaded, because loaded data adds more stops. */
async function loaded(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect(page.getByText(/^(Asking|Reading|Looking) .*…$/)).toHaveCount(0);
}

/** Waits until the window itself shows that the four files are safe, also in its history: nothing changes after that. */
async function shown(page: Page): Promise<void> {
  await says(page, 'All 4 files confirmed');
  await expect(page.getByRole('region', { name: 'Activity' })).toContainText('All 4 files safe');
}

/** What has the focus, and whether the focus is visible. */
interface Focused {
  /** Number of the stop; null for the page itself. */
  readonly at: number | null;
  readonly says: string;
  readonly ring: boolean;
}

/** Numbers every Tab stop of the page in order. A group of radio buttons is one stop. */
async function numberStops(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const all =
      'a[href], button, input, select, textarea, summary, [tabindex], [role="option"], [role="gridcell"]';
    const groups = new Set<string>();
    const stops = [...document.querySelectorAll<HTMLElement>(all)].filter((element) => {
      const shown = element.checkVisibility({ visibilityProperty: true });
      if (!shown || element.tabIndex < 0 || element.matches(':disabled')) return false;
      if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true;
      const own = [...document.getElementsByName(element.name)];
      const chosen = own.some((one) => one instanceof HTMLInputElement && one.checked);
      if (chosen ? !element.checked : groups.has(element.name)) return false;
      groups.add(element.name);
      return true;
    });
    stops.forEach((element, index) => (element.dataset['stop'] = String(index)));
    return stops.map((element) => element.outerHTML.slice(0, 120));
  });
}

async function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) {
      return { at: null, says: 'the page', ring: true };
    }
    // A hidden radio button shows its focus on its label, a list above its rows or on the selected row.
    const bearers = [element, element.closest('label'), element.querySelector('.chosen')];
    const isRing = ({ outlineStyle, outlineWidth, boxShadow }: CSSStyleDeclaration): boolean =>
      (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    const ring = bearers.some(
      (one) =>
        one !== null && (isRing(getComputedStyle(one)) || isRing(getComputedStyle(one, '::after'))),
    );
    const stop = element.dataset['stop'];
    return {
      at: stop === undefined ? null : Number(stop),
      says: element.outerHTML.slice(0, 120),
      ring,
    };
  });
}

/** Walks with Tab from start to end: each stop once, in order, with visible focus, and out again. */
async function walk(page: Page, where: string): Promise<void> {
  const stops = await numberStops(page);
  expect(stops.length, where).toBeGreaterThan(4);
  // Start backwards from the first stop, because it is not defined where the browser begins by itself.
  await page.locator('[data-stop="1"]').focus();
  await page.keyboard.press('Shift+Tab');
  const missed: string[] = [];
  for (const [index, html] of stops.entries()) {
    if (index > 0) await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now.at !== index) {
      missed.push(`${where}: expected ${html}, was at ${now.says}`);
      break;
    }
    if (!now.ring) missed.push(`${where}: no ring on ${html}`);
  }
  expect(missed).toEqual([]);
}

/** Nothing is wider than the window, and every control can be scrolled into view. */
async function fits(page: Page, where: string): Promise<void> {
  const out = await page.evaluate(() => {
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    const main = document.querySelector('main');
    const inside = main === null ? 0 : main.scrollWidth - main.clientWidth;
    const lost = [...document.querySelectorAll<HTMLElement>('button, a[href], input, select')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .filter((one) => !one.classList.contains('spoken'))
      .filter((one) => {
        one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { left, right, top, bottom, width } = one.getBoundingClientRect();
        const across = left < -1 || right > window.innerWidth + 1;
        return width > 0 && (across || bottom < 0 || top > window.innerHeight);
      })
      .map((one) => one.outerHTML.slice(0, 100));
    return { wide, inside, lost };
  });
  expect([where, out]).toEqual([where, { wide: 0, inside: 0, lost: [] }]);
}

/** How many parts of the window are moving. */
function moving(page: Page): Promise<number> {
  return page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
  );
}

/** Looks at every view and every section of the settings, at their dialogs, and at the palette. */
async function visitAll(page: Page, look: (where: string) => Promise<void>): Promise<void> {
  for (const view of VIEWS) {
    await open(page, view);
    if (view !== 'Settings') await look(view);
  }
  for (const name of SECTIONS) {
    await openSection(page, name);
    await look(`Settings, ${name}`);
  }
  for (const [, section, opener, content] of DIALOGS) {
    await openSection(page, section);
    await page.getByRole('button', { name: opener }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(content);
    await look(opener);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option').first()).toBeVisible();
  await look('the palette');
  await page.keyboard.press('Escape');
}

test('the keyboard alone reaches everything, and dialogs give the focus back', async ({
  app,
  page,
  scratch,
}) => {
  // Hundreds of single key presses take a busy machine a while.
  test.setTimeout(400_000);
  const directory = await writeImages(scratch, 'line-3', 4);
  await watch(app, directory, { batch: 'line-3' });
  await shown(page);
  for (const view of VIEWS) {
    await open(page, view);
    if (view !== 'Settings') await walk(page, view);
  }
  await open(page, 'Batches');
  const batches = page.getByRole('grid', { name: 'Batches' });
  await batches.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search batches' })).toBeFocused();
  await batches.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await batches.press('Home');
  await batches.press('Enter');
  await page.getByRole('grid', { name: 'Files' }).press('/');
  await expect(page.getByRole('searchbox', { name: 'Search files' })).toBeFocused();
  await open(page, 'Settings');
  for (const [index, name] of SECTIONS.entries()) {
    const tab = page.getByRole('tab', { name });
    // The first section is open already; the others follow one by one.
    const before = page.getByRole('tab', { name: SECTIONS[index - 1] ?? name });
    if (index === 0) await tab.focus();
    else await before.press('ArrowRight');
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    await expect(tab).toBeFocused();
    await loaded(page);
    await walk(page, `Settings, ${name}`);
  }
  for (const [view, section, opener] of DIALOGS) {
    await open(page, view);
    await openSection(page, section);
    const button = page.getByRole('button', { name: opener });
    await button.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(page.locator('[role=dialog]:focus-within')).toBeVisible();
    // Several rounds: the focus never leaves the dialog while it is open.
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      expect(await dialog.evaluate((node) => node.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
  }
});

test('views and dialogs are accessible in light and dark, fit at twice the size, and keep still', async ({
  app,
  page,
  scratch,
}) => {
  test.slow();
  const directory = await writeImages(scratch, 'line-3', 4);
  const settings = { bandwidth: '08:00,2M 18:00,off Sat-00:00,off' };
  await changeSettings(page, { ...settings, theme: 'light' });
  await watch(app, directory, { batch: 'line-3' });
  await shown(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await visitAll(page, async (where) => {
    expect(await accessibilityFaults(page), where).toEqual([]);
    expect(await moving(page), where).toBe(0);
  });
  await changeSettings(page, { theme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  // Only the colors differ.
  const rules = ['color-contrast'];
  await visitAll(page, async (where) => {
    expect(await accessibilityFaults(page, { rules }), where).toEqual([]);
  });
  // A window of 900 by 600 at 200 %.
  await page.setViewportSize({ width: 450, height: 300 });
  await visitAll(page, (where) => fits(page, where));
});

test('Escape first clears a search, then closes the panel beside the list, which has the focus again', async ({
  app,
  page,
  scratch,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const directory = await writeImages(scratch, 'line-3', 4);
  await watch(app, directory, { batch: 'line-3' });
  await shown(page);
  await open(page, 'Batches');
  const batches = page.getByRole('grid', { name: 'Batches' });
  await batches.press('Home');
  const search = page.getByRole('searchbox', { name: 'Search files' });
  await search.fill('line');
  await search.press('Escape');
  await expect(search).toHaveValue('');
  await search.press('Escape');
  await expect(search).toBeHidden();
  await expect(batches).toBeFocused();
  await batches.press('Enter');
  await expect(search).toBeVisible();
  await batches.press('Escape');
  await expect(search).toBeHidden();
});
