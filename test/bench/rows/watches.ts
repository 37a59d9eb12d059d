/** `sluice watch run`: a large folder uploaded and then watched at rest, and files that keep arriving. Needs Linux. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tinyJpeg } from '../../helpers/media.ts';
import { type Figure, spreadOf } from '../figures.ts';
import { writeImages } from '../media.ts';
import { cpuSecondsOf, residentBytesOf, writtenBytesOf } from '../processTree.ts';
import {
  endOf,
  PACKAGED,
  sluice,
  sluiceCommand,
  sluiceEnvironment,
  startSink,
} from '../program.ts';
import { type Row, type Setting, sized } from '../row.ts';

const MIB = 1024 * 1024;
const BATCH = 'watched';
const LOOK_MS = 200;
/** After this time, other start-up work is over. */
const CALM_MS = 20_000;
const IDLE_MS = 60_000;
const PER_SECOND = 12;
const TRICKLE_SECONDS = 600;
const PATIENCE_MS = 600_000;

const missing = (): string | null => (process.platform === 'linux' ? null : 'needs /proc of Linux');

function one(what: string, unit: string, value: number, goal: Figure['goal']): Figure {
  return { what, unit, value: spreadOf([value]), goal };
}

/** A running `sluice watch run`. */
interface Running {
  readonly pid: number;
  peakBytes(): number;
  end(): Promise<void>;
}

async function run(url: string, data: string): Promise<Running> {
  const [program = '', ...words] = sluiceCommand(['watch', 'run', '--quiet']);
  const child: ChildProcess = spawn(program, words, {
    env: { ...process.env, ...sluiceEnvironment(url, data), ...PACKAGED },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  let peak = 0;
  const look = setInterval(() => (peak = Math.max(peak, residentBytesOf(pid))), LOOK_MS);
  return {
    pid,
    peakBytes: () => peak,
    end: async () => {
      clearInterval(look);
      await endOf(child);
    },
  };
}

async function arrived(count: () => Promise<number>, files: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while ((await count()) < files) {
    if (performance.now() > until) throw new Error(`${await count()} of ${files} files arrived`);
    await delay(LOOK_MS);
  }
}

/** Has a watch take in files of which each directory has `perDirectory`, and looks at it at rest. */
async function takeIn(
  { directory }: Setting,
  files: number,
  perDirectory: number,
  goal: Figure['goal'],
): Promise<readonly Figure[]> {
  const [root, data] = [join(directory, 'media'), join(directory, 'data')];
  await writeImages(root, files, 0, perDirectory);
  const sink = await startSink();
  try {
    await sluice(sink.url, data, ['watch', 'add', root, '--batch', BATCH, '--existing']);
    const began = performance.now();
    const watch = await run(sink.url, data);
    try {
      await arrived(() => sink.count(BATCH), files);
      const seconds = (performance.now() - began) / 1000;
      const cpu = cpuSecondsOf(watch.pid);
      await delay(CALM_MS);
      const [before, written, at] = [
        cpuSecondsOf(watch.pid),
        writtenBytesOf(watch.pid),
        performance.now(),
      ];
      await delay(IDLE_MS);
      const idle = (cpuSecondsOf(watch.pid) - before) / ((performance.now() - at) / 1000);
      const flushed = writtenBytesOf(watch.pid) - written;
      return [
        one('first upload, whole', '/s', files / seconds, goal),
        one('processor time for a file', 'µs', (cpu / files) * 1e6, null),
        one('memory at most', 'MiB', watch.peakBytes() / MIB, { atMost: 180 }),
        one('at rest, of a core', '%', idle * 100, { atMost: 0.3 }),
        one('at rest, written in a minute', 'bytes', flushed, { atMost: 0 }),
      ];
    } finally {
      await watch.end();
    }
  } finally {
    await sink.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function trickle(setting: Setting): Promise<readonly Figure[]> {
  const { directory } = setting;
  const seconds = sized(setting, TRICKLE_SECONDS);
  const [root, data] = [join(directory, 'media'), join(directory, 'data')];
  await mkdir(root, { recursive: true });
  const sink = await startSink();
  try {
    await sluice(sink.url, data, ['watch', 'add', root, '--batch', BATCH]);
    const watch = await run(sink.url, data);
    try {
      await delay(CALM_MS);
      const [before, began] = [cpuSecondsOf(watch.pid), performance.now()];
      const total = PER_SECOND * seconds;
      for (let number = 0; number < total; number += 1) {
        const name = join(root, `frame-${number}.jpg`);
        await writeFile(`${name}.part`, tinyJpeg(number, 20_000));
        await rename(`${name}.part`, name);
        await delay(Math.max(0, began + ((number + 1) * 1000) / PER_SECOND - performance.now()));
      }
      await arrived(() => sink.count(BATCH), total);
      const cpu = cpuSecondsOf(watch.pid) - before;
      return [
        one('processor time for a file', 'ms', (cpu / total) * 1000, { atMost: 2 }),
        one('memory at most', 'MiB', watch.peakBytes() / MIB, { atMost: 160 }),
      ];
    } finally {
      await watch.end();
    }
  } finally {
    await sink.close();
    await rm(directory, { recursive: true, force: true });
  }
}

export const WATCHES: readonly Row[] = [
  {
    ...{
      name: 'watched',
      missing,
      run: (setting) => takeIn(setting, sized(setting, 100_000), 1_000, { atLeast: 5_000 }),
    },
    about: '100,000 watched files: taken in, and at rest for a minute',
  },
  {
    ...{
      name: 'watchedTree',
      missing,
      run: (setting) => takeIn(setting, sized(setting, 20_000), 2, null),
    },
    about: '20,000 watched files in 10,000 directories: the same',
  },
  {
    name: 'trickle',
    missing,
    run: trickle,
    about: `a watch with ${PER_SECOND} files a second for ten minutes`,
  },
];
