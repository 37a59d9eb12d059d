/** Times of day and calendar days: as the controls hold them, and as text values. Pure. */
import { CalendarDate, Time } from '@internationalized/date';

/** Reads "18:05"; undefined for '' and for anything that is not a time. */
export function readTime(text: string): Time | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? undefined : new Time(Number(hour), Number(minute));
}

/** "18:05"; '' without a time. */
export function timeText(time: { toString: () => string } | undefined): string {
  return time?.toString().slice(0, 5) ?? '';
}

/** Reads "2026-11-22"; undefined for '' and for anything that is not a day. */
export function readDay(text: string): CalendarDate | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const read = new CalendarDate(Number(year), Number(month), Number(day));
  // CalendarDate moves a day that the month does not have to the month's last day.
  return read.toString() === text ? read : undefined;
}

/** A part of a field as shown: digits, or dashes while it is empty. */
export interface ShownPart {
  readonly part: string;
  readonly value: string;
}

/** The time that is meant when the field is left: an hour alone means the full hour, a minute alone means no time. */
export function settledTime(parts: readonly ShownPart[]): string {
  const digits = (name: string): string => {
    const shown = parts.find(({ part }) => part === name)?.value ?? '';
    return /^\d{1,2}$/.test(shown) ? shown.padStart(2, '0') : '';
  };
  const [hour, minute] = [digits('hour'), digits('minute')];
  return hour === '' ? '' : `${hour}:${minute === '' ? '00' : minute}`;
}
