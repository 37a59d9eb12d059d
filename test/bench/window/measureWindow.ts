/**
 * The cost of the window with 20,000 watched files, all confirmed, compared with an application that only opens an empty window,
 * alternating on the same runtime: time from the start to the first content, and processor time of all its processes when idle.
 * Prints one JSON object at the end. Arguments: how many files, and how often. Needs Linux.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT, runProgram } from '../../../build/runStage.ts';
import {
  type AppUnderTest,
  launchApp,
  type LaunchOptions,
} from '../../e2e/support/appUnderTest.ts';
import { writeImages } from '../media.ts';
import { childrenOf, cpuSecondsOf } from '../processTree.ts';
import { sluice, sluiceEnvironment } from '../program.ts';
import { type ServiceProcess, startService } from '../serviceProcess.ts';

const [FILES = 20_000, RUNS = 3] = process.argv.slice(2).map(Number);
const PAD_BYTES = 0;
const BATCH = 'watched';
/** Time for a browser's start-up work and for the first scan of the folder. */
const CALM_MS = 10_000;
const IDLE_MS = 20_000;

interface Figures {
  readonly firstContentMs: number;
  /** Of one core. */
  readonly idlePercent: number;
}

/** Lets the command line upload everything first: the window finds everything confirmed. */
async function fill(service: ServiceProcess, userData: string, media: string): Promise<void> {
  await writeImages(media, FILES, PAD_BYTES);
  await mkdir(userData, { recursive: true });
  const data = join(userData, 'data');
  for (const words of [
    ['watch', 'add', media, '--batch', BATCH, '--existing'],
    ['watch', 'run', '--once'],
  ])
    await sluice(service.url, data, words);
  const count = await service.count(BATCH);
  if (count !== FILES) throw new Error(`${count} of ${FILES} files arrived`);
}

/** When the page first painted something, on this computer's clock. */
function firstContentAt(app: AppUnderTest): Promise<number> {
  return app.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint')[0];
          if (paint !== undefined) resolve(performance.timeOrigin + paint.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

async function run(options: LaunchOptions, showsText: string): Promise<Figures> {
  const before = new Set(childrenOf());
  const startedAt = performance.timeOrigin + performance.now();
  const app = await launchApp(options);
  try {
    const pid = childrenOf().find((child) => !before.has(child));
    if (pid === undefined) throw new Error('The application has no process of its own.');
    const firstContentMs = (await firstContentAt(app)) - startedAt;
    await app.page.getByText(showsText).first().waitFor();
    await delay(CALM_MS);
    const [used, at] = [cpuSecondsOf(pid), performance.now()];
    await delay(IDLE_MS);
    const seconds = (performance.now() - at) / 1000;
    const idlePercent = ((cpuSecondsOf(pid) - used) / seconds) * 100;
    return { firstContentMs, idlePercent };
  } finally {
    await app.close();
  }
}

const base = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const service = await startService();
try {
  const built = await runProgram(['build/build.ts', 'main', 'preload', 'renderer'], true);
  if (built.code !== 0) throw new Error('The window could not be built.');
  const userDataDir = join(base, 'window');
  await fill(service, userDataDir, join(base, 'media'));
  const fixture = join(ROOT, 'test/e2e/fixtureApp/main.mjs');
  const bare: LaunchOptions = { entry: fixture, userDataDir: join(base, 'bare') };
  const whole: LaunchOptions = {
    userDataDir,
    env: sluiceEnvironment(service.url, join(userDataDir, 'data')),
  };
  const [theirs, ours]: [Figures[], Figures[]] = [[], []];
  for (let turn = 0; turn < RUNS; turn += 1) {
    theirs.push(await run(bare, 'Fixture'));
    ours.push(await run(whole, BATCH));
  }
  const firstContentMs = ours.map((one, turn) => [
    one.firstContentMs,
    theirs[turn]?.firstContentMs ?? Number.NaN,
  ]);
  const idlePercent = ours.map((one) => one.idlePercent);
  process.stdout.write(`${JSON.stringify({ firstContentMs, idlePercent })}\n`);
} finally {
  await service.close();
  await rm(base, { recursive: true, force: true });
}
