/** A listing that proves more than one transaction takes. */
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../../../preload/contract/errors.ts';
import { IdSet } from '../../../../../main/engine/core/idSet.ts';
import { pollStateOf } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import type { ListingOutcome } from '../../../../../main/engine/pipeline/confirm/readListing.ts';
import { settleListing } from '../../../../../main/engine/pipeline/confirm/settleListing.ts';
import {
  type BatchTally,
  closeTransfers,
  tallyBatch,
} from '../../../../../main/engine/store/queue/confirmation.ts';
import { noteAbsence } from '../../../../../main/engine/store/queue/lost.ts';
import {
  beginSending,
  markDamaged,
  markUnknown,
  transferById,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { batchByRow } from '../../../../../main/engine/store/tables/batches.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import { confirmItems } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const FILES = 500;
const HOUR_MS = 3_600_000;
const ARCHIVES = 9;

/** A batch of archives that were sent and are listed completely. In the transaction of a number, it fails or a stop begins. */
function createScene({ failing, stopping }: { failing?: number; stopping?: number }) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch();
  let transactions = 0;
  /** What others see after each transaction. */
  const tallies: BatchTally[] = [];
  const soon: typeof store.soon = (work) => {
    transactions += 1;
    if (transactions === stopping) stopper.abort();
    if (transactions === failing) return Promise.reject(new Error('disk full'));
    return store.soon(work).finally(() => tallies.push(tallyBatch(store, batch.id)));
  };
  const reached: string[] = [];
  const stopper = new AbortController();
  const pipeline = {
    ...createTestPipeline({ ...ledger, store: { ...store, soon } }),
    reached: (family: string) => void reached.push(family),
    signal: stopper.signal,
  };
  const at = pipeline.time.now();
  const proof = 'checksum' as const;
  const groups = Array.from({ length: ARCHIVES }, (_, archive) => {
    const names = Array.from({ length: FILES }, (__, file) => `${archive}-${file}.jpg`);
    const { id, itemIds } = ledger.transfer(batch, names);
    ledger.sent(id, at, proof);
    const like = { transferId: id, state: 'sent', proof, sentAt: at, lastByteAt: at } as const;
    return {
      like: { ...like, itemId: itemIds[0] ?? 0 },
      itemIds: new IdSet(itemIds),
      proof: null,
    };
  });
  const count = FILES * ARCHIVES;
  const outcome: ListingOutcome = {
    batch,
    figures: { count, shards: [], indexing: 0 },
    tally: tallyBatch(store, batch.id),
    poll: pollStateOf(new Map(), pipeline, batch.id),
    listing: {
      names: count,
      foreign: 0,
      confirmed: groups,
      replaced: [],
      unchecked: [],
      newestListedAt: at,
      shardIdsOf: new Map(),
      lost: [],
      unsent: new Set(),
      comparedMs: 0,
      sight: null,
    },
    listedAt: at,
    surplus: false,
    comparing: {
      bareNames: false,
      doubted: true,
      confirmed: false,
      depth: 'samples',
      trial: null,
      altered: false,
    },
  };
  return {
    settle: () => settleListing(pipeline, outcome),
    /** Settles two lists, the second `afterMs` after the first, that show another computer's file in place of an earlier one of ours. */
    settleReplaced: async (afterMs: number) => {
      const { id, itemIds } = ledger.transfer(batch, ['earlier.jpg']);
      const [itemId = 0] = itemIds;
      ledger.sent(id, at, proof);
      confirmItems(store, itemIds, at);
      closeTransfers(store, batch.id, at);
      const item = { itemId, transferId: id, proof, sentAt: at, lastByteAt: at };
      const comparing = { ...outcome.comparing, bareNames: true };
      const settleAs = (state: 'confirmed' | 'sent', listedAt: number) => {
        const listing = { ...outcome.listing, foreign: 1, replaced: [{ ...item, state }] };
        return settleListing(pipeline, { ...outcome, comparing, listing, listedAt });
      };
      await settleAs('confirmed', at);
      await settleAs('sent', at + afterMs);
      return { item: itemById(store, itemId)?.state, transfer: transferById(store, id)?.state };
    },
    /** Settles a list without one file of an archive, and then one that shows another computer's file in place of its other file. */
    settleReplacedInPart: async () => {
      const { id, itemIds } = ledger.transfer(batch, ['earlier.jpg', 'missing.jpg']);
      const [itemId = 0] = itemIds;
      ledger.sent(id, at, proof);
      confirmItems(store, [itemId], at);
      await settleListing(pipeline, outcome);
      const item = { itemId, transferId: id, proof, sentAt: at, lastByteAt: at };
      const replaced = [{ ...item, state: 'confirmed' as const }];
      const comparing = { ...outcome.comparing, bareNames: true };
      const listing = { ...outcome.listing, foreign: 1, replaced };
      await settleListing(pipeline, { ...outcome, comparing, listing, listedAt: at + HOUR_MS });
      return itemById(store, itemId)?.state;
    },
    /** Settles a list that shows other content under the name of a doubtful file whose try ended with this answer. */
    settleTaken: async (code: ErrorCode, kind: 'image' | 'shard') => {
      const { id, itemIds } = ledger.transfer(
        { ...batch, mode: kind === 'image' ? 'single' : 'bulk' },
        ['taken.jpg'],
      );
      const [itemId = 0] = itemIds;
      beginSending(store, [id], at);
      markDamaged(store, id);
      markUnknown(store, id, { lastByteAt: at, askAt: 0 }, at);
      store.run('UPDATE transfers SET last_code = ? WHERE id = ?', code, id);
      const item = { itemId, transferId: id, sentAt: null, lastByteAt: at };
      const replaced = [{ ...item, state: 'unknown' as const, proof: 'verify' as const }];
      const comparing = { ...outcome.comparing, bareNames: true };
      const listing = { ...outcome.listing, replaced };
      await settleListing(pipeline, { ...outcome, comparing, listing });
      const isExclusive = batchByRow(store, batch.id)?.isExclusive;
      return {
        state: itemById(store, itemId)?.state,
        name: itemById(store, itemId)?.name,
        isExclusive,
      };
    },
    /** Settles a list after two archives counted as lost, the first of which it shows. Returns what is known of them. */
    settleLost: async (isComplete: boolean) => {
      const proved = at - 60;
      const lost = [ledger.transfer(batch, ['shown.jpg']), ledger.transfer(batch, ['absent.jpg'])];
      for (const { id } of lost) noteAbsence(store, id, proved);
      const unsent = new Set([lost[0]?.id ?? 0]);
      const names = isComplete ? count : count - 1;
      await settleListing(pipeline, {
        ...outcome,
        listing: { ...outcome.listing, names, unsent, lost: lost.map(({ id }) => id) },
      });
      return lost.map(({ id }) => {
        const { state, absentAt = null } = transferById(store, id) ?? {};
        return state === 'unknown' ? 'in doubt' : absentAt === at ? 'proved again' : 'as before';
      });
    },
    /** Settles a list that also shows an archive whose answer did not come from the service. */
    settleIntercepted: (code: ErrorCode) => {
      const { id, itemIds } = ledger.transfer(batch, ['doubtful.jpg']);
      const [itemId = 0] = itemIds;
      beginSending(store, [id], at);
      markUnknown(store, id, { lastByteAt: at, askAt: 0 }, at);
      store.run('UPDATE transfers SET last_code = ? WHERE id = ?', code, id);
      const sent = { transferId: id, proof, sentAt: at, lastByteAt: at };
      const like = { ...sent, itemId, state: 'unknown' as const };
      const doubtful = { like, itemIds: new IdSet(itemIds), proof: null };
      const listing = { ...outcome.listing, confirmed: [doubtful, ...groups] };
      return settleListing(pipeline, { ...outcome, listing });
    },
    reached,
    confirmed: () => tallyBatch(store, batch.id).confirmed,
    isClosed: () =>
      groups.every(({ like }) => transferById(store, like.transferId)?.state === 'confirmed'),
    tallies,
  };
}

