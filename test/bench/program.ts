/** Programs that the benchmark starts and ends: the sink, and Sluice as users start it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../build/runStage.ts';
import { type Cost, measured } from './measure.ts';

/** The measured programs run on the same Node as the benchmark. */
const NODE = process.execPath;
const SLUICE = join(ROOT, 'build/sluice.mjs');
const BATCHES = 'data-staging/v1/external/demo/batches';

/** A running sink. */
export interface Sink {
  readonly url: string;
  /** The address of a request about a batch. */
  staging(path: string, query?: Readonly<Record<string, string>>): string;
  /** How many files a batch has received. */
  count(batchId: string): Promise<number>;
  close(): Promise<void>;
}

/** Ends a program and waits until it has ended. */
export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}

/** Starts a sink that delays every answer by `latencyMs`. With `tls`, its certificate is TEST_CERTIFICATE. */
export async function startSink(latencyMs = 0, tls = false): Promise<Sink> {
  const main = join(import.meta.dirname, 'sink/main.ts');
  const words = ['--latency', String(latencyMs), ...(tls ? ['--tls'] : [])];
  const child = spawn(NODE, [main, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = String((await once(createInterface({ input: child.stdout }), 'line'))[0]);
  const url = /"url":"([^"]+)"/.exec(line)?.[1] ?? '';
  const plain = /"plain":"([^"]+)"/.exec(line)?.[1] ?? '';
  const staging: Sink['staging'] = (path, query = {}) =>
    `${url}/${BATCHES}/${path}?${new URLSearchParams(query).toString()}`;
  return {
    url,
    staging,
    close: () => endOf(child),
    count: async (batchId) => {
      const answer: unknown = await (await fetch(`${plain}/${BATCHES}/${batchId}/count`)).json();
      return Number(Object(answer)['count'] ?? -1);
    },
  };
}

/** The environment variables for Sluice. */
export function sluiceEnvironment(url: string, data: string): Readonly<Record<string, string>> {
  return {
    SLUICE_API_URL: url,
    SLUICE_API_KEY: 'demo-key',
    SLUICE_WORKSPACE: 'demo',
    SLUICE_DATA_DIR: data,
  };
}

/** What the packages of the command line set. */
export const PACKAGED = { MALLOC_ARENA_MAX: '1' } as const;

/** The command line of Sluice with these arguments. */
export function sluiceCommand(words: readonly string[]): readonly string[] {
  return [NODE, SLUICE, ...words];
}

/** Runs `sluice` with these arguments to its end; throws if it failed. */
export async function sluice(
  url: string,
  data: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Cost> {
  const all = { ...sluiceEnvironment(url, data), ...PACKAGED, ...environment };
  return must(measured(sluiceCommand(words), all));
}

/** The cost of a command that succeeded. */
export async function must(running: Promise<Cost>): Promise<Cost> {
  const cost = await running;
  if (cost.exitCode !== 0) throw new Error(`exit ${cost.exitCode}: ${cost.said.slice(-2000)}`);
  return cost;
}
