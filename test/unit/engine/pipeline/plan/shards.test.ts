/** How images are split into shards. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  LANES_START,
  MAX_SHARD_BYTES,
  MAX_SHARD_MEMBERS,
  MIN_SHARD_MEMBERS,
} from '../../../../../main/engine/core/limits.ts';
import {
  cutApart,
  cutShards,
  halfOf,
  shardBounds,
} from '../../../../../main/engine/pipeline/plan/shards.ts';

const items = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, sizeBytes: 1000 }));
const sizes = (shards: readonly (readonly unknown[])[]): readonly number[] =>
  shards.map(({ length }) => length);
const OURS = { maxMembers: MAX_SHARD_MEMBERS, maxBytes: MAX_SHARD_BYTES };

test.each([
  ['nothing', 0, true, []],
  ['one', 1, true, [1]],
  ['one, when more may come', 1, false, []],
  ['a full one, when more may come', MAX_SHARD_MEMBERS, false, [MAX_SHARD_MEMBERS]],
  ['a full one and a rest, when more may come', MAX_SHARD_MEMBERS + 7, false, [MAX_SHARD_MEMBERS]],
  ['a rest below the least is one shard', MIN_SHARD_MEMBERS, true, [MIN_SHARD_MEMBERS]],
  ['a rest is spread over the lanes', MIN_SHARD_MEMBERS * LANES_START, true, [100, 100, 100, 100]],
] as const)('%s', (_, count, rest, wanted) => {
  expect(sizes(cutShards(items(count), OURS, rest))).toEqual(wanted);
});

test('an image larger than the limit is sent alone', () => {
  const [small, large] = [items(1)[0], { id: 9, sizeBytes: MAX_SHARD_BYTES * 2 }];
  const given = [small, large, small].flatMap((item) => item ?? []);
  expect(sizes(cutShards(given, OURS, true))).toEqual([1, 1, 1]);
});

test.each([
  ['tiny files', Array.from({ length: 150 }, () => 120), 2],
  ['large files', Array.from({ length: 150 }, () => 2_000_000), 2],
  ['two files', [500, 700], 2],
  ['two files, one of them empty', [0, 700], 2],
  ['a large file among small ones', [100, 100, 9000, 100, 100], 3],
] as const)('a shard that is too large is halved: %s', (_, bytes, shards) => {
  const given = bytes.map((sizeBytes) => ({ sizeBytes }));
  const bounds = { maxMembers: MAX_SHARD_MEMBERS, maxBytes: halfOf(given) };
  expect(cutShards(given, bounds, true)).toHaveLength(shards);
});

test('stated limits narrow ours, never widen them; a notification takes a place', () => {
  expect(shardBounds({ maxMembers: null, maxBytes: null }, false)).toEqual(OURS);
  expect(shardBounds({ maxMembers: 10, maxBytes: 5000 }, true)).toEqual({
    maxMembers: 9,
    maxBytes: 5000,
  });
  expect(shardBounds({ maxMembers: 1e9, maxBytes: 1e15 }, false)).toEqual(OURS);
  expect(shardBounds({ maxMembers: 1, maxBytes: 1 }, true).maxMembers).toBe(1);
});

test('every image is in exactly one shard, in order, within the bounds; only an unfilled last one may be left out', () => {
  const list = fc
    .array(fc.nat(40_000), { maxLength: 300 })
    .map((all) => all.map((sizeBytes, id) => ({ id, sizeBytes })));
  const bounds = fc.record({
    maxMembers: fc.integer({ min: 1, max: 60 }),
    maxBytes: fc.integer({ min: 1, max: 400_000 }),
  });
  fc.assert(
    fc.property(list, bounds, fc.boolean(), (all, bound, rest) => {
      const shards = cutShards(all, bound, rest);
      const cut = shards.flat();
      expect(cut).toEqual(all.slice(0, cut.length));
      if (rest) expect(cut.length).toBe(all.length);
      else expect(all.length - cut.length).toBeLessThan(bound.maxMembers);
      for (const shard of shards) {
        expect(shard.length).toBeGreaterThan(0);
        expect(shard.length).toBeLessThanOrEqual(bound.maxMembers);
        const bytes = shard.reduce((sum, item) => sum + item.sizeBytes, 0);
        if (shard.length > 1) expect(bytes).toBeLessThanOrEqual(bound.maxBytes);
      }
    }),
  );
});

test('what counted as lost gets shards of its own, at once', () => {
  const mixed = items(3).map((item) => ({ ...item, lost: item.id === 1 ? {} : null }));
  const ids = (rest: boolean) =>
    cutApart(mixed, OURS, rest).map((shard) => shard.map(({ id }) => id));
  expect(ids(true)).toEqual([[1], [0, 2]]);
  expect(ids(false)).toEqual([[1]]);
});
