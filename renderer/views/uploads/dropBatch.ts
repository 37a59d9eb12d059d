/** The batch that a drop goes to unless the user says otherwise. */

/** "drop-2026-11-21", by the calendar of this computer. */
export function dropBatch(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `drop-${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
