/**
 * `npm run demo`: the whole pipeline on real files, against a reference service that runs only as long as the demo. Needs no display,
 * leaves nothing in the checkout, ends by itself and says where the results are.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createReferenceService } from '../test/service/referenceService.ts';

const ROOT = join(import.meta.dirname, '..');
const MEDIA = join(ROOT, 'test', 'fixtures', 'media');
const BATCH = 'demo';
const WORKFLOW = 'count-cups';

interface Place {
  readonly source: string;
  readonly data: string;
  readonly results: string;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs one command of the command line as a person would, with output to this terminal. Returns its exit code. */
function sluice(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  say(`\n$ sluice ${args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(' ')}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'main', 'cli.ts'), ...args], {
      stdio: 'inherit',
      env: environment,
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function countFiles(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

async function makePlace(): Promise<Place> {
  const base = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  const source = join(base, 'camera');
  await cp(MEDIA, source, { recursive: true, preserveTimestamps: true });
  return { source, data: join(base, 'data'), results: join(base, 'results') };
}

async function wholeLine(place: Place, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const { source, results } = place;
  const run = [
    'run',
    source,
    '--batch',
    BATCH,
    '--workflow',
    WORKFLOW,
    '--to',
    results,
    '--unpack',
  ];
  say('1. Upload every image and video, have both batches processed, bring the results back.');
  const first = await sluice(run, environment);
  say('\n2. The same command again: everything is confirmed already, nothing is sent.');
  const second = await sluice(run, environment);
  say('\n3. What the ledger holds.');
  const third = await sluice(['status'], environment);
  return first === 0 && second === 0 && third === 0;
}

async function demo(): Promise<number> {
  const specOnly = process.argv.includes('--spec-only');
  const place = await makePlace();
  const service = await createReferenceService({ specOnly });
  const offers = specOnly ? "the specification's 18 operations" : 'all operations';
  say(`A reference service runs at ${service.url} for this demo (${offers}).`);
  say(`${await countFiles(place.source)} sample files are in ${place.source}.\n`);
  const environment = {
    ...process.env,
    SLUICE_API_URL: service.url,
    SLUICE_PROJECTS_URL: service.url,
    SLUICE_API_KEY: service.apiKey,
    SLUICE_WORKSPACE: 'demo',
    SLUICE_DATA_DIR: place.data,
  };
  try {
    const went = await wholeLine(place, environment);
    const doubles = service.state.doubles().length;
    say('');
    if (!went || doubles > 0) {
      say(`The demo did not end well: ${doubles} files arrived twice. Data: ${place.data}`);
      return 1;
    }
    const files = await countFiles(place.results);
    say(`Done. Every file arrived exactly once, by hash at the service; none was sent twice.`);
    say(`Results (${files} files, with what was in the archives): ${place.results}`);
    say(`A table of all images: ${join(place.results, 'summary', 'summary.csv')}`);
    say(`Ledger and log: ${place.data}`);
    return 0;
  } finally {
    await service.close();
  }
}

process.exitCode = await demo();