test('is confirmed in several, and its archives are closed at the end', async () => {
  const { settle, confirmed, isClosed, tallies } = createScene({});
  expect(await settle()).toMatchObject({ changed: true, moved: false, isComplete: true });
  expect(confirmed()).toBe(FILES * ARCHIVES);
  expect(isClosed()).toBe(true);
  expect(tallies.length).toBeGreaterThan(2);
});

test('after a failure in between, what was confirmed stays, and the next listing settles the rest', async () => {
  const { settle, confirmed, isClosed } = createScene({ failing: 3 });
  await expect(settle()).rejects.toThrow('disk full');
  expect(confirmed()).toBeGreaterThan(0);
  expect(confirmed()).toBeLessThan(FILES * ARCHIVES);
  expect(isClosed()).toBe(false);
  expect(await settle()).toMatchObject({ changed: true });
  expect(confirmed()).toBe(FILES * ARCHIVES);
  expect(isClosed()).toBe(true);
});

test.each([
  ['network.intercepted', ['send']],
  ['service.busy', ['send']],
  ['service.noAnswer', []],
] as const)(
  'after a failure in between, it is still known whether bodies that had %s arrive',
  async (code, expected) => {
    const { settleIntercepted, reached } = createScene({ failing: 3 });
    await expect(settleIntercepted(code)).rejects.toThrow('disk full');
    expect(reached).toEqual(expected);
  },
);

