import { describe, expect, test } from 'vitest';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../../../preload/contract/watchRule.ts';
import {
  closeBatches,
  type ClosingMemory,
  closingOf,
} from '../../../../../main/engine/pipeline/plan/closing.ts';
import type { Clock } from '../../../../../main/engine/core/ports.ts';
import type { OpenBatch } from '../../../../../main/engine/store/queue/closing.ts';
import { addWatch, assignBase } from '../../../../../main/engine/store/tables/watches.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import {
  type Batch,
  batchByRow,
  sealBatch,
} from '../../../../../main/engine/store/tables/batches.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

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

const QUIET = rule({ quietMinutes: 10 });
const EVENING = rule({ at: '18:00' });
const DAILY = rule({}, 'line-{date}');

const CASES: readonly Case[] = [
  { says: 'by hand only', rule: rule({}), now: NOON + 1000 * HOUR, reason: null },
  { says: 'quiet for long enough', rule: QUIET, now: NOON + 10 * MINUTE, reason: 'quiet' },
  { says: 'not quiet for long enough', rule: QUIET, now: NOON + 10 * MINUTE - 1, reason: null },
  {
    says: 'quiet, but a file is still being written',
    rule: QUIET,
    now: NOON + HOUR,
    settling: 1,
    reason: null,
  },
  {
    says: 'quiet, but something waits for its place',
    rule: QUIET,
    batch: { waiting: true },
    now: NOON + HOUR,
    reason: null,
  },
  { says: 'one item short', rule: rule({ items: 11 }), now: NOON, reason: null },
  { says: 'full', rule: rule({ items: 10 }), now: NOON, settling: 5, reason: 'full' },
  { says: 'before the time of day', rule: EVENING, now: at(10, 17, 59), reason: null },
  { says: 'at the time of day', rule: EVENING, now: at(10, 18), reason: 'time' },
  {
    says: 'at the time of day with files on their way, which go to the next batch',
    rule: EVENING,
    batch: { waiting: true },
    settling: 3,
    now: at(10, 18),
    reason: 'time',
  },
  {
    says: 'the computer slept through the time of day',
    rule: EVENING,
    now: at(11, 9),
    reason: 'time',
  },
  {
    says: 'begun after the time of day, on the next morning',
    rule: EVENING,
    batch: { createdAt: at(10, 18, 1) },
    now: at(11, 9),
    reason: null,
  },
  { says: 'the batch of a day, soon after midnight', rule: DAILY, now: at(11, 0, 9), reason: null },
  {
    says: 'the batch of a day, when its late files are in',
    rule: DAILY,
    now: at(11, 0, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day while one of its files waits',
    rule: DAILY,
    batch: { waiting: true, late: true },
    now: at(11, 3),
    reason: null,
  },
  {
    says: 'the batch of a day while files of the next day wait and settle without a pause',
    rule: DAILY,
    batch: { waiting: true },
    settling: 5,
    now: at(11, 0, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day that could be opened only on the next morning',
    rule: DAILY,
    batch: { createdAt: at(11, 8) },
    newestFoundAt: at(10, 23, 59),
    now: at(11, 8, 10),
    reason: 'day',
  },
  {
    says: 'the batch of a day, whose last files just came into it',
    rule: DAILY,
    quietForMs: 10 * MINUTE - 1,
    now: at(11, 8),
    reason: null,
  },
  {
    says: 'by time of day, made while the clock was years ahead',
    rule: EVENING,
    batch: { createdAt: NOON + 10 * YEAR },
    now: NOON,
    reason: 'time',
  },
  {
    says: 'the batch of a day, made while the clock was years ahead',
    rule: DAILY,
    batch: { createdAt: NOON + 10 * YEAR },
    quietForMs: HOUR,
    now: NOON,
    reason: 'day',
  },
  {
    says: 'the batch of today',
    rule: DAILY,
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
    ['the rest of the quiet time', QUIET, {}, 9 * MINUTE],
    ['soon while a file still changes', QUIET, { settling: 1 }, 1000],
    ['the time of day', EVENING, {}, 6 * HOUR],
    ['the time of day tomorrow', rule({ at: '11:00' }), {}, 23 * HOUR],
    ['ten minutes after midnight', DAILY, {}, 12 * HOUR + 10 * MINUTE],
    ['the first of several', rule({ at: '18:00', quietMinutes: 10 }), {}, 9 * MINUTE],
  ] as const)('%s', (_, given, more, pause) => {
    const closing = closingOf(given, BATCH, { ...facts, ...more }, 1000);
    expect(closing).toEqual({ reason: null, againMs: pause });
  });
});

describe('in the ledger', () => {
  /** A watch with this rule, and what closes its batches. */
  function createScene(given: WatchRule, clock: Clock = createManualClock(NOON)) {
    const ledger = createTestLedger(NOON);
    const { store, connectionId } = ledger;
    const pipeline = createTestPipeline(ledger, { clock });
    const watch = store.transaction(() =>
      addWatch(store, connectionId, given, 'camera', false, NOON),
    );
    const memory: ClosingMemory = new Map();
    return {
      ledger,
      store,
      watch,
      close: () => closeBatches(pipeline, watch, 0, memory, 1000),
      batch: (batchId: string, watchId: number | null = watch.id) => {
        const batch = ledger.batch({ baseId: batchId, batchId });
        store.run('UPDATE batches SET watch_id = ? WHERE id = ?', watchId, batch.id);
        return batch;
      },
      state: ({ id }: Batch) => batchByRow(store, id)?.state,
    };
  }

  test('a numbered batch is closed once its number is used up and none of its files is queued', () => {
    const { ledger, store, close, state, ...scene } = createScene({
      ...rule({}, 'line-{n}'),
      itemsPerBatch: 3,
    });
    const batch = scene.batch('line-1');
    const closed = () => {
      close();
      return state(batch);
    };
    const give = (itemId: number): void => assignBase(store, itemId, 'line-1');
    expect(closed()).toBe('open');
    ledger.transfer(batch, ['a.jpg', 'b.jpg']).itemIds.forEach(give);
    expect(closed()).toBe('open');
    // A video or a duplicate takes a place, too.
    const last = ledger.item('c.mp4');
    give(last);
    expect(closed()).toBe('open');
    moveItem(store, last, 'skipped', NOON, { code: 'item.duplicate', detail: null });
    expect(closed()).toBe('sealed');
  });

  test('each open batch of the watch is closed for itself, and only once', () => {
    const clock = createManualClock(NOON);
    const { store, close, batch, state } = createScene(QUIET, clock);
    const mine = batch('mine');
    const foreign = batch('foreign', null);
    const byHand = batch('by-hand');
    store.transaction(() => sealBatch(store, byHand.id, NOON));
    expect(close()).toBe(10 * MINUTE);
    expect(state(mine)).toBe('open');
    clock.advance(10 * MINUTE);
    expect(close()).toBeNull();
    expect(state(mine)).toBe('sealed');
    expect(close()).toBeNull();
    expect(state(foreign)).toBe('open');
  });

  test('a wall clock that is set back or ahead neither holds a batch open nor closes it early', () => {
    const manual = createManualClock(NOON);
    let shift = 0;
    const clock = { ...manual, now: () => manual.now() + shift };
    const { ledger, watch, close, state, ...scene } = createScene(QUIET, clock);
    const batch = scene.batch('batch-1');
    ledger.transfer(batch, ['a.jpg']);
    expect(ledger.destinationId).not.toBe(watch.destinationId);
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
    expect(state(batch)).toBe('sealed');
  });
});
