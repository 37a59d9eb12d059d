import { describe, expect, test } from 'vitest';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../../../preload/contract/watchRule.ts';
import {
  closeBatches,
  type ClosingMemory,
  closingOf,
} from '../../../../../main/engine/pipeline/plan/closing.ts';
import type { OpenBatch } from '../../../../../main/engine/store/queue/closing.ts';
import { addWatch, assignBase } from '../../../../../main/engine/store/tables/watches.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import {
  addBatch,
  batchByRow,
  newestGeneration,
  sealBatch,
} from '../../../../../main/engine/store/tables/batches.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A point in local time. */
function at(day: number, hours: number, minutes = 0): number {
  return new Date(2026, 10, day, hours, minutes).getTime();
}

function rule(given: Partial<WatchRule['seal']>, batch = 'line'): WatchRule {
  const standard = standardRule('/in', 'line');
  return { ...standard, batch, seal: { ...standard.seal, ...given } };
}

const NOON = at(10, 12);
const BATCH: OpenBatch = {
  id: 1,
  batchId: 'line',
  createdAt: NOON,
  waiting: false,
  late: false,
  newestTransfer: 1,
};

interface Case {
  readonly says: string;
  readonly rule: WatchRule;
  readonly batch?: Partial<OpenBatch>;
  readonly now: number;
  readonly settling?: number;
  readonly newestFoundAt?: number;
  readonly quietForMs?: number;
  readonly reason: ReturnType<typeof closingOf>['reason'];
}

