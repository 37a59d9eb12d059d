import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import { WATCH_TIMES } from '../../../../../main/engine/core/limits.ts';
import type { Files, NotifyWants } from '../../../../../main/engine/core/ports.ts';
import type { WatchConfig } from '../../../../../main/engine/pipeline/find/checkFiles.ts';
import { startWatch } from '../../../../../main/engine/pipeline/find/watch.ts';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { createTestLedger, identified as identifiedAs } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';
import { createVirtualClock, type VirtualClock } from '../virtualClock.ts';

const DIRECTORY = '/watched';
const QUIET_MS = 5_000;

/** Far more often than a watch reads the clock in a minute of these tests. */
const MOST_READINGS = 10_000;
/** The same for thousands of files. */
const MANY_READINGS = 100_000;

/** A clock that is moved by hand, and that fails a loop that would otherwise never end. */
function createBoundedClock(mostReadings: number): VirtualClock {
  const clock = createVirtualClock(1_000_000);
  let readings = 0;
  const monotonicMs = (): number => {
    readings += 1;
    if (readings > mostReadings) throw new Error('the watch does not rest');
    return clock.monotonicMs();
  };
  return { ...clock, monotonicMs };
}

/** What differs from a watched directory that is there, empty, and on one disk. */
interface SceneOptions {
  /** By default, the files are only collected, by their numbers. */
  readonly identify?: WatchConfig['identify'];
  readonly isThere?: () => boolean;
  readonly mounts?: () => string | null;
  readonly files?: Partial<Files>;
  readonly notBefore?: number;
  readonly mostReadings?: number;
}

/** A watched directory on a clock that is moved by hand; hints are given by its touch(). */
function createScene({
  identify,
  isThere = () => true,
  mounts = () => null,
  files: own = {},
  notBefore = 0,
  mostReadings = MOST_READINGS,
}: SceneOptions = {}) {
  const identified = new Set<number>();
  const ledger = createTestLedger();
  const clock = createBoundedClock(mostReadings);
  const wants: NotifyWants[] = [];
  const looks: number[] = [];
  const files: Files = {
    ...createInlineFiles(),
    placeOf: () =>
      Promise.resolve(isThere() ? { device: '1', inode: '1', mounts: mounts() } : null),
    mountOf: (path) => Promise.resolve({ path, mount: '/' }),
    disksBelow: () => Promise.resolve([]),
    isRemote: () => Promise.resolve(false),
    realPath: (path) => Promise.resolve(path),
    typeOf: () => Promise.resolve('directory'),
    list: () => Promise.resolve(ok([])),
    notify: (_, given) => {
      wants.push(given);
      return { ready: Promise.resolve(), close: () => Promise.resolve() };
    },
    stat: (paths) => {
      looks.push(paths.length);
      const facts = { sizeBytes: 1, touchedAt: clock.now(), stamp: identifiedAs('same').stamp };
      return Promise.resolve(paths.map(() => ({ ok: true, value: facts })));
    },
    ...own,
  };
  const stopping = new AbortController();
  const pipeline = { ...createTestPipeline(ledger, { clock, files }), signal: stopping.signal };
  const watch = startWatch(pipeline, {
    directory: DIRECTORY,
    destinationId: ledger.destinationId,
    quietMs: QUIET_MS,
    notBefore: () => notBefore,
    leftOut: () => null,
    forbidden: [],
    pollOnly: false,
    times: WATCH_TIMES,
    identify:
      identify ??
      ((found) => {
        for (const { path } of found) identified.add(numberOf(path));
        return Promise.resolve();
      }),
  });
  return {
    clock,
    identified,
    looks,
    listened: () => wants.length,
    watch,
    touch: (number: number, isListed = false) =>
      wants[0]?.onTouched(join(DIRECTORY, `${number}.jpg`), 'file', isListed),
    stop: async () => {
      stopping.abort();
      await clock.advance(0);
      await watch.done;
    },
  };
}

test('files that come one after another are looked at, and identified, in groups', async () => {
  const identified: number[] = [];
  const { clock, looks, touch, stop } = createScene({
    identify: (found) => {
      identified.push(found.length);
      return Promise.resolve();
    },
  });
  await clock.advance(1_000);
  for (let number = 0; number < 60; number += 1) {
    touch(number);
    await clock.advance(100);
  }
  await clock.advance(2 * QUIET_MS);
  await stop();
  expect(identified.reduce((sum, count) => sum + count, 0)).toBe(60);
  expect(Math.min(...identified.slice(0, -1))).toBeGreaterThan(3);
  expect(looks.length).toBeLessThan(30);
});

