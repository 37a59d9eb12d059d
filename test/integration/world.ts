/**
 * A world for one test: a source directory, a reference service, a data directory, and the engine between them. Nearly
 * every test ends with `expectExactlyOnce`.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { sourceIds } from '../../main/engine/core/batchNames.ts';
import { createLiveSettings } from '../../main/engine/runner/liveSettings.ts';
import { createClient, ensureConnection } from '../../main/engine/runner/connect.ts';
import { type Engine, openEngine } from '../../main/engine/host/engine.ts';
import { SluiceFailure } from '../../main/engine/core/errors.ts';
import { uploadOnce } from '../../main/engine/uploads/oneShot.ts';
import type { PipelineTimes } from '../../main/engine/core/limits.ts';
import type { Ports } from '../../main/engine/core/ports.ts';
import {
  type ConnectionRunner,
  startConnectionRunner,
} from '../../main/engine/runner/connectionRunner.ts';
import type { Store } from '../../main/engine/store/store.ts';
import { type LogFile, openLogFile } from '../../main/logFile.ts';
import { createReferenceService, type ReferenceService } from '../service/referenceService.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { API_KEY } from './apiKey.ts';
import { eventsOf, runCommand } from './cliRun.ts';
import { expectExactlyOnce, type ExactlyOnceOptions } from './exactlyOnce.ts';
import { type Ledger, readLedger } from './ledgerView.ts';
import { createLocalFiles, type LocalFiles } from './localFiles.ts';
import { expectNoSecrets } from './noSecrets.ts';
import { createPorts, type Wrap, wrapped } from './ports.ts';

/** Times that let a test of doubt end within a second or two. */
export const TEST_TIMES: Partial<PipelineTimes> = {
  lateCommitMs: 600,
  slowCommitMs: 600,
  orphanShardMs: 1500,
  backoffFirstMs: 20,
  backoffMaxMs: 150,
  confirmFirstMs: 10,
  confirmMaxMs: 80,
  comparePatienceMs: 1_000,
  refusalPatienceMs: 1_000,
  unmeasuredLagMs: 600,
  sentPatienceMs: 4000,
  gateFirstMs: 20,
  gateMaxMs: 150,
  probeMaxMs: 100,
  resultsAgainMs: 60,
  resultsPatienceMs: 1_500,
  silentStartMs: 1_000,
  silentMidwayMs: 2_000,
};

export interface WorldOptions {
  readonly service?: ServiceOptions;
  /** Files are read by worker threads, as the programs do. */
  readonly threads?: boolean;
  readonly times?: Partial<PipelineTimes>;
}

export interface UploadOptions {
  readonly batch?: string;
  readonly mode?: 'auto' | 'single' | 'bulk';
  /** Absolute paths; default: the source directory. */
  readonly paths?: readonly string[];
  /** The content of each shard's notification member. */
  readonly notification?: string;
  /** The bandwidth limit, bytes per second. */
  readonly capBytesPerSecond?: () => number | null;
  readonly wraps?: readonly Wrap[];
  readonly wrapStore?: (store: Store) => Store;
  readonly signal?: AbortSignal;
  readonly times?: Partial<PipelineTimes>;
  /** Called while the pipeline runs. */
  readonly onProgress?: (running: ConnectionRunner) => void;
}

/** How an upload ended, and what it counted. */
type Uploaded = Awaited<ReturnType<typeof uploadOnce>>;

interface Made {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly service: ReferenceService;
  readonly local: LocalFiles;
  readonly log: LogFile;
  readonly options: WorldOptions;
  /** All output so far. */
  readonly said: string[];
}

function connectionOf({ service }: Made) {
  return {
    apiUrl: service.url,
    projectsUrl: service.url,
    apiKey: service.apiKey,
    workspace: service.workspace,
  };
}

function openOrThrow(made: Made, ports: Ports): Engine {
  const opened = openEngine(made.dataDirectory, 'test', ports);
  if (!opened.ok) throw new SluiceFailure(opened.error);
  return opened.value;
}

