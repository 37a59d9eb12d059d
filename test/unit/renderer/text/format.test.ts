import { describe, expect, it } from 'vitest';
import { formatLeft, formatRate, formatRelative } from '../../../../renderer/text/format.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('figures of the window', () => {
  it('rates lose the digit that cannot be read', () => {
    expect(formatRate(41_250_000)).toBe('41 MB/s');
    expect(formatRate(4_120_000)).toBe('4.1 MB/s');
    expect(formatRate(Infinity)).toBe('–');
  });

  it('time left is rounded up, coarser the longer it is', () => {
    expect(formatLeft(3000)).toBe('under 10 s');
    expect(formatLeft(41_000)).toBe('50 s');
    expect(formatLeft(118_000)).toBe('2 min');
    expect(formatLeft(2 * HOUR + 61_000)).toBe('2 h 10 min');
    expect(formatLeft(Infinity)).toBe('–');
  });

  it('times are shown relative to now, in both directions', () => {
    const now = Date.UTC(2026, 10, 21, 12);
    expect(formatRelative(now - 3000, now)).toBe('just now');
    expect(formatRelative(now - 5 * 60_000, now)).toBe('5 min ago');
    expect(formatRelative(now - (3 * HOUR + 60_000), now)).toBe('3 h ago');
    expect(formatRelative(now + 2 * DAY, now)).toBe('in 2 d');
    expect(formatRelative(now - 30 * DAY, now)).toBe('22 Oct');
    expect(formatRelative(now - 400 * DAY, now)).toMatch(/2025$/);
    expect(formatRelative(Number.NaN, now)).toBe('–');
    expect(formatRelative(0, now), 'unknown').toBe('–');
  });
});
