/** Takes pictures of the window: each scene in both themes and at the requested widths. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ROOT } from '../../build/runStage.ts';
import { value } from '../e2e/app/appSteps.ts';
import type { AppUnderTest } from '../e2e/support/appUnderTest.ts';

/** What a run requests. */
export interface PictureOrder {
  readonly out: string;
  readonly themes: readonly ('light' | 'dark')[];
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  /** Only scenes whose names contain one of these; all if empty. */
  readonly only: readonly string[];
}

/** Takes a picture of what the window shows now, in each theme and size. */
export type Shoot = (app: AppUnderTest, scene: string) => Promise<void>;

/** The size in which a scene is prepared: in a narrower window, what is opened from a list covers it. */
export const PREPARING = { width: 1280, height: 800 };

/** Where the README's pictures are, one for each theme. */
const README_PICTURE = join(ROOT, 'docs');

/** Takes the README's picture, in both themes, with the window at its initial size. */
export async function shootForReadme({ page }: AppUnderTest): Promise<void> {
  await page.setViewportSize({ width: 1120, height: 700 });
  for (const theme of ['light', 'dark'] as const) {
    await setTheme(page, theme);
    await settle(page);
    await page.screenshot({
      path: join(README_PICTURE, `window-${theme}.png`),
      animations: 'disabled',
    });
  }
}

/** Creates a camera for one order. Files are named `SCENE-THEME-WIDTH.png`. */
export async function openCamera({ out, themes, sizes, only }: PictureOrder): Promise<Shoot> {
  await mkdir(out, { recursive: true });
  return async (app, scene) => {
    if (only.length > 0 && !only.some((part) => scene.includes(part))) return;
    const { page } = app;
    for (const theme of themes) {
      await setTheme(page, theme);
      for (const size of sizes) {
        await page.setViewportSize(size);
        await settle(page);
        const name = `${scene}-${theme}-${String(size.width)}.png`;
        await page.screenshot({ path: join(out, name), animations: 'disabled' });
      }
    }
    await page.setViewportSize(PREPARING);
    process.stdout.write(`${scene}\n`);
  };
}

async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  const { settings } = await value(page, 'snapshot.get', {});
  if (settings.theme !== theme) await value(page, 'settings.save', { ...settings, theme });
  await page.locator(`:root[data-theme='${theme}']`).waitFor();
}

/**
 * Waits until everything is loaded and drawn: lists redraw rows and shorten names a few frames after the
 * size has changed, and thumbnails come a moment later. Fade-ins are complete in every screenshot.
 */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const parts = document.querySelectorAll(':is(main, [role=dialog]) [role=status]');
    return [...parts].every((part) => !part.textContent.trim().endsWith('…'));
  });
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 8; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
    }
    const pictures = [...document.images].map((image) => image.decode().catch(() => null));
    await Promise.all(pictures);
  });
}
