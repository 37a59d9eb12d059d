/**
 * Dates and times of day as the window shows them, whatever the language of the system: the words beside them are English. The month is
 * a word, because 4/5 is two different days; times have 24 hours, as in the time fields and the logs. Pure.
 */
import { isCalendarDay, localDay, type Period } from '../../preload/contract/calendarDay.ts';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The day of a week, where 0 is Sunday: "Monday"; '' for anything else. */
export function weekdayName(weekday: number): string {
  return WEEKDAYS[weekday] ?? '';
}

/** A day of any year: "21 Nov"; `day` is YYYY-MM-DD, and what is no day stays as it is. */
export function shortDayText(day: string): string {
  if (!isCalendarDay(day)) return day;
  return `${String(Number(day.slice(8)))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ''}`;
}

/** "21 Nov 2026"; `day` is YYYY-MM-DD, and what is no day stays as it is. */
export function dayText(day: string): string {
  return isCalendarDay(day) ? `${shortDayText(day)} ${day.slice(0, 4)}` : day;
}

/** A period: "23 Oct – 21 Nov 2026", "23 Dec 2025 – 21 Jan 2026". */
export function daysText({ from, until }: Period): string {
  if (from === until) return dayText(from);
  const sameYear = from.slice(0, 4) === until.slice(0, 4);
  return `${(sameYear ? shortDayText : dayText)(from)} – ${dayText(until)}`;
}

/** "Today", "Yesterday", "Monday, 16 Nov", "16 Nov 2025"; `day` is YYYY-MM-DD, by this computer's calendar. */
export function dayName(day: string, now: number): string {
  const today = new Date(now);
  if (day === localDay(now)) return 'Today';
  if (day === localDay(new Date(now).setDate(today.getDate() - 1))) return 'Yesterday';
  if (day.slice(0, 4) !== String(today.getFullYear())) return dayText(day);
  return `${weekdayName(new Date(`${day}T12:00`).getDay())}, ${shortDayText(day)}`;
}

/** The time of day: "14:30". */
export function formatClock(at: number): string {
  return formatSeconds(at).slice(0, 5);
}

/** The time of day to the second: "14:30:05". */
export function formatSeconds(at: number): string {
  return isInstant(at) ? new Date(at).toTimeString().slice(0, 8) : '–';
}

/** The day and the time to the second: "21 Nov 2026, 14:30:05". */
export function formatExact(at: number): string {
  return isInstant(at) ? `${dayText(localDay(at))}, ${formatSeconds(at)}` : '–';
}

/** False for times that no calendar has, as a service may send them, and for 0: the time is unknown. */
export function isInstant(at: number): boolean {
  return at !== 0 && !Number.isNaN(new Date(at).getTime());
}
