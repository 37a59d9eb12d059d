import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatLeft,
  formatPercent,
  formatRate,
  formatRelative,
} from '../../../renderer/text/format.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('figures', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [999_949, '1000 kB'],
    [999_950, '1.0 MB'],
    [41_250_000, '41.3 MB'],
    [4_910_000_000, '4.9 GB'],
    [8.1e18, '8100 PB'],
    [-1, '–'],
    [Number.NaN, '–'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('rates lose the digit that nobody can read', () => {
    expect(formatRate(41_250_000)).toBe('41 MB/s');
    expect(formatRate(4_120_000)).toBe('4.1 MB/s');
    expect(formatRate(Infinity)).toBe('–');
  });

  it('counts have separators and their noun', () => {
    expect(formatCount(17_342)).toBe('17,342');
    expect(countOf(1, 'file')).toBe('1 file');
    expect(countOf(0, 'batch', 'batches')).toBe('0 batches');
  });

  it('percent never says done too early, nor nothing when something is done', () => {
    expect(formatPercent(0.9999)).toBe('99 %');
    expect(formatPercent(0.0001)).toBe('1 %');
    expect(formatPercent(0)).toBe('0 %');
    expect(formatPercent(1.2)).toBe('100 %');
    expect(formatPercent(Number.NaN)).toBe('–');
  });
});

describe('time', () => {
  it('durations name their two largest units', () => {
    expect(formatDuration(12_900)).toBe('12 s');
    expect(formatDuration(179_999)).toBe('2 min');
    expect(formatDuration(2 * HOUR)).toBe('2 h');
    expect(formatDuration(2 * DAY + 4 * HOUR)).toBe('2 d 4 h');
    expect(formatDuration(-5)).toBe('0 s');
  });

  it('time left is rounded up, coarser the longer it is', () => {
    expect(formatLeft(3000)).toBe('under 10 s');
    expect(formatLeft(41_000)).toBe('50 s');
    expect(formatLeft(118_000)).toBe('2 min');
    expect(formatLeft(2 * HOUR + 61_000)).toBe('2 h 10 min');
    expect(formatLeft(Infinity)).toBe('–');
  });

  it('instants are seen from now, in both directions', () => {
    const now = Date.UTC(2026, 10, 21, 12);
    expect(formatRelative(now - 3000, now)).toBe('just now');
    expect(formatRelative(now - 5 * 60_000, now)).toBe('5 min ago');
    expect(formatRelative(now - (3 * HOUR + 60_000), now)).toBe('3 h ago');
    expect(formatRelative(now + 2 * DAY, now)).toBe('in 2 d');
    expect(formatRelative(now - 30 * DAY, now)).toBe('Oct 22');
    expect(formatRelative(now - 400 * DAY, now)).toMatch(/2025$/);
    expect(formatRelative(Number.NaN, now)).toBe('–');
  });
});
