/** `test` with a fake main: the gallery and a browser, shared by all tests of a file. */
import { test as base, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { findChromium } from '../../../build/findChromium.ts';
import { NOW } from '../gallery/scenario.ts';
import { openGallery } from '../gallery/site.ts';

export interface GalleryBrowser {
  /** A page whose clock stands still. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Shows a place, such as `batches/cam-1`, from the beginning. */
  show(page: Page, scenario: string, place: string): Promise<void>;
  /** Navigates the window that is shown: reloading it takes most of the time of a short test. */
  lead(page: Page, place: string): Promise<void>;
}

/** Runs in the page, so it must be self-contained. */
async function follow(hash: string): Promise<void> {
  if (location.hash === hash) return;
  const led = new Promise((done) => addEventListener('popstate', done, { once: true }));
  location.hash = hash;
  await led;
  // The view that is left is gone with the next frame.
  await new Promise((done) => requestAnimationFrame(done));
}

export const test = base.extend<object, { readonly gallery: GalleryBrowser }>({
  gallery: [
    async ({}, use) => {
      const site = await openGallery();
      const executablePath = await findChromium('headless');
      const browser = await chromium.launch({
        ...(executablePath === null ? {} : { executablePath }),
        chromiumSandbox: process.getuid?.() !== 0,
      });
      await use({
        newPage: async (options) => {
          const page = await browser.newPage(options);
          await page.clock.setFixedTime(NOW);
          return page;
        },
        show: async (page, scenario, place) => {
          await page.goto('about:blank');
          await page.goto(`${site.url}gallery.html?scenario=${scenario}#/${place}`);
        },
        lead: (page, place) => page.evaluate(follow, `#/${place}`),
      });
      await browser.close();
      await site.close();
    },
    { scope: 'worker' },
  ],
});
