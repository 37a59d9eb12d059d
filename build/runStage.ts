/** Runs one stage of the checks as a child process and reports how it ended, including counts. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readCounts, readFailures, type Counts, type Runner } from './testReports.ts';

/** What a stage runs, and how its tests are counted. */
export interface Stage {
  readonly name: string;
  /** A program of a package in node_modules, as `package/bin`. */
  readonly program: string;
  readonly args: readonly string[];
  /** `one`: the stage counts as one test. Otherwise that runner's JSON report is read. */
  readonly counts: 'one' | Runner;
}

/** How a stage ended. `output` is empty when it was streamed. */
export interface StageEnd extends Counts {
  readonly name: string;
  /** What failed, one paragraph each, if the runner reports it. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly output: string;
}

/** The project's own directory. */
export const ROOT = dirname(import.meta.dirname);

/** Where Node's compiled and type-stripped code is cached, also for workers and programs that tests start. */
const COMPILED = join(ROOT, 'node_modules/.cache/compile');

/**
 * Runs a stage. `stream` shows its output as it arrives, otherwise it is collected. Never throws: a stage that cannot start has failed.
 */
export async function runStage(
  stage: Stage,
  stream: boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<StageEnd> {
  const startedAt = performance.now();
  const reports = await mkdtemp(join(tmpdir(), 'sluice-report-'));
  const report = join(reports, 'report.json');
  try {
    const ran = await runProgram(
      [programPath(stage.program), ...stage.args, ...reportArgs(stage, report, stream)],
      stream,
      { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    );
    const counted = await readReport(stage, report);
    // A file that does not load has no tests that could fail, but the exit code shows it.
    const failed = ran.code !== 0 && counted.failed === 0 ? 1 : counted.failed;
    const passed = stage.counts === 'one' && ran.code === 0 ? 1 : counted.passed;
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...counted, name: stage.name, passed, failed, seconds, output: ran.output };
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
}

/** Runs a Node program to its end. The exit code is 1 when a signal ended it. */
export function runProgram(
  argv: readonly string[],
  stream: boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...argv], {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: COMPILED,
        ...(stream ? {} : colour()),
        ...env,
      },
      stdio: ['ignore', stream ? 'inherit' : 'pipe', stream ? 'inherit' : 'pipe'],
    });
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) {
      pipe?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('error', (cause) => resolve({ code: 1, output: `${output}${cause.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** A stage writes into a pipe, so it must be told whether colours will be visible. */
function colour(): Readonly<Record<string, string>> {
  const wanted = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return wanted ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
}

/** The file behind `package/bin`, looked up in the package's own list of programs. */
function programPath(program: string): string {
  const home = join(ROOT, 'node_modules', dirname(program));
  const { bin: bins } = createRequire(import.meta.url)(join(home, 'package.json'));
  const file: unknown = typeof bins === 'string' ? bins : bins[basename(program)];
  return join(home, String(file));
}

function reportArgs(stage: Stage, report: string, stream: boolean): readonly string[] {
  if (stage.counts === 'vitest') {
    const people = stream ? '--reporter=default' : '--reporter=minimal';
    return [people, '--reporter=json', `--outputFile.json=${report}`];
  }
  return stage.counts === 'playwright' ? ['--reporter=list,json'] : [];
}

/** The counts the runner reported. A missing or unreadable report is a failure. */
async function readReport(
  stage: Stage,
  report: string,
): Promise<Counts & Pick<StageEnd, 'failures'>> {
  if (stage.counts === 'one') return { passed: 0, failed: 0, skipped: 0, failures: [] };
  const text = await readFile(report, 'utf8').catch(() => '');
  return { ...readCounts(stage.counts, text), failures: readFailures(stage.counts, text) };
}
