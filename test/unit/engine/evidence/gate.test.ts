/** What keeps operations of a connection from starting, and for how long. */
import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { FAMILIES, Gate } from '../../../../main/engine/evidence/gate.ts';

const TIMES = { gateFirstMs: 1000, gateMaxMs: 300_000, probeMaxMs: 15_000 };

function open() {
  let now = 0;
  const gate = new Gate(TIMES, { monotonicMs: () => now }, { fraction: () => 1 });
  return {
    gate,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const BUSY = sluiceError('service.busy');
const PAGE = sluiceError('network.intercepted');
const QUOTA = sluiceError('service.quota');

describe('one family', () => {
  test('tolerates failures of single operations, but not three in a row', () => {
    const { gate } = open();
    gate.failed('send', BUSY);
    gate.failed('send', BUSY);
    expect(gate.room('send')).toBe(Number.POSITIVE_INFINITY);
    gate.failed('send', BUSY);
    expect([gate.room('send'), gate.room('ask')]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
  test('is tried with one operation after a pause that grows, and opens with its success', () => {
    const { gate, pass } = open();
    for (let count = 0; count < 3; count += 1) gate.failed('send', BUSY);
    pass(1000);
    expect([gate.room('send'), gate.blocked('send')]).toEqual([1, null]);
    gate.failed('send', BUSY);
    pass(1000);
    expect(gate.room('send')).toBe(0);
    expect(gate.cause('send')?.since).toBe(0);
    pass(1000);
    expect(gate.room('send')).toBe(1);
    expect(gate.succeeded('send')).toBe(true);
    expect(gate.room('send')).toBe(Number.POSITIVE_INFINITY);
  });
  test('is tried now when a person asks, with one operation', () => {
    const { gate } = open();
    gate.failed('send', QUOTA);
    expect(gate.room('send')).toBe(0);
    gate.tryNow();
    expect([gate.room('send'), gate.cause('send')?.error.code]).toEqual([1, 'service.quota']);
    // It fails for the same cause: the pause keeps growing.
    gate.failed('send', QUOTA);
    expect(gate.room('send')).toBe(0);
  });
  test('stays closed until the time that the service named, though what was in flight succeeds', () => {
    const { gate, pass } = open();
    const limited = sluiceError('service.busy', {}, 30_000);
    for (let count = 0; count < 3; count += 1) gate.failed('send', limited);
    expect([gate.succeeded('send'), gate.room('send')]).toEqual([false, 0]);
    pass(30_000);
    expect(gate.room('send')).toBe(1);
    expect([gate.succeeded('send'), gate.room('send')]).toEqual([true, Number.POSITIVE_INFINITY]);
  });
  test('requests in flight when it closed do not make the pause longer', () => {
    const { gate } = open();
    for (let count = 0; count < 16; count += 1) gate.failed('send', BUSY);
    expect(gate.blocked('send')?.nextAt).toBe(1000);
  });
  test('the pause is bounded, and as long as the service asks for', () => {
    const { gate, pass } = open();
    for (let count = 0; count < 40; count += 1) {
      gate.failed('send', BUSY);
      pass(300_000);
    }
    expect(gate.room('send')).toBe(1);
    gate.failed('send', { ...BUSY, retryAfterMs: 900_000 });
    pass(899_999);
    expect(gate.room('send')).toBe(0);
  });
  test('a quota closes it at once, and nothing else', () => {
    const { gate } = open();
    gate.failed('job', QUOTA);
    expect(FAMILIES.map((family) => gate.room(family) === 0)).toEqual([false, false, true, false]);
  });
  test('a refusal of one file does not affect the connection', () => {
    const { gate } = open();
    for (let count = 0; count < 9; count += 1) gate.failed('send', sluiceError('service.refused'));
    expect(gate.all()).toEqual([]);
  });
});

describe('the connection', () => {
  test('waits as a whole while something else answers instead of the service, and opens when the service answers', () => {
    const { gate } = open();
    gate.failed('send', PAGE);
    expect(FAMILIES.map((family) => gate.room(family))).toEqual([0, 0, 0, 0]);
    expect(gate.reached()).toBe(true);
    expect(gate.room('send')).toBe(Number.POSITIVE_INFINITY);
  });
  test('is asked after one second, then ever more slowly, at least every 15 s', () => {
    const { gate, pass } = open();
    gate.failed('ask', PAGE);
    const pauses: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      const pause = (gate.connection()?.nextAt ?? 0) - pauses.reduce((sum, one) => sum + one, 0);
      pauses.push(pause);
      pass(pause);
      gate.unreached(PAGE);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    expect(gate.connection()?.since).toBe(0);
  });
  test('is asked ever more slowly, too, while the question is answered but nothing else is', () => {
    const { gate } = open();
    const pauses: number[] = [];
    const fails = (): void => {
      pauses.push(gate.probeAt());
      gate.failed('ask', PAGE);
      pauses.push(gate.connection()?.nextAt ?? 0);
      expect(gate.reached()).toBe(true);
    };
    for (let count = 0; count < 5; count += 1) fails();
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000].flatMap((ms) => [ms, ms]));
    gate.succeeded('ask');
    expect(gate.probeAt()).toBe(1000);
  });
  test('that answers while the storage does not: sending pauses by itself', () => {
    const { gate } = open();
    for (let count = 0; count < 3; count += 1) {
      gate.failed('send', PAGE);
      gate.reached();
    }
    expect([gate.room('send'), gate.room('ask')]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});