const CASES: readonly Case[] = [
  { says: 'by hand only', rule: rule({}), now: NOON + 1000 * HOUR, reason: null },
  {
    says: 'quiet for long enough',
    rule: rule({ quietMinutes: 10 }),
    now: NOON + 10 * MINUTE,
    reason: 'quiet',
  },
  {
    says: 'not quiet for long enough',
    rule: rule({ quietMinutes: 10 }),
    now: NOON + 10 * MINUTE - 1,
    reason: null,
  },
  {
    says: 'quiet, but a file is still being written',
    rule: rule({ quietMinutes: 10 }),
    now: NOON + HOUR,
    settling: 1,
    reason: null,
  },
  {
    says: 'quiet, but something waits for its place',
    rule: rule({ quietMinutes: 10 }),
    batch: { waiting: true },
    now: NOON + HOUR,
    reason: null,
  },
  { says: 'one item short', rule: rule({ items: 11 }), now: NOON, reason: null },
  { says: 'full', rule: rule({ items: 10 }), now: NOON, settling: 5, reason: 'full' },
  {
    says: 'before the time of day',
    rule: rule({ at: '18:00' }),
    now: at(10, 17, 59),
    reason: null,
  },
  { says: 'at the time of day', rule: rule({ at: '18:00' }), now: at(10, 18), reason: 'time' },
  {
    says: 'at the time of day with files on their way, which go to the next batch',
    rule: rule({ at: '18:00' }),
    batch: { waiting: true },
    settling: 3,
    now: at(10, 18),
    reason: 'time',
  },
  {
    says: 'the computer slept through the time of day',
    rule: rule({ at: '18:00' }),
    now: at(11, 9),
    reason: 'time',
  },
  {
    says: 'begun after the time of day, on the next morning',
    rule: rule({ at: '18:00' }),
    batch: { createdAt: at(10, 18, 1) },
    now: at(11, 9),
    reason: null,
  },
  {
    says: 'the batch of a day, soon after midnight',
    rule: rule({}, 'line-{date}'),
    now: at(11, 0, 9),
    reason: null,
  },
  {
    says: 'the batch of a day, when its late files are in',
    rule: rule({}, 'line-{date}'),
    now: at(11, 0, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day while one of its files waits',
    rule: rule({}, 'line-{date}'),
    batch: { waiting: true, late: true },
    now: at(11, 3),
    reason: null,
  },
  {
    says: 'the batch of a day while files of the next day wait and settle without a pause',
    rule: rule({}, 'line-{date}'),
    batch: { waiting: true },
    settling: 5,
    now: at(11, 0, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day that could be opened only on the next morning',
    rule: rule({}, 'line-{date}'),
    batch: { createdAt: at(11, 8) },
    newestFoundAt: at(10, 23, 59),
    now: at(11, 8, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day, whose last files just came into it',
    rule: rule({}, 'line-{date}'),
    quietForMs: 10 * MINUTE - 1,
    now: at(11, 8),
    reason: null,
  },
  {
    says: 'by time of day, made while the clock was years ahead',
    rule: rule({ at: '18:00' }),
    batch: { createdAt: NOON + 10 * 365 * 24 * HOUR },
    now: NOON,
    reason: 'time',
  },
  {
    says: 'the batch of a day, made while the clock was years ahead',
    rule: rule({}, 'line-{date}'),
    batch: { createdAt: NOON + 10 * 365 * 24 * HOUR },
    quietForMs: HOUR,
    now: NOON,
    reason: 'day',
  },
  {
    says: 'the batch of today',
    rule: rule({}, 'line-{date}'),
    batch: { createdAt: at(11, 0, 1) },
    now: at(11, 23),
    reason: null,
  },
  {
    says: 'whichever comes first',
    rule: rule({ quietMinutes: 60, items: 10, at: '18:00' }),
    now: NOON + MINUTE,
    reason: 'full',
  },
];

test.each(CASES)('$says', ({ rule: given, batch, now, settling = 0, reason, ...more }) => {
  const open = { ...BATCH, ...batch };
  const { quietForMs = now - open.createdAt, newestFoundAt = null } = more;
  const facts = { items: 10, settling, now, quietForMs, newestFoundAt };
  expect(closingOf(given, open, facts, 1000).reason).toBe(reason);
});

describe('the next look', () => {
  const facts = { items: 10, settling: 0, now: NOON, quietForMs: MINUTE, newestFoundAt: null };
  test.each([
    ['nothing that time could close', rule({ items: 100 }), {}, null],
    ['the rest of the quiet time', rule({ quietMinutes: 10 }), {}, 9 * MINUTE],
    ['soon while a file still changes', rule({ quietMinutes: 10 }), { settling: 1 }, 1000],
    ['the time of day', rule({ at: '18:00' }), {}, 6 * HOUR],
    ['the time of day tomorrow', rule({ at: '11:00' }), {}, 23 * HOUR],
    ['ten minutes after midnight', rule({}, 'line-{date}'), {}, 12 * HOUR + 10 * MINUTE],
    ['the first of several', rule({ at: '18:00', quietMinutes: 10 }), {}, 9 * MINUTE],
  ] as const)('%s', (_, given, more, pause) => {
    const closing = closingOf(given, BATCH, { ...facts, ...more }, 1000);
    expect(closing).toEqual({ reason: null, againMs: pause });
  });
});

describe('in the ledger', () => {
  test('a numbered batch is closed once its number is used up and none of its files is queued', () => {
    const ledger = createTestLedger(NOON);
    const { store, connectionId } = ledger;
    const pipeline = createTestPipeline(ledger, { clock: createManualClock(NOON) });
    const numbered = { ...rule({}, 'line-{n}'), itemsPerBatch: 3 };
    const watch = store.transaction(() =>
      addWatch(store, connectionId, numbered, 'camera', false, NOON),
    );
    const batch = ledger.batch({ baseId: 'line-1', batchId: 'line-1' });
    store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watch.id, batch.id);
    const close = (): string | undefined => {
      closeBatches(pipeline, watch, 0, new Map(), 1000);
      return batchByRow(store, batch.id)?.state;
    };
    const give = (itemId: number): void => assignBase(store, itemId, 'line-1');
    expect(close()).toBe('open');
    ledger.transfer(batch, ['a.jpg', 'b.jpg']).itemIds.forEach(give);
    expect(close()).toBe('open');
    // A video or a duplicate takes a place, too.
    const last = ledger.item('c.mp4');
    give(last);
    expect(close()).toBe('open');
    moveItem(store, last, 'skipped', NOON, { code: 'item.duplicate', detail: null });
    expect(close()).toBe('sealed');
  });

  test('each open batch of the watch is closed for itself, and only once', () => {
    const clock = createManualClock(NOON);
    const ledger = createTestLedger(NOON);
    const { store, connectionId } = ledger;
    const pipeline = createTestPipeline(ledger, { clock });
    const watch = store.transaction(() =>
      addWatch(store, connectionId, rule({ quietMinutes: 10 }), 'camera', false, NOON),
    );
    const make = (batchId: string, watchId: number | null): number =>
      addBatch(
        store,
        {
          connectionId,
          baseId: batchId,
          generation: 1,
          batchId,
          displayName: null,
          kind: 'image',
          mode: 'bulk',
          isExclusive: true,
        },
        watchId,
        NOON,
      ).id;
    make('mine', watch.id);
    make('foreign', null);
    const byHand = make('by-hand', watch.id);
    store.transaction(() => sealBatch(store, byHand, NOON));
    const memory: ClosingMemory = new Map();
    const close = (): ReturnType<typeof closeBatches> =>
      closeBatches(pipeline, watch, 0, memory, 1000);
    const mine = (): unknown => newestGeneration(store, connectionId, 'mine')?.state;
    expect(close()).toBe(10 * MINUTE);
    expect(mine()).toBe('open');
    clock.advance(10 * MINUTE);
    expect(close()).toBeNull();
    expect(mine()).toBe('sealed');
    expect(close()).toBeNull();
    expect(newestGeneration(store, connectionId, 'foreign')?.state).toBe('open');
  });

  test('a wall clock that is set back or ahead neither holds a batch open nor closes it early', () => {
    const manual = createManualClock(NOON);
    let shift = 0;
    const clock = { ...manual, now: () => manual.now() + shift };
    const ledger = createTestLedger(NOON);
    const { store, connectionId, destinationId } = ledger;
    const pipeline = createTestPipeline(ledger, { clock });
    const watch = store.transaction(() =>
      addWatch(store, connectionId, rule({ quietMinutes: 10 }), 'camera', false, NOON),
    );
    const batch = ledger.batch();
    store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watch.id, batch.id);
    ledger.transfer(batch, ['a.jpg']);
    expect(destinationId).not.toBe(watch.destinationId);
    const memory: ClosingMemory = new Map();
    const close = (): ReturnType<typeof closeBatches> =>
      closeBatches(pipeline, watch, 0, memory, 1000);
    expect(close()).toBe(10 * MINUTE);
    shift = 8 * 24 * HOUR;
    manual.advance(MINUTE);
    expect(close()).toBe(9 * MINUTE);
    shift = -8 * 24 * HOUR;
    // A new file restarts the quiet time, whatever the wall clock says.
    ledger.transfer(batch, ['b.jpg']);
    expect(close()).toBe(10 * MINUTE);
    manual.advance(10 * MINUTE);
    expect(close()).toBeNull();
    expect(batchByRow(store, batch.id)?.state).toBe('sealed');
  });
});
