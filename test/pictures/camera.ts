/** Takes pictures of the window: each scene in both themes and at the widths that were asked for. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ROOT } from '../../build/runStage.ts';
import { value } from '../e2e/app/appSteps.ts';
import type { AppUnderTest } from '../e2e/support/appUnderTest.ts';

/** What a run asks for. */
export interface PictureOrder {
  readonly out: string;
  readonly themes: readonly ('light' | 'dark')[];
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  /** Only scenes whose names hold one of these; empty: all. */
  readonly only: readonly string[];
}

/** Takes the picture of what the window shows now, in each theme and size. */
export type Shoot = (app: AppUnderTest, scene: string) => Promise<void>;

/** Where the README's picture is, for both themes. */
const README_PICTURE = join(ROOT, 'docs');

/** Takes the one picture of the README, in both themes: the window as large as it opens. */
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

/** A camera for one order. Files are named `SCENE-THEME-WIDTH.png`. */
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
    process.stdout.write(`${scene}\n`);
  };
}

async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  const { settings } = await value(page, 'snapshot.get', {});
  if (settings.theme !== theme) await value(page, 'settings.save', { ...settings, theme });
  await page.locator(`:root[data-theme='${theme}']`).waitFor();
}

/**
 * Waits until everything that is shown has been read and drawn: lists draw other rows and names are cut anew a few frames after the
 * size has changed, thumbnails come a moment later. What fades in has done so on every screenshot.
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
