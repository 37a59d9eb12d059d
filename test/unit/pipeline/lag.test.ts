/** The measured lag of a list is the service's, not the time in which nobody looked. */
import { expect, test } from 'vitest';
import { lagOf } from '../../../main/engine/pipeline/confirmSettle.ts';

const MINUTE = 60_000;

test('counts from the delivery to the listing while looks follow each other', () => {
  expect(lagOf(1_000, 900, 6_000)).toBe(5_000);
  expect(lagOf(1_000, 45_000, 50_000)).toBe(49_000);
  expect(lagOf(1_000, null, 4_000)).toBe(3_000);
});

test('leaves out the time in which the program or the network was away', () => {
  expect(lagOf(0, null, 9 * MINUTE)).toBe(MINUTE);
  expect(lagOf(0, 2 * MINUTE, 40 * MINUTE)).toBe(3 * MINUTE);
});
