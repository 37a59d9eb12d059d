import { expect, test } from 'vitest';
import {
  leftOutReason,
  reasonChoices,
} from '../../../../../renderer/views/batches/leftOutWords.ts';

test('a copy says how far its original is', () => {
  const reason = 'item.duplicate';
  const of = (state: 'confirmed' | 'sending' | 'parked' | 'skipped') =>
    leftOutReason({ reason, duplicateOf: { path: '/a/cam/1.jpg', state, batchId: 'cam-1' } });
  expect(of('confirmed')).toBe('Same content as cam/1.jpg, confirmed in cam-1.');
  expect(of('sending')).toBe('Same content as cam/1.jpg, on its way in cam-1.');
  expect(of('parked')).toBe('Same content as cam/1.jpg, which needs attention in cam-1.');
  expect(of('skipped')).toBe('Same content as cam/1.jpg, skipped in cam-1.');
});

test('the chosen reason stays a choice when its last file is gone', () => {
  const reasons = [{ reason: 'item.empty', count: 3 }] as const;
  const values = (chosen?: 'item.ignored') =>
    reasonChoices(reasons, chosen).map(({ label }) => label);
  expect(values()).toEqual(['All · 3', 'Empty · 3']);
  expect(values('item.ignored')).toEqual(['All · 3', 'Empty · 3', 'Ignored · 0']);
});
