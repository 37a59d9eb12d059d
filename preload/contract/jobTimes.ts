import type { JobRow } from './records.ts';

/** How long a job took, or has taken so far, in ms; null before it runs. */
export function jobDurationMs(
  { state, createdAt, updatedAt }: Pick<JobRow, 'state' | 'createdAt' | 'updatedAt'>,
  now: number,
): number | null {
  if (state === 'planned' || state === 'queued' || state === 'parked') return null;
  const lasted = (state === 'running' ? now : updatedAt) - createdAt;
  return createdAt > 0 && lasted > 0 ? lasted : null;
}
