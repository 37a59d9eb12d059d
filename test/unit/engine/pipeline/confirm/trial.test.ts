/** The file that is sent a second time, to see whether a storage alters files or another computer replaced them. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  altersContent,
  endTrial,
  noteTrial,
  trialOf,
  type TrialSight,
  trustsNames,
  verdictOf,
} from '../../../../../main/engine/pipeline/presence/alteredContent.ts';
import { ODD_BATCH_MS } from '../../../../../main/engine/core/limits.ts';
import { ok } from '../../../../../main/engine/core/errors.ts';
import type { Pipeline } from '../../../../../main/engine/pipeline/context.ts';
import { nameKey } from '../../../../../main/engine/files/names/safeNames.ts';
import { pollStateOf } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { uniqueName } from '../../../../../main/engine/pipeline/plan/names.ts';
import { judgeReplaced, sendTrial } from '../../../../../main/engine/pipeline/confirm/replaced.ts';
import type { ListingOutcome } from '../../../../../main/engine/pipeline/confirm/readListing.ts';
import { settleMissing } from '../../../../../main/engine/pipeline/confirm/settleMissing.ts';
import { settle } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import { createTrialLook } from '../../../../../main/engine/pipeline/confirm/trialLook.ts';
import { tallyBatch } from '../../../../../main/engine/store/queue/confirmation.ts';
import { type ListedItem, unassign } from '../../../../../main/engine/store/queue/awaited.ts';
import {
  batchByRow,
  markShared,
  sealBatch,
} from '../../../../../main/engine/store/tables/batches.ts';
import { itemById, itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import {
  beginSending,
  markSent,
  markUnknown,
  recoverSending,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger, identified } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const { fingerprint } = identified('2.jpg');
/** The first name of a file `2.jpg` that only its content can have. */
const UNIQUE = uniqueName({ path: '2.jpg', relativePath: '2.jpg', fingerprint }) ?? '';

/** A batch with three sent images, one of them smaller, which is its trial; `named`: the name under which that one was sent. */
function withTrial(proof: ListedItem['proof'] = null, named = '2.jpg') {
  const ledger = createTestLedger();
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const batch = ledger.batch({ mode: 'single' });
  const sentAt = pipeline.time.now();
  const replaced = ['1.jpg', '2.jpg', '3.jpg'].map((name): ListedItem => {
    const {
      id,
      itemIds: [itemId = 0],
    } = ledger.transfer(batch, [name]);
    ledger.sent(id, sentAt, proof);
    return { itemId, transferId: id, state: 'sent', proof, sentAt, lastByteAt: sentAt };
  });
  const itemIds = replaced.map(({ itemId }) => itemId);
  const [, second = 0] = itemIds;
  const smaller = 'UPDATE items SET size_bytes = 10, name = ?1, name_key = ?1 WHERE id = ?2';
  store.run(smaller, named, second);
  noteTrial(pipeline, batch, { itemId: null });
  sealBatch(store, batch.id, 1);
  const poll = pollStateOf(new Map(), pipeline, batch.id);
  const shown = (only: readonly number[]) =>
    replaced.flatMap((item): readonly ListedItem[] => {
      const { state = item.state, transferId = null } = itemById(store, item.itemId) ?? {};
      return only.includes(item.itemId) ? [{ ...item, state, transferId }] : [];
    });
  const lookAt = (listedAt: number, only: readonly number[] = itemIds) => {
    const items = shown(only);
    const facts = { batch, poll, listedAt, listing: { newestListedAt: null } };
    const resent = sendTrial(pipeline, facts, items);
    poll.absent = new Set(items.map(({ transferId }) => transferId ?? 0));
    return resent;
  };
  /** What a list shows in which these files have other content. */
  const outcomeOf = (shownFiles: readonly ListedItem[], listedAt = 1): ListingOutcome => {
    const figures = { count: 3, shards: [], indexing: 0 };
    const comparing = {
      bareNames: true,
      doubted: false,
      confirmed: false,
      depth: 'bytes',
    } as const;
    return {
      batch: batchByRow(store, batch.id) ?? batch,
      poll,
      figures,
      surplus: false,
      listedAt,
      tally: tallyBatch(store, batch.id),
      comparing: { ...comparing, trial: null, altered: false },
      listing: {
        names: 3,
        foreign: 0,
        confirmed: [],
        replaced: shownFiles,
        unchecked: [],
        newestListedAt: null,
        shardIdsOf: new Map(),
        lost: [],
        unsent: new Set(),
        comparedMs: 0,
        sight: null,
      },
    };
  };
  /** Which of the files a list that shows nothing else makes wait for a trial. */
  const suspects = (): readonly number[] =>
    judgeReplaced(pipeline, outcomeOf(shown(itemIds))).suspect.map(({ itemId }) => itemId);
  /** Two lists, a day apart, do not show this transfer. */
  const lostInList = (transferId: number): void => {
    poll.absent = new Set([transferId]);
    settleMissing(pipeline, outcomeOf([], sentAt + DAY_MS), true);
  };
  // The first list proves nothing.
  expect(lookAt(sentAt + 1).count).toBe(0);
  expect(lookAt(sentAt + DAY_MS).count).toBe(1);
  const verdict = (sight: TrialSight | null, others = 1, afterMs = DAY_MS) =>
    verdictOf(pipeline, batch, second, { sight, others, listedAt: sentAt + afterMs });
  /** The trial leaves. */
  const begin = (): number => {
    const id = itemById(store, second)?.transferId ?? 0;
    beginSending(store, [id], 1);
    return id;
  };
  /** The trial is sent; returns when. */
  const send = (): number => {
    const at = pipeline.time.now();
    markSent(store, [{ id: begin(), hashes: [], proof: null }], at, 1);
    return at;
  };
  /** The file of this trial, which is being sent, reads differently, or not at all. */
  const change = (trial: number, code: 'item.changed' | 'item.gone' = 'item.changed'): void => {
    const transfer = ledger.stored(itemById(store, trial)?.transferId ?? 0);
    beginSending(store, [transfer.id], 1);
    const items = itemsOfTransfer(store, transfer.id);
    settle(
      { pipeline, transfer, batch, items },
      { kind: 'changed', members: [{ index: 0, code }] },
    );
  };
  return {
    change,
    ledger,
    store,
    pipeline,
    batch,
    itemIds,
    second,
    verdict,
    begin,
    send,
    lookAt,
    sentAt,
    suspects,
    lostInList,
  };
}

