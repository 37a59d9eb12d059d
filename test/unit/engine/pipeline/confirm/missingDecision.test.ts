/** What happens to a transfer of which the service does not list everything. */
import { describe, expect, test } from 'vitest';
import {
  decideMissing,
  type ListingFacts,
  statedAbout,
} from '../../../../../main/engine/pipeline/confirm/missingDecision.ts';
import type { ShardDetails } from '../../../../../main/engine/core/model.ts';
import type { AwaitedTransfer } from '../../../../../main/engine/store/queue/awaited.ts';

const NOW = 1_000_000;
const TIMES: ListingFacts['times'] = {
  lateCommitMs: 30_000,
  slowCommitMs: 120_000,
  unmeasuredLagMs: 180_000,
  sentPatienceMs: 600_000,
};

function transferOf(given: Partial<AwaitedTransfer> = {}): AwaitedTransfer {
  return {
    id: 7,
    kind: 'image',
    state: 'unknown',
    lastByteAt: NOW - 40_000,
    urlAlive: false,
    wasLost: false,
    hasTimedOut: false,
    sentAt: null,
    retryAt: 0,
    missing: [{ itemId: 1, key: 'a.jpg', vanished: 0 }],
    confirmed: 0,
    ...given,
  };
}

function lookOf(given: Partial<ListingFacts> = {}): ListingFacts {
  return {
    listedAt: NOW,
    watchedSince: 0,
    now: NOW,
    indexing: 0,
    shards: [],
    newestListedAt: NOW - 1000,
    lagMs: null,
    shardIdsOf: new Map(),
    shared: false,
    replacing: new Set(),
    absentBefore: new Set([7]),
    awaited: [],
    times: TIMES,
    ...given,
  };
}

function shardOf(given: Partial<ShardDetails> = {}): ShardDetails {
  return {
    shardId: 's1',
    status: 'succeeded',
    statusName: 'indexed',
    objectsCount: 0,
    eventAt: 0,
    details: null,
    ...given,
  };
}

function decide(transfer: Partial<AwaitedTransfer>, look: Partial<ListingFacts> = {}) {
  const one = transferOf(transfer);
  return decideMissing(one, lookOf({ awaited: [one], ...look }));
}

describe('in doubt', () => {
  test('the same body goes to an address that is still good; an image has none', () => {
    expect(decide({ kind: 'video', urlAlive: true }).kind).toBe('repeat');
    expect(decide({ kind: 'shard', urlAlive: true }).kind).toBe('repeat');
    expect(decide({ kind: 'image', urlAlive: true }).kind).toBe('absent');
  });
  test("no body goes to a name under which another computer's file is listed", () => {
    const replacing = new Set([7]);
    expect(decide({ kind: 'video', urlAlive: true }, { replacing }).kind).toBe('absent');
    const look = { replacing, absentBefore: new Set<number>() };
    expect(decide({ kind: 'shard', urlAlive: true }, look).kind).toBe('ask');
  });
  test('is absent once something delivered later is listed, in two lists', () => {
    expect(decide({}).kind).toBe('absent');
    expect(decide({}, { absentBefore: new Set() }).kind).toBe('ask');
  });
  test('is asked again while nothing later is listed and the lag is not over', () => {
    const early = { newestListedAt: NOW - 50_000 };
    expect(decide({}, early)).toEqual({ kind: 'ask', at: NOW + 170_000 });
    expect(decide({}, { ...early, lagMs: 5_000 }).kind).toBe('absent');
    expect(decide({}, { ...early, lagMs: 50_000 })).toEqual({ kind: 'ask', at: NOW + 90_000 });
  });
  test('is asked again while a late commit is possible, or a shard is being taken in', () => {
    expect(decide({ lastByteAt: NOW - 10_000 }).kind).toBe('ask');
    expect(decide({ kind: 'shard' }, { indexing: 1 }).kind).toBe('ask');
  });
  test('is waited for longer if the service did not answer in time', () => {
    const late = { hasTimedOut: true };
    expect(decide({ ...late })).toEqual({ kind: 'ask', at: NOW + 290_000 });
    expect(decide({ ...late, lastByteAt: NOW - 140_000 }, { lagMs: 0 }).kind).toBe('ask');
    expect(decide({ ...late, lastByteAt: NOW - 150_000 }, { lagMs: 0 }).kind).toBe('absent');
  });
  test('is not looked at before its time', () => {
    expect(decide({ retryAt: NOW + 5 })).toEqual({ kind: 'ask', at: NOW + 5 });
  });
});

