/** Merging receipts of several machines. */
import { describe, expect, test } from 'vitest';
import {
  type ReceiptRow,
  mergeReceipts,
  missingFrom,
  readReceiptText,
} from '../../../../main/engine/queries/receiptMerge.ts';
import { receiptCsv, receiptCsvHeading } from '../../../../main/engine/queries/receipt.ts';

function row(path: string, more: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    path,
    sha256: path.padEnd(64, '0'),
    sizeBytes: 10,
    name: path,
    batch: 'b',
    state: 'confirmed',
    since: '2026-11-22T00:00:00.000Z',
    reason: null,
    sentAs: null,
    proof: ['listed'],
    hash: `b3:${path}`,
    ...more,
  };
}

describe('mergeReceipts', () => {
  test('a part whose machine died counts with what its replacement confirmed', () => {
    const merged = mergeReceipts([
      [row('a', { state: 'sending', sha256: null }), row('b')],
      [row('a')],
    ]);
    expect(merged).toMatchObject({ confirmed: 2, open: 0, bytes: 20 });
    expect(merged.rows.map(({ path }) => path)).toEqual(['a', 'b']);
  });

  test('what was not confirmed stays open, what was skipped for a reason does not', () => {
    const skipped = row('c', { state: 'skipped', reason: 'item.empty', sha256: null });
    expect(mergeReceipts([[row('a', { state: 'parked' })], [skipped]])).toMatchObject({
      confirmed: 0,
      skipped: 1,
      open: 1,
    });
  });

  test('one content under two names, and one path with two contents, are reported', () => {
    const one = 'f'.repeat(64);
    const merged = mergeReceipts([
      [row('a', { sha256: one }), row('x', { sha256: '1'.repeat(64) })],
      [row('b', { sha256: one }), row('x', { sha256: '2'.repeat(64) })],
    ]);
    expect(merged).toMatchObject({ repeatedContents: 1, changed: ['x'] });
  });

  test('files that no receipt holds are missing', () => {
    const merged = mergeReceipts([[row('a'), row('b', { state: 'sent' })]]);
    expect(missingFrom(merged, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  });
});

test('a receipt is read from CSV and from JSON alike, also with odd names', () => {
  const one = row('=cam "ä", 1.jpg', { proof: ['listed', 'checksum'], hash: 'b3:0a' });
  const csv = [...receiptCsvHeading(), ...receiptCsv([one])].join('');
  expect(readReceiptText(csv)).toEqual({ ok: true, value: [one] });
  for (const line of [{ ...one, sha256From: 'upload' }, ...mergeReceipts([[one]]).rows]) {
    const json = JSON.stringify({ event: 'result', data: { lines: [line] } });
    expect(readReceiptText(`{"event":"note","at":"x"}\n${json}\n`)).toEqual({
      ok: true,
      value: [one],
    });
  }
});

test.each([
  '{"event":"result","data":{}}',
  '{"event":"result","data":{"lines":[{"path":1}]}}',
  '{',
  'path,sha256\na.jpg',
  'a\n"',
])('%s is no receipt', (text) => {
  expect(readReceiptText(text).ok).toBe(false);
});
