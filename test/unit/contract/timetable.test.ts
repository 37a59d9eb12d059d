import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  capAt,
  type LocalTime,
  readCap,
  readTimetable,
  type Timetable,
} from '../../../preload/contract/timetable.ts';
import { anyText } from '../../helpers/anyText.ts';

const HOUR = 3_600_000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function read(text: string): Timetable {
  const timetable = readTimetable(text);
  if (!timetable.ok) throw new Error(timetable.problem);
  return timetable.value;
}

function problemOf(text: string): string | null {
  const timetable = readTimetable(text);
  return timetable.ok ? null : timetable.problem;
}

const clock = (weekday: number, hour: number, minute = 0): LocalTime => ({
  weekday,
  minute: hour * 60 + minute,
});

/** The wall clock of Berlin, whatever this computer's time zone is. */
function berlin(at: number): LocalTime {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return clock(DAYS.indexOf(part('weekday')), Number(part('hour')), Number(part('minute')));
}

describe('a rate', () => {
  it.each([
    ['2M', 2_000_000],
    ['500k', 500_000],
    ['500K', 500_000],
    ['1.5m', 1_500_000],
    ['1G', 1_000_000_000],
    ['1000', 1000],
    ['off', null],
    ['OFF', null],
  ])('%s is decimal bytes per second', (text, rate) => {
    expect(readCap(text)).toEqual({ ok: true, value: rate });
  });

  it.each(['', '0', '999', '0.5k', '-1M', '2MB/s', '2 M', '1e9', 'M', 'on', '٣M', '2M,1M'])(
    '%j is none',
    (text) => {
      expect(readCap(text).ok).toBe(false);
    },
  );
});

describe('a timetable', () => {
  it('of one rate holds always', () => {
    expect(capAt(read(' 2M '), clock(3, 12))).toBe(2_000_000);
  });

  it('changes at its times, and the last change holds over midnight', () => {
    const timetable = read('08:00,2M 18:00,off');
    expect(capAt(timetable, clock(2, 7, 59))).toBeNull();
    expect(capAt(timetable, clock(2, 8))).toBe(2_000_000);
    expect(capAt(timetable, clock(2, 17, 59))).toBe(2_000_000);
    expect(capAt(timetable, clock(2, 18))).toBeNull();
  });

  it('with days holds over the days that say nothing', () => {
    const timetable = read('Mon-08:00,512k Fri-18:30,off');
    expect(capAt(timetable, clock(0, 12))).toBeNull();
    expect(capAt(timetable, clock(1, 7, 59))).toBeNull();
    expect(capAt(timetable, clock(1, 8))).toBe(512_000);
    expect(capAt(timetable, clock(4, 3))).toBe(512_000);
    expect(capAt(timetable, clock(6, 0))).toBeNull();
  });

  it('believes a single day more than every day', () => {
    const timetable = read('08:00,2M 18:00,off sun-08:00,off');
    expect(capAt(timetable, clock(0, 9))).toBeNull();
    expect(capAt(timetable, clock(1, 9))).toBe(2_000_000);
  });

  it('of nothing has no cap', () => {
    expect(capAt(read(' '), clock(1, 9))).toBeNull();
  });

  it.each([
    ['08:00', '“08:00” is not a valid entry; use 08:00,2M or Mon-08:00,2M'],
    ['24:00,2M', '“24:00,2M” has no valid time of day; use 00:00 to 23:59'],
    ['08:60,2M', '“08:60,2M” has no valid time of day; use 00:00 to 23:59'],
    ['Moo-08:00,2M', '“Moo” is not a day; use Mon, Tue, … Sun'],
    ['08:00,fast', '“fast” is not a valid rate; use 500k, 2M, 1.5G or off'],
    ['constructor', '“constructor” is not a valid rate; use 500k, 2M, 1.5G or off'],
    ['08:00,2M 8:00,3M', '“8:00,3M” repeats a time'],
    ['2M 18:00,off', '“2M” is not a valid entry; use 08:00,2M or Mon-08:00,2M'],
    ['08:00,10', '“10” is under 1 kB per second; pause uploads instead'],
    ['08:00,2M '.repeat(80), 'Too long; at most 500 characters'],
  ])('%j is refused and says why', (text, why) => {
    expect(problemOf(text)).toBe(why);
  });

  it('never throws, whatever is written', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const timetable = readTimetable(text);
        expect(timetable.ok || timetable.problem !== '').toBe(true);
      }),
    );
  });
});

const entry = fc.record({
  weekday: fc.option(fc.integer({ min: 0, max: 6 })),
  minute: fc.integer({ min: 0, max: 1439 }),
  rate: fc.option(fc.integer({ min: 1000, max: 999_999_999 })),
});
const entries = fc.uniqueArray(entry, {
  minLength: 1,
  maxLength: 12,
  selector: ({ weekday, minute }) => `${weekday}:${minute}`,
});

function write(list: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return list
    .map(({ weekday, minute, rate }) => {
      const day = weekday === null ? '' : `${DAYS[weekday]}-`;
      return `${day}${two(Math.floor(minute / 60))}:${two(minute % 60)},${rate ?? 'off'}`;
    })
    .join(' ');
}

describe('any timetable', () => {
  it('holds what a walk backwards through the week finds', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 10_079 }), (list, now) => {
        const timetable = read(write(list));
        let expected: number | null | undefined;
        for (let back = 0; back <= 10_080 && expected === undefined; back += 1) {
          const at = (now - back + 10_080) % 10_080;
          const day = Math.floor(at / 1440);
          const here = list.filter(({ minute }) => minute === at % 1440);
          const found =
            here.find(({ weekday }) => weekday === day) ??
            here.find(({ weekday }) => weekday === null);
          if (found !== undefined) expected = found.rate;
        }
        expect(capAt(timetable, { weekday: Math.floor(now / 1440), minute: now % 1440 })).toBe(
          expected,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('when the clocks change', () => {
  it('a time that is skipped in spring begins when the clock changes', () => {
    // Berlin, 2026-03-29: 01:59 is followed by 03:00.
    const timetable = read('02:30,2M 20:00,off');
    const leap = Date.UTC(2026, 2, 29, 1, 0);
    expect(berlin(leap)).toEqual(clock(0, 3));
    expect(capAt(timetable, berlin(leap - 1))).toBeNull();
    expect(capAt(timetable, berlin(leap))).toBe(2_000_000);
  });

  it('an hour that is repeated in autumn follows the wall clock both times', () => {
    // Berlin, 2026-10-25: 02:59 is followed by 02:00.
    const timetable = read('02:30,2M 04:00,off');
    const [first, repeated] = [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 0)];
    expect(capAt(timetable, berlin(first - 1))).toBeNull();
    expect(capAt(timetable, berlin(first))).toBe(2_000_000);
    expect(capAt(timetable, berlin(repeated - 1))).toBe(2_000_000);
    expect(capAt(timetable, berlin(repeated))).toBeNull();
    expect(capAt(timetable, berlin(repeated + HOUR / 2))).toBe(2_000_000);
  });
});
