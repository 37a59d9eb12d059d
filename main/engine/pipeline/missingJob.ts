/** Decides when a job counts as missing on the service: a brief 404 must not start the job again. Pure. */
import type { SluiceError } from '../core/errors.ts';

export interface Missing {
  /** Answers in a row that there is no such job. */
  readonly times: number;
  /** When the first of them came, in monotonic ms; null when the last answer was a different one. */
  readonly since: number | null;
}

/**
 * A request to start a job that may have arrived: how it ended, and how often the service has said since then that it knows no such job.
 */
export interface StartDoubt {
  readonly error: SluiceError;
  readonly missing: Missing;
}

export const NEVER_MISSING: Missing = { times: 0, since: null };

/** The state after one more answer, which came at `now`, in monotonic ms. */
export function afterAnswer(before: Missing, isMissing: boolean, now: number): Missing {
  return isMissing ? { times: before.times + 1, since: before.since ?? now } : NEVER_MISSING;
}

/** How many answers in a row must say that there is no such job before it may be believed. */
const TIMES_MISSING = 2;

/** True when there were enough answers and the first came at least `patienceMs` ago. */
export function isBelieved({ times, since }: Missing, now: number, patienceMs: number): boolean {
  return times >= TIMES_MISSING && since !== null && now - since >= patienceMs;
}

/** How long a job must be missing before it is started again, in ms: longer after each restart that did not help. */
export function missingPatience(restarts: number, firstMs: number): number {
  return firstMs * 2 ** Math.min(10, restarts);
}
