import { describe, expect, it } from 'vitest';
import { dayGroup, groupedList } from '../../../../renderer/text/dayGroups.ts';

const NOW = new Date(2026, 10, 21, 14, 30).getTime();
const HOUR = 3_600_000;

function listOf(rows: readonly (number | null)[]) {
  const asked: [number, number][] = [];
  return {
    asked,
    total: rows.length,
    row: (index: number) => rows[index] ?? null,
    ensure: (first: number, last: number) => void asked.push([first, last]),
  };
}

describe('rows by day', () => {
  it('are called by the calendar of this computer', () => {
    expect(dayGroup(NOW - HOUR, NOW)).toBe('Today');
    expect(dayGroup(NOW - 15 * HOUR, NOW)).toBe('Yesterday');
    expect(dayGroup(NOW - 39 * HOUR, NOW)).toBe('Earlier');
    expect(dayGroup(0, NOW)).toBe('Earlier');
  });

  it('belong to the same query as the rows without headings', () => {
    const list = { ...listOf([5, 1]), query: 7 };
    expect(groupedList(list, (row) => `day ${String(row)}`).query).toBe(7);
    expect(groupedList(list, () => '').query).toBe(7);
  });

  it('have a heading before each group', () => {
    const list = groupedList(listOf([5, 5, 3, 1]), (row) => `day ${String(row)}`);
    expect(list.total).toBe(7);
    expect(list.headings).toEqual([0, 3, 5]);
    expect(Array.from({ length: 7 }, (_, index) => list.row(index))).toEqual([
      { heading: 'day 5' },
      { heading: null, row: 5 },
      { heading: null, row: 5 },
      { heading: 'day 3' },
      { heading: null, row: 3 },
      { heading: 'day 1' },
      { heading: null, row: 1 },
    ]);
  });

  it('have none when there is one group, and none before rows that are not loaded', () => {
    expect(groupedList(listOf([5, 5]), String).total).toBe(2);
    expect(groupedList(listOf([5, 3, null, null]), String).total).toBe(6);
    expect(groupedList(listOf([5, 3, null, null]), String).row(5)).toBeNull();
  });

  it('ask for the rows themselves', () => {
    const plain = listOf([5, 5, 3, 1]);
    groupedList(plain, String).ensure(0, 6);
    expect(plain.asked).toEqual([[0, 3]]);
  });
});
