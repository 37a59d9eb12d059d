/** What an unknown transfer is, from what the service shows. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BatchView, resolve } from '../../../main/engine/pipeline/reconcile.ts';
import { transferOf } from '../../helpers/transfer.ts';

const NOW = 100_000;
const TIMES = { now: NOW, lateCommitMs: 30_000, pauseMs: 1000 };
const EMPTY: BatchView = { keys: new Set(), indexing: false };
const KEYS = ['a.jpg', 'b.jpg'];
const LONG_AGO = NOW - 30_000;
const ADDRESS = { uploadUrl: 'https://storage.example/x', urlExpiresAt: null };

describe('an unknown transfer', () => {
  test('has arrived when any member stands there', () => {
    const view = { keys: new Set(['b.jpg', 'other.jpg']), indexing: true };
    expect(resolve(transferOf(ADDRESS), KEYS, view, TIMES)).toEqual({ kind: 'arrived' });
  });

  test('has not arrived because somebody else is there', () => {
    const view = { keys: new Set(['other.jpg']), indexing: false };
    expect(resolve(transferOf({ lastByteAt: LONG_AGO }), KEYS, view, TIMES).kind).toBe('absent');
  });

  test.each(['shard', 'video'] as const)(
    'a %s with an address that lives is repeated there',
    (kind) => {
      for (const urlExpiresAt of [null, NOW + 1]) {
        const transfer = transferOf({ ...ADDRESS, kind, urlExpiresAt });
        expect(resolve(transfer, KEYS, EMPTY, TIMES)).toEqual({ kind: 'repeat' });
      }
    },
  );

  test('is never repeated to an address that ended, nor an image to any', () => {
    const ended = transferOf({ ...ADDRESS, urlExpiresAt: NOW });
    expect(resolve(ended, KEYS, EMPTY, TIMES).kind).toBe('ask');
    const image = transferOf({ ...ADDRESS, kind: 'image' });
    expect(resolve(image, KEYS, EMPTY, TIMES).kind).toBe('ask');
  });

  test.each([
    ['right behind its last byte', NOW, { kind: 'ask', at: NOW + 1000 }],
    ['when the last byte is not known', null, { kind: 'ask', at: NOW + 1000 }],
    ['just before it is certain', LONG_AGO + 1, { kind: 'ask', at: NOW + 1 }],
    ['when it is certain', LONG_AGO, { kind: 'absent' }],
    [
      'when its last byte lies in the future, as a clock set back has it',
      NOW + 5000,
      { kind: 'ask', at: NOW + 1000 },
    ],
  ] as const)('%s', (_, lastByteAt, wanted) => {
    expect(resolve(transferOf({ lastByteAt }), KEYS, EMPTY, TIMES)).toEqual(wanted);
  });

  test('is asked about for as long as any shard is being taken in', () => {
    const view = { keys: new Set<string>(), indexing: true };
    const transfer = transferOf({ lastByteAt: 0 });
    expect(resolve(transfer, KEYS, view, TIMES)).toEqual({ kind: 'ask', at: NOW + 1000 });
  });
});

test('nothing is given up before it is certain, and asking never stands still', () => {
  const transfers = fc
    .record({
      kind: fc.constantFrom('image', 'video', 'shard'),
      uploadUrl: fc.option(fc.constant('https://storage.example/x')),
      urlExpiresAt: fc.option(fc.nat(2 * NOW)),
      lastByteAt: fc.option(fc.nat(2 * NOW)),
    })
    .map(transferOf);
  const views = fc.record({
    keys: fc.subarray(['a.jpg', 'c.jpg']).map((keys) => new Set(keys)),
    indexing: fc.boolean(),
  });
  fc.assert(
    fc.property(transfers, views, fc.nat(5000), (transfer, view, pause) => {
      const pauseMs = pause + 1;
      const resolution = resolve(transfer, KEYS, view, { ...TIMES, pauseMs });
      if (resolution.kind === 'absent') {
        expect(view.indexing).toBe(false);
        expect(view.keys.has('a.jpg')).toBe(false);
        expect(NOW - (transfer.lastByteAt ?? NOW)).toBeGreaterThanOrEqual(TIMES.lateCommitMs);
      }
      if (resolution.kind === 'ask') expect(resolution.at).toBeGreaterThan(NOW);
      if (resolution.kind === 'repeat') expect(transfer.kind).not.toBe('image');
    }),
  );
});
