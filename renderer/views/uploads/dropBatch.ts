/** The default batch of a drop. */

/** "drop-2026-11-21", by this computer's calendar. */
export function dropBatch(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `drop-${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