async function upload(made: Made, options: UploadOptions): Promise<Uploaded> {
  const plain = createPorts(made.log, made.options.threads ?? false);
  const ports = wrapped(plain, options.wraps ?? []);
  const engine = openOrThrow(made, ports);
  const store = options.wrapStore?.(engine.store) ?? engine.store;
  const connection = connectionOf(made);
  const baseId = options.batch ?? 'batch-1';
  let running: ConnectionRunner | null = null;
  try {
    const connectionId = ensureConnection(store, connection);
    running = startConnectionRunner({
      ports,
      store,
      connectionId,
      createClient: (watched, observe) =>
        createClient(watched, connection, { store, connectionId }, observe),
      bases: sourceIds(baseId),
      times: { ...TEST_TIMES, ...made.options.times, ...options.times },
      live: {
        ...createLiveSettings(store, ports.clock),
        ...(options.capBytesPerSecond === undefined ? {} : { cap: options.capBytesPerSecond }),
      },
    });
    const line = running;
    const { root } = made.local;
    return await uploadOnce(running, {
      places: (options.paths ?? [root]).map((path) => ({ path, root })),
      target: {
        baseId,
        displayName: null,
        mode: options.mode ?? 'auto',
        mainKind: null,
        notification: options.notification ?? null,
      },
      signal: options.signal ?? new AbortController().signal,
      onProgress: () => options.onProgress?.(line),
    });
  } finally {
    await running?.stop();
    engine.close();
    await plain.files.close();
    await plain.http.close();
    made.log.flush();
  }
}

function environmentOf(made: Made): Readonly<Record<string, string>> {
  return {
    SLUICE_API_URL: made.service.url,
    SLUICE_API_KEY: made.service.apiKey,
    SLUICE_DATA_DIR: made.dataDirectory,
    SLUICE_TEST_TIMES: JSON.stringify({ ...TEST_TIMES, ...made.options.times }),
    NODE_ENV: 'test',
  };
}

async function cli(made: Made, given: readonly string[], wraps: readonly Wrap[]) {
  const { log, options, dataDirectory } = made;
  const end = await runCommand(given, dataDirectory, environmentOf(made), {
    json: true,
    verbose: true,
    wraps,
    log,
    threads: options.threads ?? false,
  });
  log.flush();
  made.said.push(end.stdout, end.stderr);
  return { ...end, events: eventsOf(end.stdout) };
}

export type CliEnd = Awaited<ReturnType<typeof cli>>;

/** Calls back when a test is over. */
export type Finished = (cleanUp: () => Promise<void>) => void;

/** Creates a world that is torn down at the end of the running test; concurrent tests pass their own hook. */
export async function createWorld(options: WorldOptions = {}, finished: Finished = onTestFinished) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-world-'));
  const dataDirectory = join(directory, 'data');
  const service = await createReferenceService({ apiKey: API_KEY, ...options.service });
  const local = await createLocalFiles(join(directory, 'source'));
  const log = openLogFile(dataDirectory, 'debug', null);
  const made: Made = { directory, dataDirectory, service, local, log, options, said: [] };
  finished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const ledger = (): Ledger => readLedger(dataDirectory);
  return {
    directory,
    dataDirectory,
    local,
    service,
    /** Environment for a command line in a separate process. */
    environment: environmentOf(made),
    /** The current content of the ledger; call it while no process owns it. */
    ledger,
    /** Uploads what is in the source directory and stops the engine; another call continues. */
    upload: (given: UploadOptions = {}) => upload(made, given),
    /** Runs a command of the command line in this process, with --json. */
    cli: (given: readonly string[], wraps: readonly Wrap[] = []) => cli(made, given, wraps),
    /** The same, and asserts that it ends with exit code 0. */
    succeeds: async (given: readonly string[], wraps: readonly Wrap[] = []) => {
      const end = await cli(made, given, wraps);
      expect(end.exitCode, end.stderr).toBe(0);
      return end;
    },
    requestCount: (method: string, path: RegExp) => service.log.count(method, path),
    expectExactlyOnce: (given: ExactlyOnceOptions = {}) =>
      expectExactlyOnce({ local, service, dataDirectory, ledger: ledger() }, given),
    /** Asserts that no log, output or ledger text contains a key or a signature. */
    expectNoSecrets: async () => {
      log.flush();
      // A run without anything to log writes no log file.
      const logs = await readdir(join(dataDirectory, 'logs')).catch(() => []);
      const written = await Promise.all(
        logs.map((name) => readFile(join(dataDirectory, 'logs', name), 'utf8')),
      );
      expectNoSecrets([...written, ...made.said, ...ledger().texts], service);
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
