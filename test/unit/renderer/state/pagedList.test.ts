import { expect, it, vi } from 'vitest';
import { ok, type Result } from '../../../../main/engine/core/errors.ts';
import type { PageOf } from '../../../../preload/contract/records.ts';
import { pagedList } from '../../../../renderer/state/pagedList.svelte.ts';

it('tells that its rows are still those of the query before, once one notices', async () => {
  vi.useFakeTimers();
  const answers: ((page: Result<PageOf<string>>) => void)[] = [];
  const answer = async (rows: readonly string[]): Promise<void> => {
    answers.shift()?.(ok({ total: rows.length, rows }));
    await vi.advanceTimersByTimeAsync(0);
  };
  const list = pagedList<string>(async () => new Promise((resolve) => answers.push(resolve)));
  list.ensure(0, 0);
  await answer(['a', 'b']);
  list.reset();
  expect([list.total, list.late]).toEqual([2, false]);
  await vi.advanceTimersByTimeAsync(300);
  // A second search, before the first one has ended: its answer is dropped.
  expect(list.late).toBe(true);
  list.reset();
  await answer(['a']);
  expect([list.total, list.late]).toEqual([2, true]);
  await answer(['b']);
  expect([list.total, list.row(0), list.late]).toEqual([1, 'b', false]);
  list.reset();
  await answer(['c']);
  await vi.advanceTimersByTimeAsync(300);
  expect(list.late).toBe(false);
  vi.useRealTimers();
});