test('a batch never looks complete before a file that was replaced goes again', async () => {
  const { settleReplaced, tallies } = createScene({});
  expect(await settleReplaced(HOUR_MS)).toEqual({ item: 'queued', transfer: 'confirmed' });
  const complete = tallies.filter(({ sent }) => sent === 0);
  expect(complete.map(({ confirmed }) => confirmed)).toEqual([FILES * ARCHIVES]);
});

test('a list that lags behind, and shows the file of another computer where ours was listed, queues nothing', async () => {
  const { settleReplaced } = createScene({});
  expect(await settleReplaced(2_000)).toEqual({ item: 'sent', transfer: 'sent' });
});

test('that a file was missing proves nothing about the others of its archive', async () => {
  const { settleReplacedInPart } = createScene({});
  expect(await settleReplacedInPart()).toBe('sent');
});

test.each([
  // The service said that it did not take it.
  [
    'service.refused',
    'image',
    { state: 'planned', name: 'taken~3f6dbc0d.jpg', isExclusive: false },
  ],
  // An archive has an address of its own: what is there came from an earlier try, and all of its files may be on their way.
  ['service.refused', 'shard', { state: 'unknown', name: 'taken.jpg' }],
  ['network.timeout', 'image', { state: 'unknown', name: 'taken.jpg' }],
] as const)(
  'where the list shows other content under its name, a file whose try ended with %s (%s) gets another name at once, or waits',
  async (code, kind, expected) => {
    const { settleTaken } = createScene({});
    expect(await settleTaken(code, kind)).toMatchObject(expected);
  },
);

test.each([
  ['complete', true, 'proved again'],
  ['incomplete', false, 'as before'],
] as const)(
  'what counted as lost is in doubt when a list shows it; the absence of the rest (%s list)',
  async (_, isComplete, rest) => {
    const { settleLost } = createScene({});
    expect(await settleLost(isComplete)).toEqual(['in doubt', rest]);
  },
);

test('a stop does not wait for all of it', async () => {
  const { settle, confirmed, isClosed, tallies } = createScene({ stopping: 2 });
  expect(await settle()).toMatchObject({ changed: true });
  expect(tallies).toHaveLength(2);
  expect(confirmed()).toBeGreaterThan(0);
  expect(confirmed()).toBeLessThan(FILES * ARCHIVES);
  expect(isClosed()).toBe(false);
});
