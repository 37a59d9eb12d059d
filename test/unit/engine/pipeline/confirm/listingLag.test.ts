/** The measured lag of a list is the service's, not the time during which nobody checked. */
import { expect, test } from 'vitest';
import { lagOf, slowestOf } from '../../../../../main/engine/pipeline/confirm/listingLag.ts';

const MINUTE = 60_000;

test('counts from the delivery to the listing while checks follow each other', () => {
  expect(lagOf(1_000, 900, 6_000)).toBe(5_000);
  expect(lagOf(1_000, 45_000, 50_000)).toBe(49_000);
  expect(lagOf(1_000, null, 4_000)).toBe(3_000);
});

test('leaves out the time in which the program or the network was away', () => {
  expect(lagOf(0, null, 9 * MINUTE)).toBe(MINUTE);
  expect(lagOf(0, 2 * MINUTE, 40 * MINUTE)).toBe(3 * MINUTE);
});

test('what an earlier run delivered does not count', () => {
  const watched = { since: 10 * MINUTE, quietAt: 12 * MINUTE };
  expect(slowestOf([{ sentAt: 10 * MINUTE, lastByteAt: null }], watched, 12 * MINUTE)).toBe(0);
  expect(slowestOf([{ sentAt: 10.5 * MINUTE, lastByteAt: null }], watched, 12 * MINUTE)).toBe(
    2 * MINUTE - MINUTE / 2,
  );
});

test('a body that was sent again counts from then, and a clock jump of hours does not matter', () => {
  const again = { sentAt: 1_000, lastByteAt: 500_000 };
  expect(slowestOf([again], { since: 0, quietAt: 0 }, 503_000)).toBe(3_000);
  const old = { sentAt: 0, lastByteAt: null };
  expect(slowestOf([old], { since: 0, quietAt: 200 * MINUTE }, 200 * MINUTE)).toBe(0);
});
