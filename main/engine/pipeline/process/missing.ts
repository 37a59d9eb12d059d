/** When it is believed that the service knows a job no longer. Pure: a 404 of a moment must not start the job again. */

/** The latest answers about one job. */
export interface Missing {
  /** Answers in a row that there is no such job. */
  readonly times: number;
  /** When the first of them came, monotonic ms; null: the last answer was another one. */
  readonly since: number | null;
}

/** Nothing was answered yet. */
export const NEVER_MISSING: Missing = { times: 0, since: null };

/** The same after one more answer, which came at `now`, monotonic ms. */
export function afterAnswer(before: Missing, isMissing: boolean, now: number): Missing {
  return isMissing ? { times: before.times + 1, since: before.since ?? now } : NEVER_MISSING;
}

/** Answers in a row that there is no such job, after which that may be believed. */
const TIMES_MISSING = 2;

/** True when the answers came at least `patienceMs` apart, the first and the last. */
export function isBelieved({ times, since }: Missing, now: number, patienceMs: number): boolean {
  return times >= TIMES_MISSING && since !== null && now - since >= patienceMs;
}

/** How long it must be missing after it was started again so often: what did not help is repeated after growing pauses, ms. */
export function missingPatience(restarts: number, firstMs: number): number {
  return firstMs * 2 ** Math.min(10, restarts);
}
