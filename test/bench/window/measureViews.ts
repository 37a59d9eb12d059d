/**
 * The cost of the window with a ledger of 100,000 files, compared with a single file: how large its snapshots are and how many come
 * in a second, when idle and while files are sent; and how long a view takes from the click to the second frame that shows it.
 * SLUICE_BENCH_RUNS says how often each view is shown (the median counts).
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { runProgram } from '../../../build/runStage.ts';
import { connected, until, value, watch, writeImages } from '../../e2e/app/appSteps.ts';
import { type AppUnderTest, launchApp } from '../../e2e/support/appUnderTest.ts';
import { seedLedger } from '../../helpers/largeLedger.ts';
import { createReferenceService, type ReferenceService } from '../../service/referenceService.ts';

const RUNS = Number(process.env['SLUICE_BENCH_RUNS'] ?? 9);
const SIZES = [1, 100_000];
const VIEWS = ['Batches', 'Jobs', 'Projects', 'Problems', 'Settings', 'Uploads'];
const COUNTED_MS = 10_000;
/** Files that are sent meanwhile, one by one under a bandwidth limit: this takes longer than snapshots are counted. */
const SENT = { files: 400, cap: '4k' };

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

/** Counts the window's snapshots for some seconds: how many in a second, and the size of the largest, in bytes. */
async function snapshots(page: Page): Promise<string> {
  const { count, bytes } = await page.evaluate(
    (ms) =>
      new Promise<{ count: number; bytes: number }>((resolve) => {
        let [count, bytes] = [0, 0];
        const end = window.sluice.on('snapshot', (snapshot) => {
          count += 1;
          bytes = Math.max(bytes, new Blob([JSON.stringify(snapshot)]).size);
        });
        setTimeout(() => {
          end();
          resolve({ count, bytes });
        }, ms);
      }),
    COUNTED_MS,
  );
  const size = bytes === 0 ? await value(page, 'snapshot.get', {}) : null;
  const largest = size === null ? bytes : Buffer.byteLength(JSON.stringify(size));
  return `${(count / (COUNTED_MS / 1000)).toFixed(1)} a second, ${(largest / 1000).toFixed(1)} kB`;
}

/** Time from the click on a link to the second frame after its title appeared, ms. */
function show(page: Page, view: string): Promise<number> {
  return page.evaluate(
    (name) =>
      new Promise<number>((resolve) => {
        const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
        const link = links.find((one) => one.textContent?.includes(name));
        const began = performance.now();
        const look = (): void => {
          if (document.querySelector('h1')?.textContent !== name)
            return void requestAnimationFrame(look);
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(performance.now() - began)),
          );
        };
        link?.click();
        look();
      }),
    view,
  );
}

async function switches(page: Page): Promise<string> {
  const parts: string[] = [];
  const times = new Map<string, number[]>(VIEWS.map((view) => [view, []]));
  for (let run = 0; run < RUNS; run += 1) {
    for (const view of VIEWS) times.get(view)?.push(await show(page, view));
  }
  for (const [view, all] of times) parts.push(`${view} ${middle(all).toFixed(0)}`);
  return `${parts.join(', ')} ms`;
}

async function open(service: ReferenceService, base: string, items: number): Promise<AppUnderTest> {
  const userDataDir = join(base, `data-${String(items)}`);
  const batch = { batchId: 'season', displayName: null, now: Date.now(), items };
  const place = { apiUrl: service.url, workspace: service.workspace };
  await mkdir(join(userDataDir, 'data'), { recursive: true });
  seedLedger(join(userDataDir, 'data/ledger.db'), { ...place, ...batch });
  const app = await launchApp({ userDataDir, env: connected(service) });
  await until(app.page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
  return app;
}

async function measure(service: ReferenceService, base: string, items: number): Promise<void> {
  const app = await open(service, base, items);
  try {
    const { page } = app;
    const tell = (what: string, said: string): void =>
      void process.stdout.write(`${String(items).padStart(7)} files, ${what}: ${said}\n`);
    tell('views', await switches(page));
    tell('snapshots at rest', await snapshots(page));
    const { settings } = await value(page, 'snapshot.get', {});
    await value(page, 'settings.save', { ...settings, bandwidth: SENT.cap });
    const directory = await writeImages(base, `sent-${String(items)}`, SENT.files);
    await watch(app, directory, { batch: `sent-${String(items)}`, mode: 'single' });
    await until(page, ({ pipeline }) => pipeline.transfers.length > 0, true);
    tell('snapshots while sending', await snapshots(page));
    tell('views while sending', await switches(page));
  } finally {
    await app.kill();
  }
}

const base = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const service = await createReferenceService();
try {
  const built = await runProgram(['build/build.ts', 'main', 'preload', 'renderer'], true);
  if (built.code !== 0) throw new Error('The window could not be built.');
  for (const items of SIZES) await measure(service, base, items);
} finally {
  await service.close();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
