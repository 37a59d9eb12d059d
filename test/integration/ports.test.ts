/** The clock that lets minutes pass in a moment, on a machine whose disk is slow. */
import { expect, test } from 'vitest';
import { createPorts, fastClock } from './ports.ts';

test('no fast sleep ends while a path is looked up', async () => {
  const plain = createPorts({ write: () => undefined }, false);
  const found = Promise.withResolvers<string>();
  const clock = { ...plain.clock, sleep: () => Promise.resolve() };
  const slow = { ...plain, clock, files: { ...plain.files, realPath: () => found.promise } };
  const fast = fastClock(100)(slow);
  const look = fast.files.realPath('/somewhere');
  const late = fast.clock.sleep(10_000).then(() => 'it does not answer');
  setImmediate(() => found.resolve('/elsewhere'));
  expect(await Promise.race([look, late])).toBe('/elsewhere');
});
