/**
 * Makes test/fixtures/media: scenes drawn by a browser, encoded by the browser, ffmpeg and jpegtran. Needed only to change the fixtures:
 * the results are committed. Needs ffmpeg, a Chromium and jpegtran (JPEGTRAN names it).
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright';
import { ensureChromium } from './findChromium.ts';

const run = promisify(execFile);
const OUT = join(import.meta.dirname, '../test/fixtures/media');

interface Shot {
  readonly path: string;
  readonly scene: string;
  readonly width: number;
  readonly height: number;
  readonly seed: number;
  readonly quality?: number;
  readonly options?: {
    readonly clear?: boolean;
    readonly phase?: number;
    readonly stamp?: boolean;
  };
}

function series(directory: string, scene: string, count: number, seed: number): readonly Shot[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `${directory}/frame-${String(index + 1).padStart(4, '0')}.jpg`,
    scene,
    width: 640,
    height: 480,
    seed: seed + index,
    options: scene === 'conveyor' ? { phase: index * 0.7 } : {},
  }));
}

/** Equal base names in different directories are intended. */
const SHOTS: readonly Shot[] = [
  ...series('line-1/cam-a', 'conveyor', 8, 10),
  ...series('line-1/cam-b', 'parts', 6, 30),
  ...series('line-2/cam-a', 'cups', 6, 50),
  ...series('yard', 'yard', 4, 70),
  { path: 'shelf/shelf-wide.jpg', scene: 'shelf', width: 960, height: 540, seed: 90 },
  { path: 'shelf/shelf-small.jpeg', scene: 'shelf', width: 320, height: 240, seed: 91 },
  { path: 'shelf/Tasse weiß №5 (früh).jpg', scene: 'cups', width: 480, height: 360, seed: 92 },
];

async function draw(page: Page, shot: Shot, type: string): Promise<Buffer> {
  const base64 = await page.evaluate(
    ({ shot: { scene, width, height, seed, quality, options }, type: mime }) => {
      const drawScene: unknown = Reflect.get(globalThis, 'drawScene');
      if (typeof drawScene !== 'function') throw new Error('scenes not loaded');
      const canvas: HTMLCanvasElement = drawScene(scene, width, height, seed, options);
      return canvas.toDataURL(mime, quality ?? 0.76).replace(/^.*,/, '');
    },
    { shot, type },
  );
  return Buffer.from(base64, 'base64');
}

async function save(path: string, content: Uint8Array): Promise<string> {
  const target = join(OUT, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  return target;
}

/** A picture as from a phone: EXIF with orientation 6 right after the start, and data after the end of the image. */
function asPhone(jpeg: Buffer): Buffer {
  const exif = Buffer.from(
    '457869660000' + '49492a0008000000' + '0100' + '120103000100000006000000' + '00000000',
    'hex',
  );
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  const trailer = Buffer.concat([Buffer.from('SEFTrailer\0'), Buffer.alloc(500, 0x20)]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2), trailer]);
}

async function makeVideos(page: Page, work: string): Promise<void> {
  for (let frame = 0; frame < 24; frame += 1) {
    const shot: Shot = {
      path: '',
      scene: 'conveyor',
      width: 320,
      height: 240,
      seed: 11,
      options: { phase: frame / 12, stamp: false },
    };
    const name = `f${String(frame).padStart(2, '0')}.png`;
    await writeFile(join(work, name), await draw(page, shot, 'image/png'));
  }
  await mkdir(join(OUT, 'clips'), { recursive: true });
  const input = ['-y', '-loglevel', 'error', '-framerate', '12', '-i', join(work, 'f%02d.png')];
  const exact = ['-fflags', '+bitexact', '-flags:v', '+bitexact', '-map_metadata', '-1'];
  const h264 = ['-c:v', 'libx264', '-crf', '22', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'];
  const vp9 = ['-c:v', 'libvpx-vp9', '-crf', '34', '-b:v', '0'];
  await run('ffmpeg', [...input, ...h264, ...exact, join(OUT, 'clips/conveyor.mp4')]);
  await run('ffmpeg', [...input, ...vp9, ...exact, join(OUT, 'clips/conveyor.webm')]);
}

async function makeStills(page: Page, work: string): Promise<void> {
  for (const shot of SHOTS) await save(shot.path, await draw(page, shot, 'image/jpeg'));
  const still = (scene: string, seed: number, clear = false): Shot => ({
    path: '',
    scene,
    width: clear ? 320 : 480,
    height: clear ? 240 : 360,
    seed,
    options: { clear },
  });
  const phone = await draw(page, still('cups', 100), 'image/jpeg');
  await save('phone/IMG_0001.JPG', asPhone(phone));
  await save('stills/cup-alpha.png', await draw(page, still('cups', 101, true), 'image/png'));
  await save('web/shelf.webp', await draw(page, still('shelf', 102), 'image/webp'));

  const png = join(work, 'still.png');
  await writeFile(
    png,
    await draw(page, { ...still('parts', 103), width: 320, height: 240 }, 'image/png'),
  );
  const ffmpeg = ['-y', '-loglevel', 'error', '-i', png];
  const small = ['-vf', 'gblur=0.6,scale=320:240'];
  await run('ffmpeg', [
    ...ffmpeg,
    ...small,
    '-pix_fmt',
    'gray',
    join(OUT, 'stills/parts-grey.png'),
  ]);
  await run('ffmpeg', [
    ...ffmpeg,
    ...small,
    '-pix_fmt',
    'pal8',
    join(OUT, 'stills/parts-palette.png'),
  ]);
  const lossless = ['-vf', 'gblur=1.2,scale=240:180', '-c:v', 'libwebp', '-lossless', '1'];
  await run('ffmpeg', [...ffmpeg, ...lossless, join(OUT, 'web/parts-lossless.webp')]);

  const progressive = join(OUT, 'stills/shelf-progressive.jpg');
  const baseline = join(work, 'baseline.jpg');
  await writeFile(baseline, await draw(page, still('shelf', 104), 'image/jpeg'));
  const jpegtran = process.env['JPEGTRAN'] ?? 'jpegtran';
  await run(jpegtran, ['-progressive', '-optimize', '-outfile', progressive, baseline]);
  await mkdir(join(OUT, 'copies'), { recursive: true });
  await copyFile(
    join(OUT, 'line-1/cam-a/frame-0001.jpg'),
    join(OUT, 'copies/frame-0001 (copy).jpg'),
  );
}

const found = await ensureChromium('windows');
if (!found.ok) throw new Error(found.why);
const work = await mkdtemp(join(tmpdir(), 'sluice-media-'));
const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  await page.addScriptTag({
    content: await readFile(join(import.meta.dirname, 'mediaScenes.js'), 'utf8'),
  });
  await mkdir(join(OUT, 'stills'), { recursive: true });
  await mkdir(join(OUT, 'web'), { recursive: true });
  await makeStills(page, work);
  await makeVideos(page, work);
} finally {
  await browser.close();
  await rm(work, { recursive: true, force: true });
}