test.each([
  ['a scan finds those', 0, true],
  ['all are remembered where a scan would take them for old', 1, false],
])('of very many files that are touched at once, %s', async (_, notBefore, isScanned) => {
  const count = 20_005;
  let lists = 0;
  const entries = Array.from({ length: count }, (__, number) => {
    return { name: `${number}.jpg`, type: 'file' } as const;
  });
  const { clock, identified, touch, stop } = createScene({
    files: {
      list: () => {
        lists += 1;
        return Promise.resolve(ok(lists === 1 ? [] : entries));
      },
    },
    notBefore,
    mostReadings: 10 * count,
  });
  await clock.advance(1_000);
  for (let number = 0; number < count; number += 1) touch(number);
  await clock.advance(3 * QUIET_MS);
  await stop();
  expect(identified.size).toBe(count);
  expect(lists).toBe(isScanned ? 2 : 1);
});

/** Files that were last written to long ago, apart from some. */
function agedStat(clock: () => VirtualClock, isYoung: (number: number) => boolean): Files['stat'] {
  const { stamp } = identifiedAs('same');
  return (paths) =>
    Promise.resolve(
      paths.map((path) => {
        const age = isYoung(numberOf(path)) ? 0 : 10 * QUIET_MS;
        return ok({ sizeBytes: 1, touchedAt: clock().now() - age, stamp });
      }),
    );
}

function numberOf(path: string): number {
  return Number.parseInt(basename(path), 10);
}

test('a file that is touched while a large directory is scanned is taken in among its files, once it has settled', async () => {
  const count = 10_000;
  const touched = count;
  const order: number[] = [];
  let [touchedAt, takenAt] = [Number.NaN, Number.NaN];
  const entries = Array.from({ length: count }, (_, number) => {
    return { name: `${number}.jpg`, type: 'file' } as const;
  });
  const { clock, touch, stop } = createScene({
    identify: async (found) => {
      if (order.length === 0) {
        touchedAt = clock.monotonicMs();
        touch(touched);
      }
      order.push(...found.map(({ path }) => numberOf(path)));
      if (order.includes(touched) && Number.isNaN(takenAt)) takenAt = clock.monotonicMs();
      await clock.sleep(1_000);
    },
    files: {
      list: () => Promise.resolve(ok(entries)),
      stat: agedStat(
        () => clock,
        (number) => number === touched,
      ),
    },
    mostReadings: MANY_READINGS,
  });
  await clock.advance(60_000);
  await stop();
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count + 1 }, (_, n) => n));
  expect(order.indexOf(touched)).toBeLessThan(count / 2);
  expect(takenAt - touchedAt).toBeGreaterThanOrEqual(QUIET_MS);
});

test('while many files settle, old ones that are touched are taken at once, and those that are written to still settle', async () => {
  const [many, old, young] = [5_000, 5_001, 5_002];
  const { clock, identified, watch, touch, stop } = createScene({
    files: {
      stat: agedStat(
        () => clock,
        (number) => number === young,
      ),
    },
    mostReadings: MANY_READINGS,
  });
  await clock.advance(1_000);
  for (let number = 0; number < many; number += 1) touch(number);
  await clock.advance(1_000);
  expect([watch.settling(), identified.size]).toEqual([many, 0]);
  touch(old);
  touch(young);
  await clock.advance(1_000);
  expect([...identified]).toEqual([old]);
  await clock.advance(2 * QUIET_MS);
  await stop();
  expect(identified.size).toBe(many + 2);
});

test('a directory is not at rest while another scan takes in what no hint named', async () => {
  const entries: { name: string; type: 'file' }[] = [];
  const identifying = Promise.withResolvers<void>();
  const { clock, watch, stop } = createScene({
    files: {
      list: () => Promise.resolve(ok(entries)),
      stat: (paths) => {
        const facts = { sizeBytes: 1, touchedAt: 0, stamp: identifiedAs('same').stamp };
        return Promise.resolve(paths.map(() => ({ ok: true, value: facts })));
      },
    },
    identify: () => identifying.promise,
  });
  await clock.advance(1_000);
  expect(watch.rested()).toBe(true);
  entries.push({ name: '1.jpg', type: 'file' });
  watch.scanNow();
  await clock.advance(1_000);
  expect(watch.rested()).toBe(false);
  identifying.resolve();
  await clock.advance(1_000);
  expect(watch.rested()).toBe(true);
  await stop();
});

