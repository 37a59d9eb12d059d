/**
 * `npm run bench`: measures every row of the table of goals, or the named rows, and prints medians with their spread next to the
 * goals. Both sides of a row alternate (A B A B). Exits with 1 when a row failed to run; a missed goal is only reported.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ROOT, runProgram } from '../../build/runStage.ts';
import { drawFiles } from './drawing.ts';
import { type Figure, isReached, lineOf } from './figures.ts';
import type { Row } from './row.ts';
import { DOWNLOADS } from './rows/downloads.ts';
import { FILES } from './rows/files.ts';
import { PEER } from './rows/peer.ts';
import { PROGRAMS } from './rows/programs.ts';
import { UPLOADS } from './rows/uploads.ts';
import { WATCHES } from './rows/watches.ts';

const ROWS: readonly Row[] = [...UPLOADS, ...PEER, ...DOWNLOADS, ...FILES, ...WATCHES, ...PROGRAMS];
const USAGE = `Usage: npm run bench -- [ROW…] [--quick] [--runs N] [--million] [--json FILE] [--figure FILE] [--list]
  --quick        a tenth of the sizes, three runs
  --runs N       how often each side runs (default: 5)
  --million      the row "files" with a million of them, too
  --json FILE    writes the figures; rows that the file has already stay unless they were measured again
  --figure FILE  draws the row "files"
`;
const QUICK_SCALE = 0.1;

const writtenRows = z.object({
  rows: z.array(z.looseObject({ name: z.string() })),
});

interface Measured {
  readonly name: string;
  readonly about: string;
  readonly at: string;
  readonly commit: string;
  readonly scale: number;
  readonly load: number;
  readonly figures: readonly (Figure & { readonly reached: boolean | null })[];
}

/** A measurement without a goal: a program of its own that prints its results. */
const VIEWS = 'views';

/** Runs it to its end; returns its exit code. */
function runViews(): number {
  const path = join(import.meta.dirname, 'window', 'measureViews.ts');
  const words = ['--disable-warning=ExperimentalWarning', path];
  return spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function commit(): string {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD');
}

function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown';
  return `${cpus().length} cores (${model}), ${process.platform}, Node ${process.versions.node}`;
}

async function measure(row: Row, runs: number, scale: number, million: boolean): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  // Average of the last minute: a row reports when the machine was busy.
  const load = loadavg()[0] ?? 0;
  try {
    const figures = await row.run({ runs, scale, million, directory });
    for (const figure of figures) say(lineOf(figure));
    const known = figures.map((figure) => ({ ...figure, reached: isReached(figure) }));
    const facts = { at: new Date().toISOString(), commit: commit(), scale, load };
    return { name: row.name, about: row.about, ...facts, figures: known };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Appends the rows to those already in the file. */
async function keep(path: string, rows: readonly Measured[]): Promise<void> {
  const before = existsSync(path)
    ? writtenRows.parse(JSON.parse(readFileSync(path, 'utf8'))).rows
    : [];
  const others = before.filter((row) => rows.every(({ name }) => name !== row.name));
  const order = (name: string): number => ROWS.findIndex((row) => row.name === name);
  const all = [...others, ...rows].toSorted((a, b) => order(a.name) - order(b.name));
  await writeFile(path, `${JSON.stringify({ machine: machine(), rows: all }, null, 2)}\n`);
}

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      runs: { type: 'string' },
      json: { type: 'string' },
      figure: { type: 'string' },
    },
  });
  const chosen = ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const known = [...ROWS.map(({ name }) => name), VIEWS];
  const unknown = positionals.filter((word) => !known.includes(word));
  if (unknown.length > 0) {
    process.stderr.write(`No such row: ${unknown.join(', ')}.\n${USAGE}`);
    return 2;
  }
  if (values.list) {
    for (const { name, about } of ROWS) say(`${name.padEnd(12)} ${about}`);
    say(`${VIEWS.padEnd(12)} each view of the window over 100,000 files (only when named)`);
    return 0;
  }
  const built = await runProgram(['build/build.ts', 'cli'], false);
  if (built.code !== 0) throw new Error('The command line could not be built.');
  say(`${machine()}; a load of ${loadavg()[0]?.toFixed(1)} before it began`);
  const scale = values.quick ? QUICK_SCALE : 1;
  const runs = Number(values.runs ?? (values.quick ? 3 : 5));
  const measured: Measured[] = [];
  let code = 0;
  for (const row of chosen) {
    say(`\n${row.name}: ${row.about}${scale === 1 ? '' : `, × ${scale}`}`);
    const missing = row.missing?.() ?? null;
    if (missing !== null) {
      say(`  left out: ${missing}`);
      continue;
    }
    try {
      measured.push(await measure(row, runs, scale, values.million));
    } catch (error) {
      say(`  failed: ${error instanceof Error ? error.message : String(error)}`);
      code = 1;
    }
  }
  if (positionals.includes(VIEWS) && runViews() !== 0) code = 1;
  if (values.json !== undefined) await keep(values.json, measured);
  const files = measured.find(({ name }) => name === 'files');
  if (values.figure !== undefined && files !== undefined) {
    const on = `${cpus().length} cores, a load of ${files.load.toFixed(0)}`;
    const note = `${on}, ${files.at.slice(0, 10)}, npm run bench files`;
    await writeFile(values.figure, drawFiles(files.figures, note));
  }
  return code;
}

process.exitCode = await run();
