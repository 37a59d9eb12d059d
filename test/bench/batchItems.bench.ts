/** A page of a batch with 100,000 items, as the window asks for it: in each order, narrowed, searched, in the middle, at the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itemPage, type ItemQuery } from '../../main/engine/queries/itemPages.ts';
import { openStore } from '../../main/engine/store/store.ts';
import { seedLedger } from '../helpers/largeLedger.ts';

const ITEMS = 100_000;
const PLAIN: ItemQuery = {
  offset: 0,
  limit: 100,
  search: '',
  state: 'all',
  sort: 'added',
  descending: true,
};
const QUERIES: readonly (readonly [string, Partial<ItemQuery>])[] = [
  ['newest first', {}],
  ['newest first, the last page', { offset: ITEMS - 100 }],
  ['by name', { sort: 'name', descending: false }],
  ['by name, in the middle', { sort: 'name', descending: false, offset: ITEMS / 2 }],
  ['by name, the last page', { sort: 'name', descending: false, offset: ITEMS - 100 }],
  ['by size', { sort: 'size' }],
  ['by size, in the middle', { sort: 'size', offset: ITEMS / 2 }],
  ['by size, the last page', { sort: 'size', offset: ITEMS - 100 }],
  ['by state', { sort: 'state', descending: false }],
  ['confirmed, by name', { state: 'confirmed', sort: 'name' }],
  ['what needs a person', { state: 'parked' }],
  ['searched, by size', { search: 'frame_0999', sort: 'size' }],
];

function median(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}

const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const path = join(directory, 'ledger.db');
try {
  const names = { workspace: 'bench', displayName: null, now: Date.now() };
  seedLedger(path, { ...names, apiUrl: 'http://127.0.0.1:1', batchId: 'season', items: ITEMS });
  const store = openStore(path);
  for (const [name, change] of QUERIES) {
    const times = Array.from({ length: 7 }, () => {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      itemPage(store, 1, 'season', { ...PLAIN, ...change });
      const { user, system } = process.cpuUsage(cpu);
      return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
    });
    const wall = median(times.map(({ wallMs }) => wallMs));
    const cpu = median(times.map(({ cpuMs }) => cpuMs));
    process.stdout.write(`${name}: ${wall} ms, of it ${cpu} ms at work\n`);
  }
  store.close();
} finally {
  await rm(directory, { recursive: true, force: true });
}
