/**
 * `sluice upload` against the plain ways to send the same files to the same service, run in turn: time, processor, memory.
 * The last column: how many times as fast as the plain way. SLUICE_BENCH_RUNS says how often each case is run (the middle run
 * counts), SLUICE_BENCH_SCALE makes the cases smaller. The plain ways check nothing and keep no record; `sluice` asks the service.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cost, measured, medianOf } from './upload/measure.ts';
import { writeImages, writeVideos } from './upload/media.ts';
import { curlImages, curlVideos, tarAndCurl } from './upload/rivals.ts';
import { API_KEY, type ServiceProcess, startService } from './upload/serviceProcess.ts';

const MIB = 1024 * 1024;
const LOOK_MS = 100;
const MOST_LOOKS = 300;
const RUNS = Number(process.env['SLUICE_BENCH_RUNS'] ?? 3);
const SCALE = Number(process.env['SLUICE_BENCH_SCALE'] ?? 1);
const SLUICE = join(import.meta.dirname, '../../build/sluice.mjs');

interface Case {
  readonly name: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly mode: 'single' | 'bulk';
  write(root: string): Promise<void>;
  readonly rivalName: string;
  readonly rival: typeof curlImages;
}

function images(name: string, mode: Case['mode'], files: number, fileBytes: number): Case {
  const write = (root: string): Promise<void> => writeImages(root, files, fileBytes);
  const rival = mode === 'bulk' ? tarAndCurl : curlImages;
  const rivalName = mode === 'bulk' ? 'tar + curl -T' : 'curl --parallel';
  return { name, files, fileBytes, mode, write, rivalName, rival };
}

function videos(name: string, files: number, fileBytes: number): Case {
  const write = (root: string): Promise<void> => writeVideos(root, files, fileBytes);
  const rest = { write, rivalName: 'curl -T', rival: curlVideos };
  return { name, files, fileBytes, mode: 'single', ...rest };
}

const CASES: readonly Case[] = [
  images('images of 25 kB in bulk', 'bulk', Math.ceil(20_000 * SCALE), 25_000),
  images('images of 25 kB one by one', 'single', Math.ceil(5_000 * SCALE), 25_000),
  videos('one large video', 1, Math.ceil(1024 * SCALE) * MIB),
  videos('videos of 5 MB', Math.ceil(200 * SCALE), 5_000_000),
];

interface Row {
  readonly what: string;
  readonly cost: Cost;
  readonly files: number;
  readonly bytes: number;
}

function tell({ what, cost, files, bytes }: Row, than: Cost): void {
  const { seconds, cpuSeconds, peakBytes } = cost;
  const cells = [
    what.padEnd(34),
    `${seconds.toFixed(2)} s`.padStart(9),
    `${Math.round(files / seconds)}/s`.padStart(9),
    `${Math.round(bytes / 1e6 / seconds)} MB/s`.padStart(10),
    `${cpuSeconds.toFixed(2)} s CPU`.padStart(12),
    `${Math.round(peakBytes / MIB)} MiB`.padStart(9),
    `${(than.seconds / seconds).toFixed(2)} ×`.padStart(8),
  ];
  process.stdout.write(`${cells.join(' ')}\n`);
}

async function checked(
  service: ServiceProcess,
  one: Case,
  batch: string,
  cost: Cost,
): Promise<Cost> {
  // The plain tools are done when their bytes have left; the service takes archives in afterwards.
  let count = await service.count(batch);
  for (let look = 0; count !== one.files && look < MOST_LOOKS; look += 1) {
    await delay(LOOK_MS);
    count = await service.count(batch);
  }
  if (cost.exitCode !== 0 || count !== one.files) {
    throw new Error(
      `${one.name}: ${count} of ${one.files} arrived, exit ${cost.exitCode}: ${cost.said}`,
    );
  }
  return cost;
}

function sluice(service: ServiceProcess, data: string, args: readonly string[]): Promise<Cost> {
  return measured([process.execPath, SLUICE, ...args], {
    SLUICE_API_URL: service.url,
    SLUICE_API_KEY: API_KEY,
    SLUICE_WORKSPACE: 'demo',
    SLUICE_DATA_DIR: data,
  });
}

async function run(one: Case, base: string): Promise<void> {
  const root = join(base, 'media');
  await one.write(root);
  const ours: Cost[] = [];
  const again: Cost[] = [];
  const theirs: Cost[] = [];
  for (let turn = 0; turn < RUNS; turn += 1) {
    const service = await startService();
    try {
      const scratch = join(base, `scratch-${turn}`);
      await mkdir(scratch);
      const command = await one.rival(service, root, 'rival', scratch);
      theirs.push(await checked(service, one, 'rival', await measured(command)));
      const data = join(base, `data-${turn}`);
      const args = ['upload', root, '--batch', 'ours', '--mode', one.mode];
      ours.push(await checked(service, one, 'ours', await sluice(service, data, args)));
      again.push(await checked(service, one, 'ours', await sluice(service, data, args)));
    } finally {
      await service.close();
    }
  }
  const { files } = one;
  const bytes = files * one.fileBytes;
  const baseline = medianOf(theirs);
  process.stdout.write(`${one.files} × ${one.name}, ${Math.round(bytes / 1e6)} MB\n`);
  tell({ what: `  ${one.rivalName}`, cost: baseline, files, bytes }, baseline);
  tell({ what: '  sluice upload', cost: medianOf(ours), files, bytes }, baseline);
  tell({ what: '  sluice upload, all known', cost: medianOf(again), files, bytes: 0 }, baseline);
}

for (const one of CASES) {
  const base = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    await run(one, base);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}
