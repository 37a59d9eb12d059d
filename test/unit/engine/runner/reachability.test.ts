/** Since when a service has been silent, and when it is asked whether it is there. */
import { expect, test } from 'vitest';
import { ok } from '../../../../main/engine/core/errors.ts';
import type { HttpFailure } from '../../../../main/engine/core/ports.ts';
import { createEngineTime } from '../../../../main/engine/evidence/engineTime.ts';
import { createProbe, trackReachability } from '../../../../main/engine/runner/reachability.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function tracked() {
  let now = 1_000;
  const clock = { now: () => now, monotonicMs: () => now };
  const changes: string[] = [];
  const reach = trackReachability(clock, createEngineTime(clock), {
    failing: () => changes.push('failing'),
    back: () => changes.push('back'),
  });
  const ends: (() => void)[] = [];
  const lost: HttpFailure = { kind: 'failure', fault: 'lost', detail: '', maybeSent: true };
  const http = reach.noticing({
    request: async () => {
      await new Promise<void>((end) => ends.push(end));
      return lost;
    },
    close: () => Promise.resolve(),
  });
  const ask = async (method: 'GET' | 'POST'): Promise<void> => {
    const rest = { url: '', headers: {}, body: null, stallMs: 1, signal: AbortSignal.abort() };
    await http.request({ method, ...rest });
  };
  const hear = (from: 'asked' | 'nothing', beganAt: number, accepted = true): void =>
    reach.observe({ operation: 'batchCount', from, accepted, dateMs: null, beganAt });
  const pass = (ms: number): void => void (now += ms);
  return { reach, changes, ask, hear, pass, answerFirst: () => ends.shift()?.() };
}

test('a request that waits for its answer is silence from its start, or from the last answer to another', async () => {
  const { reach, ask, hear, pass, answerFirst } = tracked();
  expect(reach.silentSince()).toBeNull();
  const asked = ask('GET');
  pass(500);
  expect(reach.silentSince()).toBe(1_000);
  hear('asked', 1_200);
  pass(500);
  expect(reach.silentSince()).toBe(1_500);
  expect(reach.failingSince()).toBeNull();
  answerFirst();
  await asked;
  expect(reach.silentSince()).toBeNull();
});

test('one with a body may take long, and one that failed is silence until something is answered', async () => {
  const { reach, changes, ask, hear, answerFirst } = tracked();
  const sent = ask('POST');
  expect(reach.silentSince()).toBeNull();
  answerFirst();
  await sent;
  hear('nothing', 700);
  hear('nothing', 800);
  expect([reach.silentSince(), reach.failingSince()]).toEqual([700, 700]);
  expect(changes).toEqual(['failing']);
  hear('asked', 900);
  hear('asked', 950);
  expect([reach.silentSince(), reach.failingSince()]).toEqual([null, null]);
  expect(changes).toEqual(['failing', 'back']);
});

test('answers that refuse do not end the time without one that accepts', () => {
  const { reach, hear, pass } = tracked();
  hear('asked', 900);
  pass(20_000);
  hear('asked', 20_900, false);
  pass(15_000);
  expect(reach.quietMs()).toBe(35_000);
  hear('asked', 35_900);
  expect(reach.quietMs()).toBe(0);
});

test('a program that shows whether the service is there asks at the start and after a silence, any other never', async () => {
  const clock = createManualClock();
  const unused = (): void => undefined;
  const reach = trackReachability(clock, createEngineTime(clock), {
    failing: unused,
    back: unused,
  });
  let asked = 0;
  const answered = { accepted: true, dateMs: null, beganAt: 0 };
  const checkKey = async () => {
    asked += 1;
    reach.observe({ operation: 'checkKey', from: 'asked', ...answered });
    return ok('demo');
  };
  const pipeline = createTestPipeline(createTestLedger(), { clock, client: { checkKey } });
  const probe = (asksWhenQuiet: boolean) =>
    createProbe(pipeline, reach, { asksWhenQuiet, onOpen: unused });
  expect([await probe(false)(), asked]).toEqual([null, 0]);
  expect([await probe(true)(), asked]).toEqual([30_000, 1]);
  clock.advance(20_000);
  expect([await probe(true)(), asked]).toEqual([10_000, 1]);
  reach.observe({ operation: 'batchCount', from: 'asked', ...answered });
  clock.advance(29_000);
  expect([await probe(true)(), asked]).toEqual([1_000, 1]);
  clock.advance(1_000);
  expect([await probe(true)(), asked]).toEqual([30_000, 2]);
});