describe('taken and not listed', () => {
  test('is waited for, and in doubt after its time', () => {
    const sent = { state: 'sent' } as const;
    expect(decide(sent)).toEqual({ kind: 'ask', at: NOW + 560_000 });
    expect(decide({ ...sent, lastByteAt: NOW - 600_000 }).kind).toBe('doubt');
  });
  const shard: Partial<AwaitedTransfer> = {
    kind: 'shard',
    state: 'sent',
    missing: [
      { itemId: 1, key: 'a.jpg', vanished: 0 },
      { itemId: 2, key: 'b.jpg', vanished: 0 },
    ],
    confirmed: 3,
  };
  const own = new Map([[7, new Set(['s1'])]]);
  test('waits while its shard is being taken in', () => {
    const running = { shardIdsOf: own, shards: [shardOf({ status: 'running' })] };
    expect(decide(shard, running).kind).toBe('ask');
  });
  test('members of a shard that has ended without them are rejected, with what was said', () => {
    const details = JSON.stringify({ failed: [{ name: 'A.jpg', reason: 'no image' }] });
    const shards = [shardOf({ details, status: 'failed' })];
    expect(decide(shard, { shardIdsOf: own, shards })).toEqual({
      kind: 'rejected',
      items: [
        { itemId: 1, said: '{"name":"A.jpg","reason":"no image"}' },
        { itemId: 2, said: details },
      ],
      at: null,
    });
  });
  test('members that a successful shard leaves out unnamed are in doubt, and go again', () => {
    const look = { shardIdsOf: own, shards: [shardOf()] };
    expect(decide(shard, look).kind).toBe('doubt');
  });
  test('a file that the service names as failed is rejected at once, the others when it is proved', () => {
    const details = JSON.stringify({ failed: [{ name: 'A.jpg' }] });
    const look = {
      shardIdsOf: own,
      shards: [shardOf({ details })],
      absentBefore: new Set<number>(),
    };
    expect(decide(shard, look)).toMatchObject({ kind: 'rejected', items: [{ itemId: 1 }] });
    expect(decide(shard, { ...look, shards: [shardOf()] }).kind).toBe('ask');
  });
  test('a file that a shard names as failed is rejected though the list names no shards, never in a shared batch', () => {
    const details = JSON.stringify({ failed: [{ name: 'A.jpg' }] });
    const look = { shards: [shardOf({ details })] };
    expect(decide(shard, look)).toEqual({
      kind: 'rejected',
      items: [{ itemId: 1, said: '{"name":"A.jpg"}' }],
      at: NOW + 560_000,
    });
    expect(decide(shard, { ...look, shared: true }).kind).toBe('ask');
    expect(decide(shard, { ...look, indexing: 1 }).kind).toBe('ask');
    expect(decide(shard, { ...look, absentBefore: new Set() }).kind).toBe('ask');
  });
  test('a shard that failed whole is ours when nothing else can be, never in a shared batch', () => {
    const failed = { shards: [shardOf({ status: 'failed' })] };
    const whole = { ...shard, confirmed: 0 };
    expect(decide(whole, failed).kind).toBe('rejected');
    const unclear = [shardOf({ status: 'unknown' })];
    expect(decide(whole, { shards: unclear }).kind).toBe('rejected');
    expect(decide(whole, { ...failed, shared: true }).kind).toBe('ask');
    expect(decide(whole, { ...failed, indexing: 1 }).kind).toBe('ask');
    const another = transferOf({ ...whole, id: 8 });
    const one = transferOf(whole);
    expect(decideMissing(one, lookOf({ ...failed, awaited: [one, another] })).kind).toBe('ask');
  });
});

test('what details state about a file, by its exact name', () => {
  const details = JSON.stringify({
    x: [{ file_name: 'b.JPG', type: 'too-large' }, { y: 'ab.jpg' }],
  });
  expect(statedAbout(details, 'b.jpg')).toBe('{"file_name":"b.JPG","type":"too-large"}');
  expect(statedAbout(details, 'a.jpg')).toBe(null);
  expect(statedAbout('{broken', 'a.jpg')).toBe(null);
  expect(statedAbout(null, 'a.jpg')).toBe(null);
});
