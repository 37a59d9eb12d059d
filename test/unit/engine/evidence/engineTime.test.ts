/** Engine clocks stay correct when this computer's clock is wrong or jumps. */
import { expect, test } from 'vitest';
import { createEngineTime } from '../../../../main/engine/evidence/engineTime.ts';

const DAY = 24 * 60 * 60 * 1000;

function clocks() {
  const state = { wall: 1_800_000_000_000, monotonic: 5000, slept: 0 };
  const clock = {
    now: () => state.wall,
    monotonicMs: () => state.monotonic,
    sleptMs: () => state.slept,
  };
  const pass = (ms: number): void => {
    state.wall += ms;
    state.monotonic += ms;
  };
  return { state, pass, time: createEngineTime(clock) };
}

test("the engine's time follows what passes, not the wall clock", () => {
  const { state, pass, time } = clocks();
  const began = time.now();
  pass(1000);
  state.wall += 8 * DAY;
  expect(time.now() - began).toBe(1000);
  state.wall = 0;
  pass(500);
  expect(time.now() - began).toBe(1500);
});

test("the service's time is its own once it was stated, and the engine's before", () => {
  const { state, pass, time } = clocks();
  expect([time.knowsService(), time.service()]).toEqual([false, time.now()]);
  const stated = state.wall - 8 * DAY;
  time.note(Math.floor(stated / 1000) * 1000, state.monotonic);
  expect(Math.abs(time.service() - stated)).toBeLessThan(1000);
  pass(60_000);
  expect(Math.abs(time.service() - stated - 60_000)).toBeLessThan(1000);
});

test('whole seconds do not make it jump, and a slow answer says nothing new', () => {
  const { state, pass, time } = clocks();
  time.note(state.wall, state.monotonic);
  const before = time.service();
  pass(1700);
  time.note(Math.floor(state.wall / 1000) * 1000, state.monotonic - 10);
  expect(time.service() - before).toBe(1700);
  time.note(state.wall + DAY, state.monotonic - 60_000);
  expect(time.service() - before).toBe(1700);
});

test('both go on while the computer sleeps: what was known before may be outdated', () => {
  const { state, pass, time } = clocks();
  time.note(state.wall, state.monotonic);
  const before = [time.now(), time.service()] as const;
  state.slept = 20;
  pass(1000);
  expect(time.now() - before[0]).toBe(1000);
  state.slept = 8 * 60 * 60_000;
  state.wall += state.slept;
  // From the first moment: what is noted then would otherwise look hours old a second later.
  expect(time.now() - before[0]).toBe(state.slept + 1000);
  pass(1000);
  expect(time.now() - before[0]).toBe(state.slept + 2000);
  expect(time.service() - before[1]).toBe(state.slept + 2000);
  // What it stated before that says nothing.
  time.note(before[1] + 500, state.monotonic - 2500);
  expect(time.service() - before[1]).toBe(state.slept + 2000);
  // What the service states after that agrees with it.
  time.note(before[1] + state.slept + 2000, state.monotonic);
  expect(time.service() - before[1]).toBe(state.slept + 2000);
});
