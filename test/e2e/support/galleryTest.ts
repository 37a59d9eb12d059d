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
      });
      await browser.close();
      await site.close();
    },
    { scope: 'worker' },
  ],
});
