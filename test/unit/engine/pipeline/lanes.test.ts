/** How many transfers and downloads run at once. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANES_START } from '../../../../main/engine/core/limits.ts';
import {
  adaptLanes,
  createLaneCount,
  type Lanes,
  startLanes,
} from '../../../../main/engine/pipeline/laneCount.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';

describe('the lanes', () => {
  const BOUNDS = { least: 1, most: 16 };
  const window = (bytes: number, given: object = {}) => ({
    bytes,
    durationMs: 400,
    full: true,
    trouble: false,
    long: false,
    ...given,
  });

  test('double while that brings more, and go back by one step when it does not', () => {
    let lanes = startLanes(LANES_START, BOUNDS);
    expect(lanes.allowed).toBe(LANES_START);
    lanes = adaptLanes(lanes, window(1000), BOUNDS);
    expect(lanes.allowed).toBe(LANES_START * 2);
    expect(adaptLanes(lanes, window(2000), BOUNDS).allowed).toBe(LANES_START * 4);
    expect(adaptLanes(lanes, window(1000), BOUNDS)).toMatchObject({
      allowed: LANES_START,
      early: false,
    });
  });

  test('stay at the most while as much gets through as before', () => {
    let lanes: Lanes = {
      allowed: 8,
      before: 8,
      bestRate: 1,
      rest: 0,
      early: true,
      settling: false,
    };
    for (const bytes of [1000, 2000, 2000, 1900]) lanes = adaptLanes(lanes, window(bytes), BOUNDS);
    expect(lanes).toMatchObject({ allowed: BOUNDS.most, early: true });
  });

  test('grow step by step once something limited them', () => {
    const lanes: Lanes = {
      allowed: 6,
      before: 6,
      bestRate: 1,
      rest: 0,
      early: false,
      settling: false,
    };
    expect(adaptLanes(lanes, window(1000), BOUNDS).allowed).toBe(8);
    expect(adaptLanes(lanes, window(400), BOUNDS).allowed).toBe(5);
  });

  test('are halved by errors, and then stay for a while', () => {
    const troubled = adaptLanes(
      { allowed: 9, before: 9, bestRate: 5, rest: 0, early: true, settling: false },
      window(1000, { trouble: true }),
      BOUNDS,
    );
    expect(troubled).toMatchObject({ allowed: 4, early: false });
    expect(adaptLanes(troubled, window(9000), BOUNDS).allowed).toBe(4);
  });

  test('of large files grow only while the rate grows with them, and go back as far as they came', () => {
    const long = { long: true };
    let lanes = startLanes(LANES_START, BOUNDS);
    // The first window, and the one after a step, are not compared.
    for (const bytes of [9000, 1000, 9000]) lanes = adaptLanes(lanes, window(bytes, long), BOUNDS);
    expect(lanes.allowed).toBe(LANES_START * 2);
    expect(adaptLanes(lanes, window(1240, long), BOUNDS).allowed).toBe(LANES_START);
    expect(adaptLanes(lanes, window(1260, long), BOUNDS).allowed).toBe(LANES_START * 4);
    const late: Lanes = {
      allowed: 10,
      before: 8,
      bestRate: 1,
      rest: 0,
      early: false,
      settling: false,
    };
    expect(adaptLanes(late, window(420, long), BOUNDS).allowed).toBe(8);
    expect(adaptLanes(late, window(430, long), BOUNDS).allowed).toBe(12);
  });

  test('stay as they are while there is too little to do', () => {
    const lanes: Lanes = {
      allowed: 5,
      before: 5,
      bestRate: 1,
      rest: 0,
      early: true,
      settling: false,
    };
    expect(adaptLanes(lanes, window(9000, { full: false }), BOUNDS)).toEqual(lanes);
  });

  test('never leave their bounds', () => {
    const windows = fc.record({
      bytes: fc.nat(1e9),
      durationMs: fc.nat(2000),
      full: fc.boolean(),
      trouble: fc.boolean(),
      long: fc.boolean(),
    });
    const bounds = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.nat(12))
      .map(([least, more]) => ({ least, most: least + more }));
    fc.assert(
      fc.property(fc.array(windows, { maxLength: 60 }), bounds, (all, bound) => {
        let lanes = startLanes(LANES_START, bound);
        for (const one of all) {
          lanes = adaptLanes(lanes, one, bound);
          expect(lanes.allowed).toBeGreaterThanOrEqual(bound.least);
          expect(lanes.allowed).toBeLessThanOrEqual(bound.most);
        }
      }),
    );
  });
});

test('a time in which nothing could get through measures nothing', () => {
  const clock = createManualClock();
  const lanes = createLaneCount(clock, 4, () => ({ least: 1, most: 16 }));
  for (let turn = 0; turn < 10; turn += 1) {
    clock.advance(500);
    lanes.turnWindow();
  }
  expect(lanes.allowed()).toBe(4);
  for (const allowed of [4, 8]) {
    lanes.moved(1000);
    clock.advance(1000);
    lanes.turnWindow();
    expect(lanes.allowed()).toBe(allowed);
  }
  lanes.failed('service.busy');
  lanes.turnWindow();
  expect(lanes.allowed()).toBe(4);
});

test('a window lasts until as many transfers have ended as may run, or a second', () => {
  const clock = createManualClock();
  const lanes = createLaneCount(clock, 4, () => ({ least: 1, most: 16 }));
  const after = (ms: number): number => {
    clock.advance(ms);
    lanes.turnWindow();
    return lanes.allowed();
  };
  for (let number = 1; number <= 3; number += 1) lanes.ended();
  expect(after(300)).toBe(4);
  lanes.ended();
  expect(after(0)).toBe(8);
  lanes.moved(10_000_000);
  expect(after(1000)).toBe(8);
  lanes.moved(10_000_000);
  expect(after(900)).toBe(8);
  expect(after(100)).toBe(16);
});
