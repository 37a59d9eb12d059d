/** The day of a time, by this computer's calendar. */
export function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The day of a time in UTC, as the service counts. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** True for an existing day. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && dayOf(at) === text;
}

/** Two calendar days in UTC, both included. */
export interface Period {
  readonly from: string;
  readonly until: string;
}
