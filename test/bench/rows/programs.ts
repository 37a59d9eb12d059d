/** What users wait for: the start of the program, a ledger of a million files, the window. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { seedLedger } from '../../helpers/largeLedger.ts';
import { type Figure, spreadOf } from '../figures.ts';
import { type Cost, measured } from '../measure.ts';
import { must, sluiceCommand } from '../program.ts';
import { type Row, type Setting, sized } from '../row.ts';

const NO_WARNING = '--disable-warning=ExperimentalWarning';
const ITEMS = 1_000_000;
const BATCHES = 2_000;
/** Short runs are repeated this many times as often, because processor time is counted in hundredths of a second. */
const STARTS = 4;

/** Runs a script of this folder to its end; returns the JSON on its last line. */
async function scripted(script: string, args: readonly string[]): Promise<unknown> {
  const path = join(import.meta.dirname, '..', script);
  const child = spawn(process.execPath, [NO_WARNING, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const written = await text(child.stdout);
  return JSON.parse(written.trim().split('\n').at(-1) ?? '');
}

const measuredLedger = z.object({
  startMs: z.number(),
  peakBytes: z.number(),
  screens: z.record(z.string(), z.number()),
  ticks: z.record(z.string(), z.number()),
});

function slowest(
  what: string,
  times: Readonly<Record<string, number>>,
  atMost: number,
): readonly Figure[] {
  const values = Object.entries(times).toSorted(([, a], [, b]) => b - a);
  const [name = '', most = Number.NaN] = values[0] ?? [];
  const all = values.map(([, value]) => value);
  const spread = { ...spreadOf(all), median: most };
  const late = values.filter(([, value], index) => index > 0 && value > atMost);
  return [
    { what: `${what} (${name})`, unit: 'ms', value: spread, goal: { atMost } },
    ...late.map(([other, value]) => ({
      ...{ what: `${what}, too (${other})`, unit: 'ms', value: spreadOf([value]) },
      goal: { atMost },
    })),
  ];
}

async function ledger(setting: Setting, batches: number): Promise<readonly Figure[]> {
  const data = join(setting.directory, 'data');
  seedLedger(join(data, 'ledger.db'), {
    apiUrl: 'http://127.0.0.1:1',
    workspace: 'bench',
    batchId: 'season',
    displayName: null,
    items: sized(setting, ITEMS),
    batches,
    copyEvery: 50,
    now: Date.now(),
  });
  const read = measuredLedger.parse(await scripted('ledger/measureLedger.ts', [data, 'season']));
  const one = (what: string, unit: string, value: number, atMost: number): Figure => {
    return { what, unit, value: spreadOf([value]), goal: { atMost } };
  };
  return [
    one('start, processor time', 'ms', read.startMs, 1_000),
    ...slowest('slowest screen', read.screens, 50),
    ...slowest('slowest tick', read.ticks, 5),
    one('memory at most', 'MiB', read.peakBytes / 1024 / 1024, 180),
  ];
}

async function starts({ runs }: Setting): Promise<readonly Figure[]> {
  const sides = {
    'node -e 0': [process.execPath, '-e', '0'],
    '--help': sluiceCommand(['--help']),
    completion: sluiceCommand(['completion', 'bash']),
  };
  const costs = new Map<string, Cost[]>(Object.keys(sides).map((name) => [name, []]));
  for (let turn = 0; turn < runs * STARTS; turn += 1) {
    for (const [name, command] of Object.entries(sides))
      costs.get(name)?.push(await must(measured(command)));
  }
  const spread = (name: string, of: (cost: Cost) => number): Figure['value'] =>
    spreadOf((costs.get(name) ?? []).map(of));
  const plain = spread('node -e 0', ({ cpuSeconds }) => cpuSeconds).median;
  return [
    ...Object.keys(sides).map((what) => ({
      what: `${what}, time`,
      unit: 'ms',
      goal: null,
      value: spread(what, ({ seconds }) => seconds * 1000),
    })),
    ...['--help', 'completion'].map((what) => ({
      what: `sluice ${what}, processor time relative to node -e 0`,
      unit: '×',
      value: spread(what, ({ cpuSeconds }) => cpuSeconds / plain),
      goal: { atMost: 2 },
    })),
  ];
}

const measuredWindow = z.object({
  firstContentMs: z.array(z.tuple([z.number(), z.number()])),
  idlePercent: z.array(z.number()),
});

async function window(setting: Setting): Promise<readonly Figure[]> {
  const args = [String(sized(setting, 20_000)), String(setting.runs)];
  const read = measuredWindow.parse(await scripted('window/measureWindow.ts', args));
  const pairs = read.firstContentMs;
  return [
    {
      what: 'an empty window, first content',
      unit: 'ms',
      goal: null,
      value: spreadOf(pairs.map(([, theirs]) => theirs)),
    },
    {
      what: 'the window, first content',
      unit: 'ms',
      goal: null,
      value: spreadOf(pairs.map(([ours]) => ours)),
    },
    {
      what: 'time relative to an empty window',
      unit: '×',
      goal: { atMost: 1.5 },
      value: spreadOf(pairs.map(([ours, theirs]) => ours / theirs)),
    },
    {
      what: 'at rest, of a core',
      unit: '%',
      goal: null,
      value: spreadOf(read.idlePercent),
    },
  ];
}

export const PROGRAMS: readonly Row[] = [
  {
    name: 'ledger',
    about: 'a ledger of 1,000,000 files in one batch, processor time',
    run: (setting) => ledger(setting, 1),
  },
  {
    name: 'ledgers',
    about: 'the same in 2,000 batches',
    run: (setting) => ledger(setting, sized(setting, BATCHES)),
  },
  { name: 'start', about: 'sluice --help and sluice completion', run: starts },
  { name: 'window', about: 'the window over 20,000 watched files', run: window },
];
