/** Sets of ids that are kept as ranges. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdSet } from '../../../../main/engine/core/idSet.ts';

const ascending = (ids: readonly number[]): readonly number[] =>
  [...new Set(ids)].sort((one, other) => one - other);

test('holds each id once, whatever their order, in as few ranges as possible', () => {
  const ids = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 1200 });
  fc.assert(
    fc.property(ids, ids, (first, later) => {
      const set = new IdSet(first);
      for (const id of later) set.add(id);
      const expected = ascending([...first, ...later]);
      expect([...set.ids()]).toEqual(expected);
      const ranges = set.ranges();
      const breaks = expected.filter((id, at) => at === 0 || expected[at - 1] !== id - 1);
      expect(ranges.map((range) => range.first)).toEqual(breaks);
      expect(set.size()).toBe(expected.length);
    }),
    { numRuns: 60 },
  );
});

test('a set that was read still grows', () => {
  const set = new IdSet([5, 3, 4]);
  expect(set.ranges()).toEqual([{ first: 3, last: 5 }]);
  set.add(6);
  set.add(1);
  expect([...set.ids()]).toEqual([1, 3, 4, 5, 6]);
});
