/** Runs commands in the test's own process, as `sluice …` would, with real ports and a reference service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Result } from '../../preload/contract/errors.ts';
import { runCommand as runNamed } from '../../main/cli/commands.ts';
import { COMMANDS, optionsOf } from '../../main/cli/options/pages.ts';
import { readArguments } from '../../main/cli/terminal/args.ts';
import { exitCodeOf } from '../../main/cli/terminal/exitCode.ts';
import { createOutput, type Sink } from '../../main/cli/terminal/output.ts';
import { errorOf } from '../../main/engine/core/errors.ts';
import type { Log } from '../../main/engine/core/ports.ts';
import { createReferenceService, type ReferenceService } from '../service/referenceService.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { API_KEY } from './apiKey.ts';
import { createPorts, type Wrap, wrapped } from './ports.ts';

export interface CliEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** Default: nowhere. */
  readonly log?: Log;
  /** Files are read by worker threads, as the programs do. */
  readonly threads?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly wraps?: readonly Wrap[];
  readonly signal?: AbortSignal;
}

/** A directory, a service and a data folder that does not exist yet. */
export interface Bench {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly service: ReferenceService;
  /** Runs `sluice …` and records its output. */
  sluice(given: readonly string[], options?: CliOptions): Promise<CliEnd>;
  /** The data of the single result event of a reading command, which must have succeeded. */
  result(given: readonly string[], options?: CliOptions): Promise<unknown>;
  /** All output of all commands. */
  readonly said: readonly string[];
}

const SILENT: Log = { write: () => undefined };

function sinkInto(texts: string[]): Sink {
  return { write: (text) => texts.push(text), isTTY: false, columns: () => 80 };
}

/** The events of a --json output. Fails when a line is not a JSON object with at least `event` and an ISO `at`. */
export function eventsOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const event: unknown = JSON.parse(line);
      expect(event).toEqual(
        expect.objectContaining({
          event: expect.any(String),
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        }),
      );
      return typeof event === 'object' && event !== null ? { ...event } : {};
    });
}

export async function runCommand(
  given: readonly string[],
  dataDirectory: string,
  environment: Readonly<Record<string, string>>,
  options: CliOptions,
): Promise<CliEnd> {
  const plain = createPorts(options.log ?? SILENT, options.threads ?? false);
  const stdout: string[] = [];
  const stderr: string[] = [];
  const { json = false, verbose = false } = options;
  const shown = { json, quiet: false, verbose };
  const output = createOutput(shown, sinkInto(stdout), sinkInto(stderr), () => Date.now());
  const [name = '', ...rest] = given;
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`no command ${name}`);
  const args = readArguments(rest, optionsOf(command));
  const signal = options.signal ?? new AbortController().signal;
  const ports = wrapped(plain, options.wraps ?? []);
  let result: Result<number>;
  try {
    result = args.ok
      ? await runNamed(name, {
          args: args.value,
          output,
          environment: { ...environment, ...options.environment },
          dataDirectory,
          signal,
          clock: ports.clock,
          prepareFiles: () => Promise.resolve(),
          ports: () => Promise.resolve(ports),
        })
      : args;
  } catch (thrown) {
    result = { ok: false, error: errorOf(thrown) };
  } finally {
    await plain.files.close();
    await plain.http.close();
  }
  if (!result.ok && !signal.aborted) output.error(result.error);
  const exitCode = result.ok ? result.value : signal.aborted ? 130 : exitCodeOf(result.error);
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Creates a bench that is torn down at the end of the running test. */
export async function createBench(options: ServiceOptions = {}): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
  const dataDirectory = join(directory, 'data');
  const settings = { indexingMs: 5, queueMs: 5, stageMs: 20, ...options.settings };
  const service = await createReferenceService({ apiKey: API_KEY, ...options, settings });
  onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const said: string[] = [];
  const environment = {
    SLUICE_API_URL: service.url,
    SLUICE_API_KEY: service.apiKey,
    ...(options.specOnly === true ? { SLUICE_WORKSPACE: service.workspace } : {}),
  };
  const sluice: Bench['sluice'] = async (given, how = {}) => {
    const end = await runCommand(given, dataDirectory, environment, how);
    said.push(end.stdout, end.stderr);
    return end;
  };
  return {
    directory,
    dataDirectory,
    service,
    sluice,
    said,
    result: async (given, how = {}) => {
      const end = await sluice(given, { ...how, json: true });
      expect(end.exitCode, end.stderr).toBe(0);
      const [event, ...more] = eventsOf(end.stdout);
      expect(more).toEqual([]);
      expect(event?.['event']).toBe('result');
      return event?.['data'];
    },
  };
}
