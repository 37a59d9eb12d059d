/**
 * No text is clipped, out of sight or overlapping: every view, with a fake main (test/e2e/gallery), is measured by its
 * boxes, at three widths and at 200 %. And in high contrast, what is chosen still differs from the rest.
 */
import { expect, type Locator, type Page } from '@playwright/test';
import { VIEWS } from '../../renderer/state/route.ts';
import { test } from './support/galleryTest.ts';
import { measureBoxes } from './support/measureBoxes.ts';

/** 640 px is a window of 1,280 px at 200 %. */
const SIZES = [
  { width: 900, height: 600 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 640, height: 400 },
] as const;
const PLACES = [
  ...VIEWS,
  'batches/line-3-2026-11-21',
  'batches/from-another-computer',
  'jobs/sluice-7f3k2m9qx0ab',
  'jobs/orchard-1',
  'jobs/nightly-16?tab=results',
  'settings/uploading',
  'settings/general',
  'settings/webhook',
  'settings/about',
];

/** Waits until the layout is final, with nothing changed for five frames: boxes are observed, names are shortened, lists draw other rows. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    let quiet = 0;
    const changes = new MutationObserver(() => (quiet = 0));
    const every = { subtree: true, childList: true, attributes: true, characterData: true };
    changes.observe(document, every);
    for (; quiet < 5; quiet += 1) await new Promise((done) => requestAnimationFrame(done));
    changes.disconnect();
  });
}

for (const scenario of ['busy', 'long', 'failing', 'first'] as const) {
  test(`words keep clear of each other: ${scenario}`, async ({ gallery }) => {
    const page = await gallery.newPage();
    const faults: string[] = [];
    // Loaded once: reloading the window for each place takes most of the time.
    await gallery.show(page, scenario, '');
    for (const place of scenario === 'first' ? ['uploads'] : PLACES) {
      await page.setViewportSize(SIZES[0]);
      await gallery.lead(page, place);
      await page.locator('h1').waitFor({ state: 'attached' });
      await page.evaluate(() => document.fonts.ready.then(() => null));
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await settle(page);
        const found = await measureBoxes(page);
        faults.push(...found.map((fault) => `${place} at ${String(size.width)} px: ${fault}`));
      }
    }
    await page.close();
    expect(faults).toEqual([]);
  });
}

test('watched folders have rows of one height, however many figures they have', async ({
  gallery,
}) => {
  for (const width of [900, 1280]) {
    const page = await gallery.newPage({ viewport: { width, height: 800 } });
    await gallery.show(page, 'busy', 'uploads');
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: /^Actions for / }) });
    const height = async (name: string): Promise<number> =>
      Math.round((await row.filter({ hasText: name }).boundingBox())?.height ?? 0);
    const few = await height('archive-2025');
    expect(await height('line-3')).toBe(few);
    expect(await height('Drop · 21 Nov')).toBe(few);
    await page.close();
  }
});

test('the progress stays on one line, so that no row below it moves', async ({ gallery }) => {
  for (const width of [900, 1200, 1280]) {
    const page = await gallery.newPage({ viewport: { width, height: 800 } });
    await gallery.show(page, 'busy', 'uploads');
    const line = page.getByText('59 % done', { exact: true }).locator('..');
    expect((await line.boundingBox())?.height).toBeLessThan(25);
    await page.close();
  }
});

test('the files of a batch stay in place when the last of them is confirmed', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  const tabsOf = async (batchId: string): Promise<number | undefined> => {
    await gallery.show(page, 'busy', `batches/${batchId}`);
    const panel = page.getByRole('region', { name: `batch ${batchId}` });
    await expect(panel.getByText('Verified', { exact: true })).toBeVisible();
    return (await panel.getByRole('tablist').boundingBox())?.y;
  };
  // One that is being uploaded, and one that has arrived.
  expect(await tabsOf('line-3-2026-11-21')).toBe(await tabsOf('line-3-2026-11-20'));
  await page.close();
});

test('where nothing is on the way, a row has room for what comes next', async ({ gallery }) => {
  for (const width of [900, 1280]) {
    const page = await gallery.newPage({ viewport: { width, height: 800 } });
    await gallery.show(page, 'failing', 'uploads');
    const row = page.getByRole('listitem').filter({ hasText: 'Drop · 21 Nov' }).first();
    await expect(row.getByRole('button', { name: 'Show batch Drop · 21 Nov' })).toBeVisible();
    await page.close();
  }
});

test('files with long names are told apart by their ends, wherever they are listed', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 900, height: 600 } });
  await gallery.show(page, 'busy', 'batches/line-3-2026-11-21');
  const ofBatch = page
    .getByRole('grid', { name: 'Files' })
    .getByText(/^line-3-.*….*_frame_\d+\.jpg$/);
  await expect(ofBatch.first()).toBeVisible();
  await gallery.show(page, 'long', 'problems');
  await expect(page.getByText(/^a panorama .*….*\(2\)\.tiff$/).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('station');
  const found = page.getByRole('option').first();
  await expect(found.getByText(/^\/home\/….*\/incoming$/)).toBeVisible();
  await page.close();
});

test('the figures of a watched folder stand in the order of its bar', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await gallery.show(page, 'failing', 'uploads');
  const row = page.getByRole('listitem').filter({ hasText: 'archive-2025' }).first();
  const left = async (text: string): Promise<number> =>
    (await row.getByText(text).boundingBox())?.x ?? NaN;
  expect(await left('need attention')).toBeGreaterThan(await left('confirmed'));
  await page.close();
});

test('at 200 %, what a project contains keeps its names', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 640, height: 400 } });
  for (const [tab, list] of [
    ['batches', 'Image batches'],
    ['jobs', 'Annotation jobs'],
  ] as const) {
    await gallery.show(page, 'busy', `projects/cups-on-belt?tab=${tab}`);
    const name = page.getByRole('grid', { name: list }).getByRole('gridcell').first();
    await expect(name).toBeVisible();
    expect((await name.boundingBox())?.width).toBeGreaterThan(100);
  }
  await page.close();
});

test('a picture is looked at as large as the window allows', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await gallery.show(page, 'busy', 'uploads');
  await page.getByRole('list', { name: 'Uploading now' }).getByRole('button').first().click();
  const box = await page.getByRole('dialog').boundingBox();
  expect(box?.width).toBeGreaterThan(1100);
  expect(box?.height).toBeGreaterThan(650);
  await page.close();
});

test('rows follow each other without a gap, and the heading of a group is lower than a row', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 900, height: 600 } });
  await gallery.show(page, 'busy', 'batches');
  const rows = page.getByRole('grid', { name: 'Batches' }).locator('[role=rowgroup] [role=row]');
  await expect(rows.filter({ hasText: 'Earlier' })).toBeVisible();
  const boxes = await rows.evaluateAll((all) =>
    all.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
  );
  expect(boxes.slice(1).map(({ top }) => top)).toEqual(
    boxes.slice(0, -1).map(({ bottom }) => bottom),
  );
  const [heading = NaN, row = NaN] = boxes.map(({ top, bottom }) => bottom - top);
  expect(heading).toBeLessThan(row);
  await page.close();
});

test('a list ends where the title above it ends, in a wide window too', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1920, height: 1080 } });
  await gallery.show(page, 'busy', 'jobs');
  const right = async (one: Locator): Promise<number> => {
    const { x = NaN, width = NaN } = (await one.boundingBox()) ?? {};
    return Math.round(x + width);
  };
  const end = await right(page.getByRole('button', { name: 'Start job…' }));
  expect(await right(page.getByRole('columnheader').last())).toBe(end);
  await page.close();
});

test('the menu of a watched folder is level with its name', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await gallery.show(page, 'busy', 'uploads');
  const row = page.getByRole('list', { name: 'Watched folders' }).getByRole('listitem').first();
  // Both at the same moment: what is above may still move.
  const apart = await row.evaluate((line) => {
    const middle = (selector: string): number => {
      const { y = NaN, height = NaN } = line.querySelector(selector)?.getBoundingClientRect() ?? {};
      return y + height / 2;
    };
    return Math.abs(middle('button[aria-label^="Actions for "]') - middle('h3'));
  });
  expect(apart).toBeLessThan(2);
  await page.close();
});

test('at 200 %, every entry of a menu can be reached', async ({ gallery }) => {
  const page = await gallery.newPage({ viewport: { width: 640, height: 400 } });
  await gallery.show(page, 'busy', 'uploads');
  await page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Edit rule…' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.close();
});

test('in high contrast, what is chosen has a frame, and bars keep their colors', async ({
  gallery,
}) => {
  const page = await gallery.newPage({ viewport: { width: 1280, height: 800 } });
  await page.emulateMedia({ forcedColors: 'active' });
  await gallery.show(page, 'busy', 'batches/line-3-2026-11-21');
  const framed = (one: Locator): Promise<void> => expect(one).toHaveCSS('outline-style', 'solid');
  await framed(page.getByRole('tab', { selected: true }));
  await expect(page.getByRole('tab', { selected: false }).first()).toHaveCSS(
    'outline-style',
    'none',
  );
  await framed(page.getByRole('row', { selected: true }));
  await framed(page.getByRole('link', { name: 'Batches' }));
  const bar = page.getByRole('article').locator('[role=img], [role=progressbar]').first();
  await expect(bar).toHaveCSS('forced-color-adjust', 'none');
  await page.keyboard.press('Control+k');
  await framed(
    page.getByRole('listbox', { name: 'Found' }).getByRole('option', { selected: true }),
  );
  await gallery.show(page, 'busy', 'settings/uploading');
  await framed(page.locator('label').filter({ has: page.getByRole('radio', { checked: true }) }));
  await page.close();
});

test('a list that is scrolled far down can be emptied by a search', async ({ gallery }) => {
  const page = await gallery.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await gallery.show(page, 'busy', 'batches/line-3-2026-11-21');
  const files = page.getByRole('grid', { name: 'Files' });
  await files.focus();
  await page.keyboard.press('End');
  await page.getByRole('searchbox', { name: 'Search files' }).fill('no such file');
  await expect(page.getByRole('heading', { name: 'No matching files' })).toBeVisible();
  await page.close();
  expect(errors).toEqual([]);
});