test.each([null, 'verify'] as const)(
  'is the smallest, and goes to the same batch, though closed, under a name that only its content can have: %s',
  (proof) => {
    const { store, pipeline, batch, itemIds, second } = withTrial(proof);
    expect(trialOf(pipeline, batch.id)).toEqual({ itemId: second });
    const states = itemIds.map((id) => itemById(store, id)?.state);
    expect(states).toEqual(['sent', 'planned', 'sent']);
    const trial = itemById(store, second);
    expect(trial?.batchRow).toBe(batch.id);
    expect(trial?.name).toMatch(/^2~[\da-f]{8}\.jpg$/);
  },
);

test('is one file of a doubtful archive, whose other files are not sent again', () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const batch = ledger.batch();
  const { id, itemIds } = ledger.transfer(batch, ['1.jpg', '2.jpg', '3.jpg']);
  beginSending(store, [id], 1);
  markUnknown(store, id, { lastByteAt: 1, askAt: 0 }, 1);
  const poll = { ...pollStateOf(new Map(), pipeline, batch.id), absent: new Set([id]) };
  const listedAt = pipeline.time.now() + DAY_MS;
  const facts = { batch, poll, listedAt, listing: { newestListedAt: null } };
  const doubtful = itemIds.map((itemId): ListedItem => {
    return { itemId, transferId: id, state: 'unknown', proof: null, sentAt: null, lastByteAt: 1 };
  });
  expect(sendTrial(pipeline, facts, doubtful).count).toBe(1);
  const states = itemIds.map((itemId) => itemById(store, itemId)?.state);
  expect(states).toEqual(['planned', 'unknown', 'unknown']);
  expect(ledger.stored(id).state).toBe('unknown');
});

