/** One batch, however its id is written: what an upload sent, a watch does not send again. */
import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

test.concurrent.for([
  ['upload', 'Line 3', 'watch', 'Line 3'],
  ['watch', 'Line 3', 'upload', 'line-3'],
  ['watch', 'Line 3', 'watch', 'line-3'],
  ['upload', 'x'.repeat(80), 'watch', 'x'.repeat(80)],
] as const)(
  '%s to %s, then %s to %s',
  async ([first, firstId, second, secondId], { onTestFinished }) => {
    const world = await createWorld({}, onTestFinished);
    await world.local.writeImages(3);
    const run = (command: string, id: string) => {
      const once = command === 'watch' ? ['--once', '--settle', '1'] : [];
      return world.cli([command, world.local.root, '--batch', id, ...once]);
    };
    expect((await run(first, firstId)).exitCode).toBe(0);
    expect((await run(second, secondId)).exitCode).toBe(0);
    await world.expectExactlyOnce({});
  },
);
