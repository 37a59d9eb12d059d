/** The whole loop of a watch: files arrive, their batch is closed soon, a job processes it, its outputs come back. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import { tinyJpeg } from '../helpers/media.ts';
import type { Job } from '../service/state.ts';
import { contentsBelow } from './localFiles.ts';
import type { World } from './world.ts';

/** Closes a batch after 0.6 s without a new file. */
export const CLOSED_SOON = { quietMinutes: 0.01, items: null, at: null };

/** What makes a watch run the whole loop. */
export function loopRule(world: World): Partial<WatchRule> {
  return {
    seal: CLOSED_SOON,
    job: { workflowId: 'count-cups' },
    downloadTo: join(world.directory, 'results'),
  };
}

/** The user stores `count` images of two cameras; the number of the first makes their contents. */
export async function writeFrames(world: World, first: number, count: number): Promise<void> {
  for (let number = first; number < first + count; number += 1) {
    await world.local.write(`cam-${number % 2}/${number}.jpg`, tinyJpeg(number));
  }
  await world.local.remember();
}

/** A job ran once, and the directory contains exactly its outputs, byte for byte. */
export async function expectOutputs(
  world: World,
  job: Job | undefined,
  directory: string,
): Promise<void> {
  expect(job?.runs).toBe(1);
  const outputs = world.service.state.objects(`${job?.jobId ?? ''}-export`);
  expect(outputs.length).toBeGreaterThan(1);
  expect(await contentsBelow(directory)).toEqual(outputs.map(({ sha256 }) => sha256).sort());
}
