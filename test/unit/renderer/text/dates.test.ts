import { describe, expect, it } from 'vitest';
import {
  dayName,
  daysText,
  dayText,
  formatClock,
  formatExact,
  formatSeconds,
  shortDayText,
} from '../../../../renderer/text/dates.ts';

/** A local time: what is displayed is by this computer's calendar. */
const AT = new Date(2026, 10, 21, 14, 5, 9).getTime();

describe('dates of the window', () => {
  it('an exact time is English with 24 hours, in any language of the system', () => {
    expect(formatExact(AT)).toBe('21 Nov 2026, 14:05:09');
    expect(formatSeconds(AT)).toBe('14:05:09');
    expect(formatClock(AT)).toBe('14:05');
  });

  it('a time that no calendar has, or that is unknown, is not shown', () => {
    for (const at of [Number.NaN, 9e99, 0]) {
      expect([formatExact(at), formatSeconds(at), formatClock(at)]).toEqual(['–', '–', '–']);
    }
  });

  it('days have the month as a word; what is no day stays as it is', () => {
    expect(dayText('2026-01-31')).toBe('31 Jan 2026');
    expect(shortDayText('2026-03-01')).toBe('1 Mar');
    expect(dayText('2026-02-30')).toBe('2026-02-30');
    expect(dayText('')).toBe('');
  });

  it('a period says a year once unless it needs two', () => {
    expect(daysText({ from: '2026-01-31', until: '2026-03-01' })).toBe('31 Jan – 1 Mar 2026');
    expect(daysText({ from: '2025-12-23', until: '2026-01-21' })).toBe('23 Dec 2025 – 21 Jan 2026');
    expect(daysText({ from: '2026-01-21', until: '2026-01-21' })).toBe('21 Jan 2026');
    expect(daysText({ from: '', until: 'x' })).toBe(' – x');
  });

  it('days of the history are named as people do', () => {
    expect(dayName('2026-11-21', AT)).toBe('Today');
    expect(dayName('2026-11-20', AT)).toBe('Yesterday');
    expect(dayName('2026-11-16', AT)).toBe('Monday, 16 Nov');
    expect(dayName('2025-11-16', AT)).toBe('16 Nov 2025');
  });
});
