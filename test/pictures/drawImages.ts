/** Writes folders of realistic camera images: scenes drawn by a browser, each file with distinct content. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright';
import { withJpegComment } from '../helpers/media.ts';

const SCENES = join(import.meta.dirname, 'cameraScenes.js');

/** A series from one camera. */
export interface Series {
  readonly scene: 'cups' | 'conveyor' | 'parts' | 'shelf' | 'yard';
  /** Relative path of the n-th file, counted from 1. */
  readonly path: (number: number) => string;
  readonly count: number;
}

/** How many pictures of a scene are drawn; later files repeat them with another comment inside. */
const DRAWN_PER_SERIES = 60;

/** Writes every series under a directory. */
export async function drawImages(
  directory: string,
  series: readonly Series[],
  executablePath: string,
): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: await readFile(SCENES, 'utf8') });
    for (const { scene, path, count } of series) {
      const drawn: Buffer[] = [];
      for (let number = 1; number <= count; number += 1) {
        if (drawn.length < DRAWN_PER_SERIES) {
          const base64 = await page.evaluate(
            ([name, seed]) => {
              const draw: unknown = Reflect.get(globalThis, 'drawScene');
              if (typeof draw !== 'function') throw new Error('scenes not loaded');
              const canvas: HTMLCanvasElement = draw(name, 480, 360, seed, seed * 0.7);
              return canvas.toDataURL('image/jpeg', 0.76).replace(/^.*,/, '');
            },
            [scene, number] as const,
          );
          drawn.push(Buffer.from(base64, 'base64'));
        }
        const shown = drawn[(number - 1) % drawn.length];
        if (shown === undefined) throw new Error('nothing was drawn');
        const target = join(directory, path(number));
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, withJpegComment(shown, `${scene} ${String(number)}`));
      }
    }
  } finally {
    await browser.close();
  }
}
