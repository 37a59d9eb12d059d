import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
} from '../../../preload/contract/figures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('figures', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [999_950, '1 MB'],
    [41_250_000, '41.3 MB'],
    [4_910_000_000, '4.9 GB'],
    [8.1e18, '8100 PB'],
    [-1, '–'],
    [Number.NaN, '–'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('durations name their two largest units', () => {
    expect(formatDuration(12_900)).toBe('12 s');
    expect(formatDuration(179_999)).toBe('2 min');
    expect(formatDuration(2 * HOUR)).toBe('2 h');
    expect(formatDuration(2 * DAY + 4 * HOUR)).toBe('2 d 4 h');
    expect(formatDuration(-5)).toBe('0 s');
  });

  it('counts have separators and their noun', () => {
    expect([0, 999, 1000, 17_341.6, 1_234_567, -1234, Number.NaN].map(formatCount)).toEqual([
      ...['0', '999', '1,000', '17,342', '1,234,567', '-1,234', '–'],
    ]);
    expect(countOf(1, 'file')).toBe('1 file');
    expect(countOf(0, 'batch', 'batches')).toBe('0 batches');
  });

  it('percent never says done too early, nor nothing when something is done', () => {
    expect(formatPercent(0.9999)).toBe('99 %');
    expect(formatPercent(0.0001)).toBe('1 %');
    expect(formatPercent(0)).toBe('0 %');
    expect(formatPercent(0.29)).toBe('29 %');
    expect(formatPercent(3 / 26)).toBe('11 %');
    expect(formatPercent(1.2)).toBe('100 %');
    expect(formatPercent(Number.NaN)).toBe('–');
  });
});
