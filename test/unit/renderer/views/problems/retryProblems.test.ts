import { beforeEach, expect, test, vi } from 'vitest';
import type { ProblemGroup } from '../../../../../preload/contract/records.ts';
import { dismissToast, toasts } from '../../../../../renderer/state/toasts.svelte.ts';
import {
  dismissJob,
  noteListed,
  retryProblems,
} from '../../../../../renderer/views/problems/retryProblems.ts';

/** The list of problems: files by id, with when each came into it. */
function listOf(since: Readonly<Record<number, number>>): ProblemGroup {
  const code = 'item.unreadable';
  const rows = Object.entries(since).map(
    ([key, at]) =>
      ({
        id: Number(key),
        ids: [Number(key)],
        path: `/a/${key}.jpg`,
        relativePath: `${key}.jpg`,
        kind: null,
        watchId: null,
        batchId: 'a',
        code,
        detail: null,
        since: at,
      }) as const,
  );
  return { code, detail: null, count: rows.length, rows };
}

const texts = (): readonly string[] => toasts().map(({ text }) => text);

beforeEach(() => {
  vi.useFakeTimers();
  const decided = (input: { ids: readonly number[] | null }) => ({
    ok: true,
    value: { count: input.ids?.length ?? 2, undo: 'u' },
  });
  const request = (_name: string, input: Parameters<typeof decided>[0]) =>
    Promise.resolve(decided(input));
  vi.stubGlobal('window', { sluice: { request } });
  return () => {
    for (const { id } of toasts()) dismissToast(id);
    vi.unstubAllGlobals();
    vi.useRealTimers();
  };
});

test('a file that failed again is not being tried any more', async () => {
  noteListed([listOf({ 1: 100, 2: 100 })]);
  await retryProblems({ ids: [1] }, () => undefined);
  // An answer from before the try, and one without the file.
  noteListed([listOf({ 1: 100, 2: 100 })]);
  noteListed([listOf({ 2: 100 })]);
  expect(texts()).toEqual(['Trying 1 file again.']);
  noteListed([listOf({ 1: 200, 2: 100 })]);
  expect(texts()).toEqual([]);
});

test('while some of several files are tried, it is said and can be undone', async () => {
  noteListed([listOf({ 1: 100, 2: 100 })]);
  await retryProblems('all', () => undefined);
  noteListed([listOf({ 1: 200 })]);
  expect(toasts()).toMatchObject([{ text: 'Trying 2 files again.', action: { label: 'Undo' } }]);
  noteListed([listOf({ 1: 200, 2: 300 })]);
  expect(texts()).toEqual([]);
});

test('a failed job that could not be taken off the list is not said to be off it', async () => {
  const error = { code: 'bug.unexpected', next: 'stop', context: {} };
  const request = () => Promise.resolve({ ok: false, error });
  vi.stubGlobal('window', { sluice: { request } });
  await dismissJob({ jobId: 'j', name: 'Count' }, () => undefined);
  expect(toasts()).toMatchObject([{ tone: 'error' }]);
});