test('is another file if its own changed meanwhile, whose earlier name stays ours', () => {
  const { store, pipeline, batch, itemIds, second, lookAt, sentAt, suspects, change } = withTrial();
  change(second);
  expect(itemById(store, second)).toMatchObject({ state: 'unknown', name: '2.jpg' });
  const [first = 0, , third = 0] = itemIds;
  expect(suspects()).toEqual([first, third]);
  for (const next of [first, third]) {
    lookAt(sentAt + DAY_MS, suspects());
    expect(trialOf(pipeline, batch.id)).toEqual({ itemId: next });
    change(next);
  }
  // None of them can be sent any more: what their names list is another computer's, as far as can be known.
  expect(suspects()).toEqual([]);
  expect(trialOf(pipeline, batch.id)).toEqual({ itemId: null });
});

test('is another file if its own is gone, and that one again after a pause once no other is left', () => {
  const { ledger, store, pipeline, batch, itemIds, second, lookAt, sentAt, suspects, change } =
    withTrial();
  const [first = 0, , third = 0] = itemIds;
  change(second, 'item.gone');
  for (const next of [first, third]) {
    lookAt(sentAt + DAY_MS, suspects());
    expect(trialOf(pipeline, batch.id)).toEqual({ itemId: next });
    change(next);
  }
  expect(suspects()).toEqual([second]);
  lookAt(sentAt + DAY_MS, suspects());
  lookAt(sentAt + 2 * DAY_MS, suspects());
  expect(trialOf(pipeline, batch.id)).toEqual({ itemId: second });
  const again = ledger.stored(itemById(store, second)?.transferId ?? 0);
  expect(again.retryAt).toBeGreaterThan(pipeline.time.now());
  // Within the hour its directory may come back.
  change(second, 'item.gone');
  expect(suspects()).toEqual([second]);
  lookAt(sentAt + 3 * DAY_MS, suspects());
  lookAt(sentAt + 4 * DAY_MS, suspects());
  const last = itemById(store, second)?.transferId ?? 0;
  store.run('UPDATE transfers SET failing_since = ? WHERE id = ?', sentAt - ODD_BATCH_MS, last);
  change(second, 'item.gone');
  expect(suspects()).toEqual([]);
});

test('is not tried for more than an hour while its file is gone, also if the clock was set back', () => {
  const { ledger, store, pipeline, second, change } = withTrial();
  const id = itemById(store, second)?.transferId ?? 0;
  const now = pipeline.time.now();
  store.run('UPDATE transfers SET failing_since = ? WHERE id = ?', now + DAY_MS, id);
  change(second, 'item.gone');
  expect(ledger.stored(id).failingSince).toBe(now);
});

test('goes to its closed batch again if it is lost on its way, because no other batch shows anything', () => {
  const { ledger, store, batch, second, begin, verdict, lostInList } = withTrial();
  markShared(store, batch);
  const id = begin();
  markUnknown(store, id, { lastByteAt: 1, askAt: 0 }, 1);
  const { name } = itemById(store, second) ?? {};
  lostInList(id);
  expect(ledger.stored(id)).toMatchObject({ state: 'planned', batchRow: batch.id });
  expect(itemById(store, second)).toMatchObject({ state: 'planned', name, batchRow: batch.id });
  expect(verdict(null)).toBeNull();
});

test('shows nothing until it is compared', () => {
  const { verdict } = withTrial();
  const sights = [null, 'intact', 'altered', 'shared', 'replaced'] as const;
  const verdicts = [null, 'intact', 'altered', 'mixed', 'mixed'];
  expect(sights.map((sight) => verdict(sight))).toEqual(verdicts);
  // Where others write, too, what differs may be theirs.
  expect(verdict('altered', 2)).toBe('mixed');
});

test('shows no alteration while another computer with the same names may still send a trial of its own', () => {
  const { verdict, send } = withTrial();
  send();
  expect(verdict('altered', 1, 60_000)).toBeNull();
  expect(verdict('altered', 2, 60_000)).toBe('mixed');
  expect(verdict('altered', 1, 5 * 60_000)).toBe('altered');
});

test('shows no other computer while its earlier name may only be missing in a list that flickers', () => {
  const { verdict, send } = withTrial();
  send();
  expect(verdict('missing', 1, 5 * 60_000)).toBeNull();
  expect(verdict('replaced', 1, 5 * 60_000)).toBe('mixed');
  expect(verdict('missing', 1, DAY_MS)).toBe('mixed');
});