test('a file that is named by itself is remembered beside a large directory that appears', async () => {
  const count = 6_000;
  const named = count;
  const { clock, identified, watch, touch, stop } = createScene({ mostReadings: MANY_READINGS });
  await clock.advance(1_000);
  for (let number = 0; number < count; number += 1) touch(number, true);
  touch(named);
  // The others are for the scan to find.
  expect([watch.settling(), watch.rested()]).toEqual([5_001, false]);
  await clock.advance(3 * QUIET_MS);
  await stop();
  expect(identified.has(named)).toBe(true);
});

test('a file that is still written to counts once, and no longer once the ledger has it', async () => {
  const waiting: (() => void)[] = [];
  const inLedger: number[] = [];
  const settlingThen: number[] = [];
  const { clock, watch, touch, stop } = createScene({
    identify: (found, recorded) =>
      new Promise((resolve) => {
        waiting.push(() => {
          inLedger.push(found.length);
          recorded(found.map(({ path }) => path));
          // Before its row is synced to the disk.
          settlingThen.push(watch.settling());
          resolve();
        });
      }),
  });
  await clock.advance(1_000);
  const all = Array.from({ length: 300 }, (_, number) => number);
  for (const number of all) touch(number);
  expect(watch.settling()).toBe(300);
  await clock.advance(1_000);
  for (const number of all) touch(number);
  expect(watch.settling()).toBe(300);
  await clock.advance(2 * QUIET_MS);
  expect(watch.settling()).toBe(300);
  waiting.shift()?.();
  await clock.advance(0);
  expect(inLedger).toEqual([256]);
  expect(watch.settling()).toBe(44);
  expect(watch.rested()).toBe(false);
  waiting.shift()?.();
  await clock.advance(0);
  expect(watch.settling()).toBe(0);
  expect(settlingThen).toEqual([44, 0]);
  await stop();
});

test('what the scan of a share has not looked at does not count as new', async () => {
  const settlingThen: number[] = [];
  const { clock, watch, stop } = createScene({
    files: {
      isRemote: () => Promise.resolve(true),
      list: () => Promise.resolve({ ok: true, value: [{ name: '1.jpg', type: 'file' }] }),
      stat: () => {
        settlingThen.push(watch.settling());
        return Promise.resolve([fail('item.gone')]);
      },
    },
  });
  await clock.advance(1_000);
  await stop();
  expect(settlingThen).toEqual([0]);
});

test('a directory that is not there is looked for now and then, also when a scan is asked for', async () => {
  let looks = 0;
  let isThere = false;
  const { clock, watch, stop } = createScene({
    isThere: () => {
      looks += 1;
      return isThere;
    },
  });
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  watch.scanNow();
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  expect(looks).toBeGreaterThan(15);
  expect(looks).toBeLessThan(25);
  expect(watch.condition()).toBe('missing');
  isThere = true;
  await clock.advance(WATCH_TIMES.rootCheckMs);
  expect(watch.scannedOnce()).toBe(true);
  await stop();
});

test('a directory that is there again is not at rest before its scan has ended', async () => {
  let isThere = true;
  let listed = Promise.resolve();
  const { clock, watch, stop } = createScene({
    isThere: () => isThere,
    files: { list: () => listed.then(() => ok([])) },
  });
  await clock.advance(WATCH_TIMES.rootCheckMs);
  expect(watch.rested()).toBe(true);
  isThere = false;
  await clock.advance(WATCH_TIMES.rootCheckMs);
  expect(watch.condition()).toBe('missing');
  isThere = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  listed = promise;
  await clock.advance(WATCH_TIMES.rootCheckMs);
  expect(watch.condition()).toBe('scanning');
  expect(watch.rested()).toBe(false);
  resolve();
  await clock.advance(WATCH_TIMES.rootCheckMs);
  expect(watch.rested()).toBe(true);
  await stop();
});

test('what is mounted below the directory is listened to, once', async () => {
  let mounts: string | null = '';
  const { clock, listened, stop } = createScene({ mounts: () => mounts });
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  expect(listened()).toBe(1);
  mounts = '7 /watched/card';
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  expect(listened()).toBe(2);
  // The system does not always say.
  mounts = null;
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  mounts = '7 /watched/card';
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  expect(listened()).toBe(2);
  await stop();
});

test('a file settles while volumes below the directory come and go', async () => {
  let changes = 0;
  const { clock, identified, touch, stop } = createScene({
    mounts: () => `${(changes += 1)} /watched/card`,
  });
  await clock.advance(1_000);
  touch(1);
  await clock.advance(10 * WATCH_TIMES.rootCheckMs);
  expect(changes).toBeGreaterThan(5);
  expect([...identified]).toEqual([1]);
  await stop();
});
