import { describe, expect, it, vi } from 'vitest';
import {
  drawnScroll,
  moveBy,
  movedBy,
  scrollToShow,
  visibleRange,
} from '../../../renderer/text/virtualRange.ts';
import { pagedList } from '../../../renderer/state/pagedList.svelte.ts';
import type { ErrorCode, Result } from '../../../preload/contract/errors.ts';
import type { PageOf } from '../../../preload/contract/records.ts';

describe('what is drawn of a long list', () => {
  it('is what can be seen and a little more', () => {
    expect(visibleRange(36_000, 360, 36, 100_000, 8)).toEqual({ first: 992, end: 1018 });
  });
  it('ends where the list ends, even when it became shorter below the scroll place', () => {
    expect(visibleRange(36_000, 360, 36, 3, 8)).toEqual({ first: 3, end: 3 });
    expect(visibleRange(0, 0, 36, 0)).toEqual({ first: 0, end: 0 });
  });
});

describe('a list that is taller than what browsers draw', () => {
  it('is drawn as tall as they can, and its last row is reached all the same', () => {
    expect(drawnScroll(4_400_000, 600)).toEqual({ drawn: 4_400_000, scale: 1 });
    const { drawn, scale } = drawnScroll(44_000_000, 600);
    expect(drawn).toBeLessThan(2 ** 24);
    expect((drawn - 600) * scale).toBeCloseTo(44_000_000 - 600, 3);
  });
});

describe('the keyboard', () => {
  it.each([
    ['ArrowDown', -1, 0],
    ['ArrowUp', -1, 0],
    ['ArrowDown', 99, 99],
    ['PageDown', 50, 60],
    ['PageUp', 5, 0],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['Tab', 50, null],
  ])('%s leads from %d to %s', (key, from, to) => {
    expect(moveBy(key, from, 100, 10)).toBe(to);
  });
  it.each([
    ['ArrowDown', -1, 1],
    ['ArrowDown', 3, 5],
    ['ArrowUp', 5, 3],
    ['ArrowUp', 1, 1],
    ['Home', 9, 1],
    ['PageUp', 14, 3],
  ])('passes the headings of groups: %s from %i to %i', (key, from, to) => {
    expect(moveBy(key, from, 100, 10, [0, 4])).toBe(to);
  });
  it('leads nowhere in an empty list', () => {
    expect(moveBy('End', -1, 0, 10)).toBeNull();
  });
  it('scrolls only as far as needed', () => {
    expect(scrollToShow(180, 216, 0, 360)).toBe(0);
    expect(scrollToShow(360, 396, 0, 360)).toBe(36);
    expect(scrollToShow(72, 108, 360, 360)).toBe(72);
  });
});

describe('rows that come above the visible ones', () => {
  const seen = { first: 2, keys: ['c', 'd'], top: 72, total: 5 };
  const moved = (rows: string, total = rows.length): number =>
    movedBy(seen, total, (index) => rows[index] ?? null);
  it.each([
    ['abcde', 0],
    ['xyabcde', 2],
    ['bcde', -1],
    // One row is sorted elsewhere, or is gone: the others stay.
    ['abdec', 0],
    ['abde', 0],
    ['abcxde', 0],
  ])('%s: moved by %d', (rows, by) => {
    expect(moved(rows)).toBe(by);
  });
  it('takes rows that are not loaded yet for those that were there', () => {
    expect(moved('xyzxyz', 1005)).toBe(1000);
    expect(moved('xyzxyz')).toBe(0);
    expect(moved('')).toBe(0);
  });
});

