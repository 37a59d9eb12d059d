import { type FileHandle, open } from 'node:fs/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { syncDirectory } from '../../../../../main/engine/files/write/syncDirectory.ts';
import { scratch } from '../../../../helpers/scratch.ts';

/** Syncs that began and did not end yet. */
const running: { resolve: () => void; reject: (error: Error) => void }[] = [];

function end(): (typeof running)[number] {
  const first = running.shift();
  if (first === undefined) throw new Error('no sync is running');
  return first;
}

const BROKEN = Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
const UNABLE = Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });

beforeEach(async () => {
  const handle = await open(scratch(), 'r');
  await handle.close();
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  const sync = vi.spyOn(prototype, 'sync').mockImplementation(
    () =>
      new Promise<void>((resolve, reject) => {
        running.push({ resolve, reject });
      }),
  );
  return () => {
    sync.mockRestore();
    running.splice(0);
  };
});

/** One that is being synced, and two that made their names meanwhile and wait for the next sync. */
async function threeAtOnce(directory: string): Promise<readonly Promise<void>[]> {
  const all = [syncDirectory(directory)];
  await vi.waitUntil(() => running.length === 1);
  all.push(syncDirectory(directory), syncDirectory(directory));
  for (const one of all) one.catch(() => undefined);
  await new Promise(setImmediate);
  return all;
}

test('what is made while a sync runs shares the next one', async () => {
  const all = await threeAtOnce(scratch());
  expect(running).toHaveLength(1);
  end().resolve();
  await all[0];
  await vi.waitUntil(() => running.length === 1);
  end().resolve();
  await Promise.all(all);
  expect(running).toHaveLength(0);
});

test('a sync that fails is an error for all whose names were there, and for none that come later', async () => {
  const directory = scratch();
  const all = await threeAtOnce(directory);
  end().reject(BROKEN);
  for (const one of all) await expect(one).rejects.toBe(BROKEN);
  expect(running).toHaveLength(0);
  const later = syncDirectory(directory);
  await vi.waitUntil(() => running.length === 1);
  end().resolve();
  await later;
});

test('a directory that cannot be synced fails nothing', async () => {
  const all = await threeAtOnce(scratch());
  end().reject(UNABLE);
  await vi.waitUntil(() => running.length === 1);
  end().reject(UNABLE);
  await Promise.all(all);
});
