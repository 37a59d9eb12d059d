/** The clock that lets minutes pass in a moment, on a machine that is slow. */
import { expect, test } from 'vitest';
import { createPorts, fastClock } from './ports.ts';

test('no fast sleep ends while a path is looked up', async () => {
  const plain = createPorts({ write: () => undefined }, false);
  const found = Promise.withResolvers<string>();
  let now = 0;
  const sleep = (ms: number): Promise<void> => Promise.resolve(void (now += ms));
  const clock = { ...plain.clock, monotonicMs: () => now, sleep };
  const slow = { ...plain, clock, files: { ...plain.files, realPath: () => found.promise } };
  const fast = fastClock(100)(slow);
  const look = fast.files.realPath('/somewhere');
  const late = fast.clock.sleep(10_000).then(() => 'it does not answer');
  setImmediate(() => found.resolve('/elsewhere'));
  expect(await Promise.race([look, late])).toBe('/elsewhere');
});

test('what counts of a time in which the process could not run is a moment', () => {
  const plain = createPorts({ write: () => undefined }, false);
  let now = 0;
  const fast = fastClock(100)({ ...plain, clock: { ...plain.clock, monotonicMs: () => now } });
  const before = fast.clock.monotonicMs();
  now += 10;
  expect(fast.clock.monotonicMs() - before).toBe(1_000);
  now += 60_000;
  expect(fast.clock.monotonicMs() - before).toBeLessThan(5_000);
});