test('shows another computer after an hour without its earlier name, even if no run takes that long', () => {
  const { store, pipeline, verdict, send } = withTrial();
  const { connectionId } = pipeline;
  recoverSending(store, connectionId, { now: send() + DAY_MS, laterMs: null }, 1);
  expect(verdict('altered', 1, DAY_MS)).toBeNull();
  expect(verdict('missing', 1, DAY_MS)).toBe('mixed');
});

test('shows in a list without its earlier name only that this is missing', async () => {
  const { store, pipeline, second } = withTrial();
  const key = nameKey(itemById(store, second)?.name ?? '');
  const times = { sentAt: 1, lastByteAt: 1 };
  const item = { ...times, itemId: second, transferId: 1, state: 'sent', proof: null } as const;
  const look = createTrialLook(pipeline, second);
  look.note(
    new Map([[key, [listedFile(key)]]]),
    [[key, item]],
    new Map([[second, { kind: 'different' }]]),
  );
  expect(await look.result()).toBe('missing');
});

test.each([
  ['3.jpg', '2.jpg', 'altered'],
  ['3.Jpg', '2.jpg', 'shared'],
  // It had a name already that only its content can have, and gets another one.
  ['3.jpg', UNIQUE, 'altered'],
] as const)(
  'shows whether the storage alters files, and with %s and %s in the list that it does as %s',
  async (listed, named, sight) => {
    const { store, pipeline, itemIds, second } = withTrial(null, named);
    const body = () => Object.assign(Readable.from([]), { dispose: () => undefined });
    const answer = { kind: 'answer', status: 200, headers: {} } as const;
    Object.assign(pipeline.client, {
      describeSigned: () => Promise.resolve(ok({ status: 200, lengthBytes: 0, headers: {} })),
      getSigned: () => Promise.resolve(ok({ ...answer, body: body() })),
    } satisfies Partial<Pipeline['client']>);
    const names = [itemById(store, second)?.name ?? '', named, listed];
    expect(names[0]).toMatch(/^2~[\da-f]{8}\.jpg$/);
    expect(names[0]).not.toBe(named);
    const byKey = new Map(names.map((name) => [nameKey(name), [listedFile(name)]]));
    const item = { transferId: 1, state: 'sent', proof: null, sentAt: 1, lastByteAt: 1 } as const;
    const [, , third = 0] = itemIds;
    const look = createTrialLook(pipeline, second);
    const items = [
      [nameKey(names[0] ?? ''), { ...item, itemId: second }],
      ['3.jpg', { ...item, itemId: third }],
    ] as const;
    look.note(byKey, items, new Map([[second, { kind: 'different' }]]));
    expect(await look.result()).toBe(sight);
  },
);

test('shows no alteration if its answer was lost, while another computer may still send one', () => {
  const { store, pipeline, verdict, begin } = withTrial();
  markUnknown(store, begin(), { lastByteAt: pipeline.time.now(), askAt: 0 }, 1);
  expect(verdict('altered', 1, 60_000)).toBeNull();
  expect(verdict('altered', 1, 5 * 60_000)).toBe('altered');
});

test('shows nothing once it has left the batch, but may be planned again', () => {
  const { store, second, verdict } = withTrial();
  unassign(store, second);
  expect(verdict(null)).toBeNull();
  moveItem(store, second, 'parked', 1, { code: 'upload.unproven', detail: null });
  expect(verdict(null)).toBe('failed');
});

test.each([
  ['altered', true],
  ['mixed', true],
  ['intact', false],
  ['failed', false],
] as const)(
  'ends as %s: the batch is shared, and files of this kind are altered: %s',
  (verdict, isAltered) => {
    const { store, pipeline, batch } = withTrial();
    endTrial(pipeline, batch, verdict);
    expect(trialOf(pipeline, batch.id)).toBeNull();
    const shared = { ...batch, isExclusive: false };
    expect(batchByRow(store, batch.id)?.isExclusive).toBe(false);
    // Elsewhere, another computer may have put its files in the place of ours.
    const others = { ...shared, id: batch.id + 1 };
    const trusted = [shared, others].map((one) => trustsNames(pipeline, one, false));
    expect(trusted).toEqual([verdict === 'altered', false]);
    expect(altersContent(pipeline, { kind: 'image' })).toBe(isAltered);
    expect(altersContent(pipeline, { kind: 'video' })).toBe(false);
  },
);
