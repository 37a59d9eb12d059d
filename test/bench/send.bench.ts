/**
 * The cost of the engine's sender compared with `curl -T`, alternating (A B A B), both to a bare sink that checks lengths: one large
 * video with its hash and checksum, and shards of small images, packed and hashed while sending. Prints medians, their spread and
 * processor time; fails only if memory is not flat (at most 64 MB more, whatever the size). SLUICE_BENCH_RUNS says how often each is
 * run, SLUICE_BENCH_SCALE makes the files smaller.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourcePlan } from '../../main/engine/core/model.ts';
import { UNLIMITED } from '../../main/engine/core/paced.ts';
import type { Files, Http } from '../../main/engine/core/ports.ts';
import { createPool } from '../../main/engine/files/pool/threadPool.ts';
import { createFiles } from '../../main/engine/files/nodeFiles.ts';
import { createHttp } from '../../main/engine/service/http/http.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { measured } from './measure.ts';
import { writeVideos } from './media.ts';
import { startSink } from './program.ts';

const MIB = 1024 * 1024;
const RUNS = Number(process.env['SLUICE_BENCH_RUNS'] ?? 7);
const SCALE = Number(process.env['SLUICE_BENCH_SCALE'] ?? 1);
const VIDEO_BYTES = Math.ceil(1000 * SCALE) * MIB;
const IMAGES = Math.ceil(5000 * SCALE);
const IMAGE_BYTES = 20_000;
const SHARD_MEMBERS = 500;
const MOST_EXTRA_BYTES = 64 * MIB;

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The plan of a body with these files, as identification finds them. */
async function planOf(
  files: Files,
  paths: readonly string[],
  frame: SourcePlan['frame'],
): Promise<SourcePlan> {
  const members = (await files.inspect(paths)).map((result, index) => {
    if (!result.ok) throw new Error(result.error.code);
    const { sizeBytes, fingerprint } = result.value;
    return { path: paths[index] ?? '', name: `${index}.jpg`, mtimeMs: 0, sizeBytes, fingerprint };
  });
  return { members, frame };
}

/** Sends a body; throws if it did not arrive completely, or if its hash or checksum is missing. */
async function send(files: Files, http: Http, url: string, plan: SourcePlan): Promise<void> {
  const { signal } = new AbortController();
  const options = { throttle: UNLIMITED, withMd5: false, onSent: () => undefined };
  const body = files.openSources(plan, options, signal);
  const end = await http.request({
    method: 'PUT',
    url,
    headers: {},
    body,
    stallMs: 60_000,
    signal,
  });
  if (end.kind === 'failure') throw new Error(end.detail);
  const isWhole = body.outcome().kind === 'complete' && body.checksums().crc32c !== null;
  if (end.status !== 200 || !isWhole) throw new Error(`answered ${end.status}`);
}

async function timed(work: () => Promise<void>): Promise<Run> {
  const before = process.cpuUsage();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

function tell(what: string, runs: readonly Run[], bytes: number): void {
  const seconds = runs.map((run) => run.seconds);
  const cells = [
    what.padEnd(24),
    `${median(seconds).toFixed(2)} s`,
    `(${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)})`,
    `${Math.round(bytes / 1e6 / median(seconds))} MB/s`,
    `${median(runs.map((run) => run.cpuSeconds)).toFixed(2)} s CPU`,
  ];
  process.stdout.write(`${cells.join('  ')}\n`);
}

/** Runs both alternately; the first run of each is a warm-up and does not count. */
async function beside(
  name: string,
  bytes: number,
  ours: () => Promise<void>,
  theirs: readonly string[],
): Promise<void> {
  const own: Run[] = [];
  const plain: Run[] = [];
  for (let turn = 0; turn <= RUNS; turn += 1) {
    const mine = await timed(ours);
    const cost = await measured(theirs);
    if (cost.exitCode !== 0) throw new Error(cost.said);
    if (turn === 0) continue;
    own.push(mine);
    plain.push(cost);
  }
  process.stdout.write(`${name}, ${Math.round(bytes / 1e6)} MB, ${RUNS} runs each\n`);
  tell('  plain tools', plain, bytes);
  tell('  Sluice', own, bytes);
  const ratio = median(plain.map((run) => run.seconds)) / median(own.map((run) => run.seconds));
  process.stdout.write(`  ${ratio.toFixed(2)} of the plain tools\n`);
}

const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const workerUrl = new URL('../../main/engine/files/pool/fileWorker.ts', import.meta.url);
const files = createFiles(createPool({ workerUrl }));
const http = createHttp();
const sink = await startSink();
const body = `${sink.url}/body`;
try {
  await writeVideos(join(directory, 'videos'), 1, VIDEO_BYTES);
  const video = join(directory, 'videos', 'clip-0.mp4');
  const whole = await planOf(files, [video], { kind: 'bare' });
  await send(files, http, body, whole);
  const before = process.memoryUsage.rss();
  const curl = (path: string): readonly string[] => [
    'curl',
    '-sSf',
    '-o',
    '/dev/null',
    '-T',
    path,
    body,
  ];
  await beside('one video', VIDEO_BYTES, () => send(files, http, body, whole), curl(video));
  const extraBytes = process.memoryUsage.rss() - before;
  process.stdout.write(`  ${Math.round(extraBytes / MIB)} MiB more memory\n`);
  if (extraBytes > MOST_EXTRA_BYTES) process.exitCode = 1;

  const paths = Array.from({ length: IMAGES }, (_, index) => join(directory, `${index}.jpg`));
  for (const [index, path] of paths.entries()) {
    await writeFile(path, tinyJpeg(index, IMAGE_BYTES - 500));
  }
  const plan = await planOf(files, paths, { kind: 'archive', extra: [] });
  const shards = Array.from({ length: Math.ceil(IMAGES / SHARD_MEMBERS) }, (_, index) => ({
    ...plan,
    members: plan.members.slice(index * SHARD_MEMBERS, (index + 1) * SHARD_MEMBERS),
  }));
  await beside(
    `${IMAGES} images in shards`,
    IMAGES * IMAGE_BYTES,
    async () => {
      await Promise.all(shards.map((shard) => send(files, http, body, shard)));
    },
    [
      'bash',
      '-c',
      `tar -C "$1" --exclude videos --exclude all.tar -cf "$1/all.tar" . && curl -sSf -o /dev/null -T "$1/all.tar" "$2"`,
      '_',
      directory,
      body,
    ],
  );
} finally {
  await files.close();
  await http.close();
  await sink.close();
  await rm(directory, { recursive: true, force: true });
}
