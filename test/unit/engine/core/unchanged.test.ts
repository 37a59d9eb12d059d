import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../../../../main/engine/core/errors.ts';
import { isStamp } from '../../../../main/engine/core/ids.ts';
import { hashIfUnchanged } from '../../../../main/engine/core/unchanged.ts';

const STAMP = '5:100:200:7';

/** The hash of a file that has these stamps, one each time that it is looked at; null is a file that is gone. */
async function hashOf(stamps: readonly (string | null)[], hash: Result<string> = ok('b3:1')) {
  const left = [...stamps];
  let hashed = 0;
  const files = {
    facts: async () => {
      const stamp = left.shift() ?? null;
      return stamp === null || !isStamp(stamp)
        ? fail('item.gone')
        : ok({ sizeBytes: 5, touchedAt: 0, stamp });
    },
    hash: async () => {
      hashed += 1;
      return hash;
    },
  };
  return { found: await hashIfUnchanged(files, { path: '/a', stamp: STAMP }, 'b3'), hashed };
}

test('a file that keeps its stamp has a hash', async () => {
  expect((await hashOf([STAMP, STAMP])).found).toBe('b3:1');
});

test('a file that changed before is not read', async () => {
  expect(await hashOf(['6:100:200:7'])).toEqual({ found: null, hashed: 0 });
  expect(await hashOf([null])).toEqual({ found: null, hashed: 0 });
});

test('a file that changes between the look and the hash has none', async () => {
  expect((await hashOf([STAMP, '5:101:201:7'])).found).toBeNull();
  expect((await hashOf([STAMP, null])).found).toBeNull();
});

test('a file that cannot be read has none', async () => {
  expect((await hashOf([STAMP, STAMP], fail('item.changed'))).found).toBeNull();
});
