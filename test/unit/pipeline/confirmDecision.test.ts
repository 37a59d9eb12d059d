/** What a look at the service says about what was sent. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RemoteFile, ShardDetails } from '../../../main/engine/model.ts';
import {
  type Awaited,
  decideConfirmation,
  type Look,
} from '../../../main/engine/pipeline/confirmDecision.ts';

function files(names: Readonly<Record<string, string | null>>): Look['files'] {
  return new Map(
    Object.entries(names).map(([name, shardId]): [string, RemoteFile] => [
      name,
      { fileName: name, url: 'https://h/x', partName: null, shardId, contentType: 'images' },
    ]),
  );
}

function shard(
  shardId: string,
  status: ShardDetails['status'],
  details: string | null = null,
): ShardDetails {
  return { shardId, status, statusName: status, objectsCount: 0, eventAt: 0, details };
}

function awaited(
  kind: Awaited['kind'],
  keys: readonly string[],
  settledKeys: readonly string[] = [],
): Awaited {
  const members = keys.map((key, index) => ({ itemId: index + 1, key }));
  return { transferId: 1, kind, members, settledKeys };
}

const NOTHING: Look = { files: new Map(), shards: [], running: 0 };

describe('members that stand there', () => {
  test.each(['image', 'video', 'shard'] as const)('are confirmed, of a %s', (kind) => {
    const look = { ...NOTHING, files: files({ a: 's1' }) };
    expect(decideConfirmation([awaited(kind, ['a'])], look)).toEqual({
      confirmed: [1],
      rejected: [],
    });
  });
});

describe('members that do not', () => {
  test.each(['image', 'video'] as const)('of a %s are waited for', (kind) => {
    expect(decideConfirmation([awaited(kind, ['a'])], NOTHING)).toEqual({
      confirmed: [],
      rejected: [],
    });
  });

  test('are waited for while their shard is being taken in', () => {
    const look = { files: files({ a: 's1' }), shards: [shard('s1', 'running')], running: 1 };
    expect(decideConfirmation([awaited('shard', ['a', 'b'])], look)).toEqual({
      confirmed: [1],
      rejected: [],
    });
  });

  test('are rejected with its words when their shard has ended', () => {
    const look = {
      files: files({ a: 's1' }),
      shards: [shard('s1', 'failed', '{"b":"bad"}')],
      running: 0,
    };
    expect(decideConfirmation([awaited('shard', ['a', 'b'])], look)).toEqual({
      confirmed: [1],
      rejected: [{ itemId: 2, said: '{"b":"bad"}' }],
    });
  });

  test('are told by members that were confirmed before', () => {
    const look = { files: files({ x: 's1' }), shards: [shard('s1', 'succeeded')], running: 0 };
    const { rejected } = decideConfirmation([awaited('shard', ['a'], ['x'])], look);
    expect(rejected.map(({ itemId }) => itemId)).toEqual([1]);
  });

  test('of a shard that nobody can tell are not rejected while any is running', () => {
    const look = {
      ...NOTHING,
      shards: [shard('s1', 'failed'), shard('s2', 'running')],
      running: 1,
    };
    expect(decideConfirmation([awaited('shard', ['a'])], look).rejected).toEqual([]);
  });

  test('are not rejected for the failure of somebody else’s shard', () => {
    const other: Awaited = { ...awaited('shard', []), transferId: 2, settledKeys: ['x'] };
    const look = { files: files({ x: 's1' }), shards: [shard('s1', 'failed')], running: 0 };
    expect(decideConfirmation([awaited('shard', ['a']), other], look).rejected).toEqual([]);
  });

  test('are rejected when a whole shard was, and nothing is on its way', () => {
    const look = { ...NOTHING, shards: [shard('s1', 'failed', 'damaged archive')], running: 0 };
    expect(decideConfirmation([awaited('shard', ['a', 'b'])], look).rejected).toEqual([
      { itemId: 1, said: 'damaged archive' },
      { itemId: 2, said: 'damaged archive' },
    ]);
  });
});

test('an item is confirmed exactly when its name stands there, and never both confirmed and rejected', () => {
  const names = ['a', 'b', 'c', 'd'];
  const looks = fc.record({
    files: fc
      .subarray(names)
      .chain((there) =>
        fc
          .array(fc.constantFrom('s1', 's2', null), { minLength: 4, maxLength: 4 })
          .map((ids) =>
            files(Object.fromEntries(there.map((name, index) => [name, ids[index] ?? null]))),
          ),
      ),
    shards: fc
      .tuple(
        fc.constantFrom('running', 'succeeded', 'failed'),
        fc.constantFrom('running', 'succeeded', 'failed'),
      )
      .map(([one, two]) => [shard('s1', one), shard('s2', two)]),
    running: fc.nat(2),
  });
  const kinds = fc.constantFrom('image', 'video', 'shard');
  fc.assert(
    fc.property(looks, kinds, fc.subarray(names, { minLength: 1 }), (look, kind, keys) => {
      const { confirmed, rejected } = decideConfirmation([awaited(kind, keys)], look);
      const there = keys.flatMap((key, index) => (look.files.has(key) ? [index + 1] : []));
      expect(confirmed).toEqual(there);
      expect(rejected.filter(({ itemId }) => confirmed.includes(itemId))).toEqual([]);
    }),
  );
});
