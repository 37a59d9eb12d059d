/**
 * What the window costs with 20,000 watched files, all confirmed, beside an application that only opens an empty window, in turn
 * on the same runtime: from the start of the program to the first content, and the processor time of all its processes at rest.
 * SLUICE_BENCH_RUNS says how often (the middle run counts), SLUICE_BENCH_SCALE makes the folder smaller. Needs Linux.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT, runProgram } from '../../build/runStage.ts';
import { type AppUnderTest, launchApp, type LaunchOptions } from '../e2e/support/appUnderTest.ts';
import { measured } from './upload/measure.ts';
import { writeImages } from './upload/media.ts';
import { API_KEY, type ServiceProcess, startService } from './upload/serviceProcess.ts';
import { childrenOf, cpuSecondsOf } from './window/processTree.ts';

const RUNS = Number(process.env['SLUICE_BENCH_RUNS'] ?? 3);
const FILES = Math.ceil(20_000 * Number(process.env['SLUICE_BENCH_SCALE'] ?? 1));
const PAD_BYTES = 0;
const BATCH = 'watched';
/** Browsers have things to do after a start, and the folder is looked through once. */
const CALM_MS = 10_000;
const IDLE_MS = 20_000;
const SLUICE = join(ROOT, 'main/cli.ts');

interface Figures {
  readonly firstContentMs: number;
  /** Of one core. */
  readonly idlePercent: number;
}

function environment(service: ServiceProcess, userData: string): Readonly<Record<string, string>> {
  return {
    SLUICE_API_URL: service.url,
    SLUICE_API_KEY: API_KEY,
    SLUICE_WORKSPACE: 'demo',
    SLUICE_DATA_DIR: join(userData, 'data'),
  };
}

/** Lets the command line do the work once: the window finds everything confirmed. */
async function fill(service: ServiceProcess, userData: string, media: string): Promise<void> {
  await writeImages(media, FILES, PAD_BYTES);
  await mkdir(userData, { recursive: true });
  const env = environment(service, userData);
  for (const words of [
    ['watch', 'add', media, '--batch', BATCH, '--existing'],
    ['watch', 'run', '--once'],
  ]) {
    const cost = await measured([process.execPath, SLUICE, ...words], env);
    if (cost.exitCode !== 0) throw new Error(`sluice ${words.join(' ')}: ${cost.said}`);
  }
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
    const rounded = [Math.round(firstContentMs), idlePercent.toFixed(2)];
    process.stdout.write(`${showsText}: ${rounded[0]} ms, ${rounded[1]} %\n`);
    return { firstContentMs, idlePercent };
  } finally {
    await app.close();
  }
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

function tell(what: string, figures: readonly Figures[], than: readonly Figures[]): void {
  const [start, startThan] = [figures, than].map((all) => middle(all.map((f) => f.firstContentMs)));
  const [idle, idleThan] = [figures, than].map((all) => middle(all.map((f) => f.idlePercent)));
  const ratio = (a = Number.NaN, b = Number.NaN): string => `${(a / b).toFixed(2)} ×`.padStart(8);
  const cells = [
    what.padEnd(34),
    `${Math.round(start ?? Number.NaN)} ms`.padStart(9),
    ratio(start, startThan),
    `${(idle ?? Number.NaN).toFixed(2)} % of a core`.padStart(18),
    ratio(idle, idleThan),
  ];
  process.stdout.write(`${cells.join(' ')}\n`);
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
  const whole: LaunchOptions = { userDataDir, env: environment(service, userDataDir) };
  const [theirs, ours]: [Figures[], Figures[]] = [[], []];
  for (let turn = 0; turn < RUNS; turn += 1) {
    theirs.push(await run(bare, 'Fixture'));
    ours.push(await run(whole, BATCH));
  }
  process.stdout.write('start to first content, and at rest:\n');
  tell('  an empty window', theirs, theirs);
  tell(`  Sluice, ${FILES} files watched`, ours, theirs);
} finally {
  await service.close();
  await rm(base, { recursive: true, force: true });
}
