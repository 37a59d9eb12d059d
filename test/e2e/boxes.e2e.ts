/**
 * No words are clipped, out of sight or over each other: every view before a pretended main (test/e2e/gallery) is measured by its
 * boxes, at three widths and at 200 %.
 */
import { chromium, expect, test, type Browser, type Page } from '@playwright/test';
import { findChromium } from '../../build/findChromium.ts';
import { VIEWS } from '../../renderer/state/route.ts';
import { NOW } from './gallery/scenario.ts';
import { type Gallery, openGallery } from './gallery/site.ts';
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
  'jobs/sluice-7f3k2m9qx0ab',
  'settings/uploading',
  'settings/general',
  'settings/webhook',
  'settings/about',
];

let gallery: Gallery;
let browser: Browser;
let page: Page;

test.beforeAll(async () => {
  gallery = await openGallery(VIEWS);
  const executablePath = await findChromium();
  browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
  });
  page = await browser.newPage();
  await page.clock.setFixedTime(NOW);
});
test.afterAll(async () => {
  await browser.close();
  await gallery.close();
});

/** A few frames later everything has its new place: boxes are observed, names are cut, lists draw other rows. */
async function settle(): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 5; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
    }
  });
}

for (const scenario of ['busy', 'long', 'failing', 'first'] as const) {
  test(`words keep clear of each other: ${scenario}`, async () => {
    const faults: string[] = [];
    for (const place of scenario === 'first' ? ['uploads'] : PLACES) {
      await page.goto('about:blank');
      await page.setViewportSize(SIZES[0]);
      await page.goto(`${gallery.url}gallery.html?scenario=${scenario}&theme=light#/${place}`);
      await page.locator('h1, h2').first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => document.fonts.ready.then(() => null));
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await settle();
        const found = await measureBoxes(page);
        faults.push(...found.map((fault) => `${place} at ${String(size.width)} px: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
  });
}