/** A list whose pages come when the test says so; its first rows are looked at. */
function slowList(total: number) {
  const open: {
    readonly offset: number;
    readonly give: (mark?: string) => Promise<void>;
    readonly fail: (code: ErrorCode) => Promise<void>;
  }[] = [];
  const list = pagedList(
    (offset, limit) =>
      new Promise<Result<PageOf<string>>>((resolve) => {
        const answer = async (result: Result<PageOf<string>>): Promise<void> => {
          resolve(result);
          await Promise.resolve();
          await Promise.resolve();
        };
        const rowsOf = (mark: string): readonly string[] =>
          Array.from(
            { length: Math.min(limit, total - offset) },
            (_, index) => `${mark} ${offset + index}`,
          );
        open.push({
          offset,
          give: (mark = 'row') => answer({ ok: true, value: { total, rows: rowsOf(mark) } }),
          fail: (code) => answer({ ok: false, error: { code, next: 'retry', context: {} } }),
        });
      }),
  );
  list.ensure(0, 9);
  return { open, list };
}

describe('pages on demand', () => {
  it('are asked for once, and only those that are looked at', async () => {
    const { open, list } = slowList(1000);
    list.ensure(5, 25);
    expect(open.map(({ offset }) => offset)).toEqual([0]);
    await open[0]?.give();
    expect(list.total).toBe(1000);
    expect(list.row(7)).toBe('row 7');
    list.ensure(750, 810);
    expect(open.map(({ offset }) => offset)).toEqual([0, 700, 800]);
    expect(list.row(760)).toBeNull();
  });

  it('keep the old rows on the screen until the new ones are there', async () => {
    const { open, list } = slowList(10);
    await open[0]?.give();
    list.refresh();
    expect(list.row(3)).toBe('row 3');
    await open[1]?.give('new');
    expect(list.row(3)).toBe('new 3');
  });

  it('hear an answer that takes longer than the next refresh, and ask once more afterwards', async () => {
    const { open, list } = slowList(10);
    list.refresh();
    list.refresh();
    expect(open).toHaveLength(1);
    await open[0]?.give('slow');
    expect(list.loading).toBe(false);
    expect(list.row(3)).toBe('slow 3');
    expect(open).toHaveLength(2);
    await open[1]?.give('new');
    expect(list.row(3)).toBe('new 3');
    expect(open).toHaveLength(2);
  });

  it('drop answers to an older question', async () => {
    const { open, list } = slowList(10);
    list.reset();
    await open[1]?.give('new');
    await open[0]?.give('old');
    expect(list.row(0)).toBe('new 0');
  });

  it('keep the old rows until the first answer to a new question, and then load what was scrolled to', async () => {
    const { open, list } = slowList(1000);
    await open[0]?.give();
    list.ensure(100, 120);
    await open[1]?.give();
    const { query } = list;
    list.reset();
    list.ensure(100, 120);
    expect([list.row(0), list.row(100), list.loading]).toEqual(['row 0', 'row 100', false]);
    expect(list.query).not.toBe(query);
    await open[2]?.give('new');
    expect([list.row(0), list.row(100)]).toEqual(['new 0', null]);
    await open[3]?.give('new');
    expect(list.row(100)).toBe('new 100');
  });

  it('tell that the rows are still those of the question before, once that takes longer', async () => {
    vi.useFakeTimers();
    const { open, list } = slowList(10);
    await open[0]?.give();
    list.reset();
    expect(list.late).toBe(false);
    vi.advanceTimersByTime(300);
    expect(list.late).toBe(true);
    // The answer to a search that was replaced is dropped.
    list.reset();
    await open[1]?.give('old');
    expect(list.late).toBe(true);
    await open[2]?.give('new');
    expect([list.row(0), list.late]).toEqual(['new 0', false]);
    list.reset();
    await open[3]?.give();
    vi.advanceTimersByTime(300);
    expect(list.late).toBe(false);
    vi.useRealTimers();
  });

  it('show no rows of an older question when there is no answer to the new one', async () => {
    const { open, list } = slowList(10);
    await open[0]?.give();
    list.reset();
    await open[1]?.fail('service.busy');
    expect([list.total, list.row(0), list.error?.code]).toEqual([0, null, 'service.busy']);
  });

  it('say why a page did not come, and keep what is there', async () => {
    const { open, list } = slowList(10);
    await open[0]?.give();
    list.refresh();
    await open[1]?.fail('store.corrupt');
    expect(list.error?.code).toBe('store.corrupt');
    expect(list.row(0)).toBe('row 0');
  });
});
