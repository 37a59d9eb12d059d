/**
 * A watch over 100,000 files in one directory: how long until it listens, its memory and inotify watches, and how soon
 * a new file is queued once it is stable, written in place and renamed into place, 10 a second. Only prints; checks no goal.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { standardRule } from '../../preload/contract/standardRule.ts';
import { openEngine } from '../../main/engine/host/engine.ts';
import { connectionRow, createClient } from '../../main/engine/runner/connect.ts';
import type { Log, Ports } from '../../main/engine/core/ports.ts';
import { startConnectionRunner } from '../../main/engine/runner/connectionRunner.ts';
import { enterWatch } from '../../main/engine/watches/registry.ts';
import { startWatching } from '../../main/engine/watches/watching.ts';
import { createFiles } from '../../main/engine/files/nodeFiles.ts';
import { createPool } from '../../main/engine/files/pool/threadPool.ts';
import { createNodePorts } from '../../main/nodePorts.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { valueOf } from '../helpers/results.ts';

const FILES = 100_000;
const PER_SECOND = 10;
const SECONDS = 15;
const SETTLE_MS = 1_000;
const PATIENCE_MS = 30_000;
const MIB = 1024 * 1024;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function inotifyWatches(): number {
  const ids = readdirSync('/proc/self/fdinfo');
  const texts = ids.map((id) => {
    try {
      return readFileSync(join('/proc/self/fdinfo', id), 'utf8');
    } catch {
      return '';
    }
  });
  return texts.join('\n').split('\ninotify wd:').length - 1;
}

function percentile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** Ports whose network refuses at once: the measurement ends at the queue. */
function withoutNetwork(ports: Ports): Ports {
  return {
    ...ports,
    http: {
      request: () =>
        Promise.resolve({ kind: 'failure', fault: 'offline', maybeSent: false, detail: 'bench' }),
      close: () => ports.http.close(),
    },
  };
}

const base = mkdtempSync(join(tmpdir(), 'sluice-bench-watch-'));
const directory = join(base, 'in');
mkdirSync(directory);
for (let number = 0; number < FILES; number += 1) {
  writeFileSync(join(directory, `old-${number}.jpg`), tinyJpeg(number));
}
const log: Log = { write: () => undefined };
const workerUrl = new URL('../../main/engine/files/pool/fileWorker.ts', import.meta.url);
const plain = createNodePorts(createFiles(createPool({ workerUrl })), log, {});
const ports = withoutNetwork(plain);
const opened = valueOf(openEngine(join(base, 'data'), 'bench', ports));
const { store } = opened;
const connection = {
  apiUrl: 'http://127.0.0.1:1',
  projectsUrl: 'http://127.0.0.1:1',
  apiKey: 'bench',
  workspace: 'bench',
} as const;
const connectionId = connectionRow(store, connection, 'bench');
const rule = { ...standardRule(directory, 'bench'), batch: 'bench', settleMs: SETTLE_MS };
const entered = await enterWatch(
  { store, ports, dataDirectory: join(base, 'data') },
  connectionId,
  rule,
);
if (!entered.ok) throw new Error(entered.error.code);
const watch = entered.value;

interface Motion {
  readonly scanned: () => boolean;
  readonly stop: () => Promise<void>;
}

function start(): Motion {
  let isHeld = false;
  const running = startConnectionRunner({
    ports,
    store,
    connectionId,
    createClient: (watched) => createClient(watched, connection, { store, connectionId }),
    bases: null,
    heldBack: () => isHeld,
  });
  const watching = startWatching({
    running,
    workspace: 'bench',
    dataDirectory: join(base, 'data'),
    notificationsUrl: () => null,
    notification: () => null,
    report: () => undefined,
    pollOnly: false,
  });
  watching.start(watch);
  const motion = () => watching.watch(watch.id);
  return {
    scanned: () => {
      // Plan nothing: the measurement ends at the queue, and a queue that cannot move is a separate topic.
      isHeld ||= motion() !== null;
      return motion()?.scannedOnce() === true;
    },
    stop: async () => {
      await watching.stop();
      await running.stop();
    },
  };
}

async function started(what: string): Promise<Motion> {
  globalThis.gc?.();
  const rss = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const motion = start();
  while (!motion.scanned()) await delay(5);
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  const grown = Math.round((process.memoryUsage.rss() - rss) / MIB);
  const whole = Math.round(process.memoryUsage.rss() / MIB);
  say(
    `${what}: ${seconds.toFixed(2)} s (CPU ${((used.user + used.system) / 1e6).toFixed(2)} s), RSS ${whole} MiB (${grown} more), ${inotifyWatches()} inotify watches for ${FILES} files`,
  );
  return motion;
}

/** Names found since the last call; the ledger is asked only for these. */
function createNews(): () => readonly string[] {
  let last = Number(store.get('SELECT max(id) AS id FROM items')?.['id'] ?? 0);
  return () => {
    const rows = store.all('SELECT id, relative_path FROM items WHERE id > ? ORDER BY id', last);
    last = Number(rows.at(-1)?.['id'] ?? last);
    return rows.map((row) => String(row['relative_path']));
  };
}

/** Writes files at the given rate and reports how long after becoming stable each was queued. */
async function arrivals(
  prefix: string,
  put: (name: string, content: Buffer) => void,
): Promise<void> {
  const total = PER_SECOND * SECONDS;
  const written = new Map<string, number>();
  const waits: number[] = [];
  const known = new Set<string>();
  const news = createNews();
  const note = (): void => {
    const now = performance.now();
    for (const name of news()) {
      known.add(name);
      waits.push(now - (written.get(name) ?? now) - SETTLE_MS);
    }
  };
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let number = 0; number < total;) {
    if (performance.now() - began >= (number * 1000) / PER_SECOND) {
      const name = `${prefix}-${number}.jpg`;
      put(name, tinyJpeg(FILES * prefix.charCodeAt(0) + number));
      written.set(name, performance.now());
      number += 1;
    }
    note();
    await delay(5);
  }
  const used = process.cpuUsage(cpu);
  const percent = (used.user + used.system) / 1e4 / ((performance.now() - began) / 1000);
  const until = performance.now() + PATIENCE_MS;
  while (known.size < total && performance.now() < until) {
    note();
    await delay(5);
  }
  const sorted = [...waits].sort((a, b) => a - b);
  const figures = [0.5, 0.99, 1].map((fraction) => Math.round(percentile(sorted, fraction)));
  say(
    `${total} files, ${prefix}, ${PER_SECOND}/s: from at rest to queued p50 ${figures[0]} ms, p99 ${figures[1]} ms, most ${figures[2]} ms; CPU ${percent.toFixed(1)} % of a core; missed ${total - known.size}`,
  );
}

try {
  const first = await started('first start, all files identified');
  await first.stop();
  // As if everything had arrived: from here on the watch is measured, not a queue that cannot move.
  store.run(`UPDATE items SET state = 'confirmed'`);
  const motion = await started('started again, all files known');
  const idle = process.cpuUsage();
  await delay(5_000);
  const used = process.cpuUsage(idle);
  say(`idle: CPU ${((used.user + used.system) / 5e4).toFixed(2)} % of a core`);
  await arrivals('written', (name, content) => writeFileSync(join(directory, name), content));
  await arrivals('renamed', (name, content) => {
    writeFileSync(join(directory, `${name}.part`), content);
    renameSync(join(directory, `${name}.part`), join(directory, name));
  });
  await motion.stop();
} finally {
  opened.close();
  await plain.files.close();
  await plain.http.close();
  await rm(base, { recursive: true, force: true });
}
