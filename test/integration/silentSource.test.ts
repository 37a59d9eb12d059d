/** Commands over files on a drive that does not answer from the start: they say so and end. */
import type * as FileSystem from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createBench, eventsOf } from './cliRun.ts';
import { fastClock } from './ports.ts';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof FileSystem>();
  type Ended = (error: Error | null, found?: unknown) => void;
  const stat = (path: FileSystem.PathLike, ended: Ended): void => {
    if (!String(path).includes('silent')) real.stat(path, ended);
  };
  return { ...real, stat, default: { ...real, stat } };
});

test.each([
  ['upload', 'silent', '--batch', 'b'],
  ['run', 'silent', '--batch', 'b', '--workflow', 'w', '--to', 'results'],
])('%s', async (command, source, ...options) => {
  const bench = await createBench();
  const path = join(bench.directory, source);
  const ended = await bench.sluice([command, path, ...options], {
    wraps: [fastClock(500)],
    json: true,
  });
  expect(ended.exitCode).toBe(3);
  expect(eventsOf(ended.stdout)).toEqual([
    expect.objectContaining({
      event: 'error',
      code: 'disk.missing',
      message: expect.stringContaining(`${path} does not answer`),
    }),
  ]);
});
