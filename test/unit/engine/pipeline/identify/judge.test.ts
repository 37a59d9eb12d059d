import { describe, expect, test } from 'vitest';
import { fail, ok, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { FILE_BUSY_TRIES, MAX_REREADS } from '../../../../../main/engine/core/limits.ts';
import { isSettled } from '../../../../../main/engine/pipeline/find/stability.ts';
import { isFingerprint, isStamp } from '../../../../../main/engine/core/ids.ts';
import {
  type Fingerprint,
  type Inspection,
  ITEM_STATES,
  type Stamp,
} from '../../../../../main/engine/core/model.ts';
import { decide, giveUpReason, judge } from '../../../../../main/engine/pipeline/identify/judge.ts';
import type { Item } from '../../../../../main/engine/store/tables/items.ts';

function stamp(text: string): Stamp {
  if (!isStamp(text)) throw new Error('no stamp');
  return text;
}

function fingerprint(letter: string): Fingerprint {
  const text = `s100-${letter.repeat(64)}`;
  if (!isFingerprint(text)) throw new Error('no fingerprint');
  return text;
}

const SEEN: Inspection = {
  sizeBytes: 100,
  touchedAt: 1000,
  stamp: stamp('100:1:1:1'),
  fingerprint: fingerprint('a'),
  contentHash: 'a',
  kind: 'image',
  truncated: false,
};
const WATCHED = 2000;

const KNOWN: Item = {
  id: 1,
  destinationId: 1,
  path: '/a.jpg',
  relativePath: 'a.jpg',
  sizeBytes: 100,
  stamp: SEEN.stamp,
  fingerprint: SEEN.fingerprint,
  contentHash: 'a',
  state: 'queued',
  reason: null,
  detail: null,
  baseId: null,
  batchRow: null,
  name: null,
  transferId: null,
  tries: 0,
  rereads: 0,
  foundAt: 0,
};

describe('what an inspection means', () => {
  test.each([
    ['a whole image', SEEN, 'queued', undefined],
    ['an empty file', { ...SEEN, sizeBytes: 0 }, 'skipped', 'item.empty'],
    ['something else', { ...SEEN, kind: null }, 'skipped', 'item.unsupported'],
    ['an image over 20 MB', { ...SEEN, sizeBytes: 20_971_521 }, 'skipped', 'item.tooLarge'],
    ['an image of exactly 20 MB', { ...SEEN, sizeBytes: 20_971_520 }, 'queued', undefined],
    ['a video over 20 MB', { ...SEEN, kind: 'video', sizeBytes: 99_999_999 }, 'queued', undefined],
    ['a half-copied image', { ...SEEN, truncated: true }, 'parked', 'item.truncated'],
    ['an image of zeros', { ...SEEN, truncated: true, reserved: true }, 'parked', 'item.truncated'],
    [
      'a video of zeros with a name',
      { ...SEEN, kind: 'video', truncated: true, reserved: true },
      'queued',
      undefined,
    ],
  ] as const)('%s', (_, seen, state, reason) => {
    const judged = judge(ok(seen), 5);
    expect(judged.state).toBe(state);
    expect(judged.reason?.code).toBe(reason);
  });

  test('a watch waits for the end of a half-copied file, and only so long', () => {
    const half = { ...SEEN, truncated: true };
    expect(judge(ok(half), 5, WATCHED)).toMatchObject({
      state: 'queued',
      fingerprint: null,
      retryAt: 5,
    });
    expect(judge(ok(half), 5, 61_001).state).toBe('parked');
    const zeros = { ...half, kind: 'video', reserved: true } as const;
    expect(judge(ok(zeros), 5, WATCHED).fingerprint).toBeNull();
    expect(judge(ok(zeros), 5, 61_001).state).toBe('parked');
  });

  test.each([
    ['item.gone', 'skipped'],
    ['item.unreadable', 'parked'],
    ['item.changed', 'queued'],
    ['file.busy', 'queued'],
  ] as const)('a file that cannot be inspected: %s → %s', (code, state) => {
    const judged = judge(fail(code), 7);
    expect(judged).toMatchObject({ state, fingerprint: null });
    expect(judged.retryAt).toBe(state === 'queued' ? 7 : 0);
  });
});

describe('what becomes of what the ledger knew', () => {
  const same = judge(ok(SEEN), 0);
  const other = judge(ok({ ...SEEN, fingerprint: fingerprint('b'), contentHash: 'b' }), 0);
  const gone = judge(fail('item.gone'), 0);

  test('an unknown path is added', () => {
    expect(decide(null, same)).toBe('add');
  });
  test.each([
    ['queued', other, 'retire'],
    ['planned', other, 'add'],
    ['sending', other, 'add'],
    ['unknown', other, 'add'],
    ['sent', other, 'add'],
    ['confirmed', other, 'add'],
    ['skipped', other, 'rewrite'],
    ['parked', other, 'rewrite'],
  ] as const)('%s, with new content: %#', (state, judged, decision) => {
    expect(decide({ ...KNOWN, state }, judged)).toBe(decision);
  });
  test('the same content never goes out again, whatever state it is in', () => {
    for (const state of ITEM_STATES) {
      const known = { ...KNOWN, state, transferId: 3, reason: 'item.duplicate' } as const;
      expect(decide(known, same)).toBe('restamp');
    }
  });
  test('what was delivered stays delivered when its file is gone', () => {
    expect(decide({ ...KNOWN, state: 'confirmed' }, gone)).toBe('keep');
    expect(decide({ ...KNOWN, state: 'sent' }, gone)).toBe('keep');
    expect(decide(KNOWN, gone)).toBe('retire');
  });
  test('an untouched file needs no new check, unless it could not be read', () => {
    expect(isSettled(KNOWN, SEEN.stamp)).toBe(true);
    expect(isSettled(KNOWN, stamp('100:2:2:1'))).toBe(false);
    expect(isSettled({ ...KNOWN, reason: 'item.unreadable' }, SEEN.stamp)).toBe(false);
    expect(isSettled({ ...KNOWN, reason: 'item.gone' }, SEEN.stamp)).toBe(false);
  });
});

describe('a file that a person ignores', () => {
  const ignored: Item = { ...KNOWN, state: 'skipped', reason: 'item.ignored' };

  test('stays ignored while its content is the same, or cannot be read', () => {
    expect(isSettled(ignored, SEEN.stamp)).toBe(true);
    const touched = { ...SEEN, stamp: stamp('100:2:2:2') };
    expect(decide(ignored, judge(ok(touched), 0))).toBe('restamp');
    for (const code of ['item.unreadable', 'file.busy', 'item.gone'] as const) {
      expect(decide(ignored, judge(fail(code), 0))).toBe('keep');
      expect(decide({ ...ignored, fingerprint: null }, judge(fail(code), 0))).toBe('keep');
    }
  });

  test('is taken again with other content', () => {
    const changed = { ...SEEN, stamp: stamp('1:2:2:2'), fingerprint: fingerprint('b') };
    expect(decide(ignored, judge(ok(changed), 0))).toBe('rewrite');
    expect(decide({ ...ignored, fingerprint: null }, judge(ok(SEEN), 0))).toBe('rewrite');
  });
});

test('a half-copied file is not waited for because its time is in the future', () => {
  const cut = { ...SEEN, truncated: true, touchedAt: WATCHED + 8 * 86_400_000 };
  expect(judge(ok(cut), 5, WATCHED)).toMatchObject({ state: 'parked' });
  const soon = { ...cut, touchedAt: WATCHED + 1000 };
  expect(judge(ok(soon), 5, WATCHED)).toMatchObject({ state: 'queued', retryAt: 5 });
});

test.each([
  ['item.changed', MAX_REREADS - 1, null],
  ['item.changed', MAX_REREADS, 'item.unstable'],
  ['file.busy', FILE_BUSY_TRIES - 1, null],
  ['file.busy', FILE_BUSY_TRIES, 'item.unreadable'],
] as const)('%s for the %ith time: given up as %s', (code, rereads, wanted) => {
  const reason = giveUpReason(sluiceError(code, { bytes: 4096 }), rereads);
  expect(reason?.code ?? null).toBe(wanted);
  if (reason !== null) expect(reason.detail).toBe(JSON.stringify({ bytes: 4096, tries: rereads }));
});

test.each(['EMFILE', 'ENFILE'])('%s is never the file\u2019s fault', (errno) => {
  expect(giveUpReason(sluiceError('file.busy', { errno }), 1_000)).toBeNull();
});
