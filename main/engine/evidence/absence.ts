/**
 * Decides when something that the service does not list is proved absent. That takes two complete listings, the second one
 * late enough that the body would be listed if it had arrived. Either the list shows something delivered at least
 * `lateCommitMs` later, or more time has passed since the latest possible commit than the slowest listing so far took. The
 * lag is measured, not assumed.
 */
import type { PipelineTimes } from '../core/limits.ts';

/** What is known about one body and about the list that does not show it. All times are engine time, in ms. */
export interface Absence {
  /** The latest time at which a byte of the body can have left. */
  readonly lastByteAt: number;
  /** When the listing began. */
  readonly listedAt: number;
  /** When the newest delivery that this listing shows was sent, by its last byte; null when it shows none of ours. */
  readonly newestListedAt: number | null;
  /** The longest time so far from a last byte to the first listing that showed the file, in ms; null when none was seen. */
  readonly lagMs: number | null;
  /** Since when the list has been read in this run. */
  readonly watchedSince: number;
  /** The previous listing was complete and did not show it either. */
  readonly wasAbsentBefore: boolean;
}

export type AbsenceTimes = Pick<PipelineTimes, 'lateCommitMs' | 'unmeasuredLagMs'>;

/** Safety factor on the measured lag: the next listing may be slower than any before. Our choice. */
const LAG_MARGIN = 2;

/** Decides whether a body is proved not to have arrived. Pure. */
export function isProvenAbsent(absence: Absence, times: AbsenceTimes): boolean {
  return absence.wasAbsentBefore && absence.listedAt >= provenAt(absence, times);
}

/** The time from which a listing that does not show the body proves its absence. Pure. */
export function provenAt(absence: Absence, times: AbsenceTimes): number {
  const { lastByteAt, newestListedAt, lagMs, watchedSince } = absence;
  const committed = lastByteAt + times.lateCommitMs;
  // Something delivered after the latest possible commit of the body is listed. Lists may be out of order by up to lateCommitMs.
  const isOvertaken = newestListedAt !== null && newestListedAt >= committed;
  // However old the doubt is: right after the start, two listings may show the same mistake of a service that is just starting, too.
  const watched = watchedSince + times.lateCommitMs + (lagMs ?? 0);
  return Math.max(watched, isOvertaken ? committed : lastByteAt + longestDoubt(lagMs, times));
}

/** How long it can take to prove that a body is absent, in ms. Pure. */
export function longestDoubt(lagMs: number | null, times: AbsenceTimes): number {
  return times.lateCommitMs + (lagMs === null ? times.unmeasuredLagMs : lagMs * LAG_MARGIN);
}

/** How long a proof of absence holds at least and at most, in ms. Our choice. */
const PROOF_LASTS_MS = { least: 30_000, most: 60 * 60_000 };

/**
 * Whether a proof of absence still holds. It expires, because a list that was late may show the body at any time. The longer a body was
 * absent, the longer its proof holds: half as long as the body was absent beyond the time that any first proof takes. If every proof
 * expired quickly, a body that waits long for its turn would be looked for again without end. Pure.
 */
export function isStillAbsent(
  { absentAt, lastByteAt }: { readonly absentAt: number; readonly lastByteAt: number },
  now: number,
  times: AbsenceTimes & Pick<PipelineTimes, 'sentPatienceMs'>,
): boolean {
  const absentMs = absentAt - lastByteAt - times.sentPatienceMs - longestDoubt(null, times);
  const { least, most } = PROOF_LASTS_MS;
  const lastsMs = Math.min(most, Math.max(least, absentMs / 2));
  // If the clock was wrong and has been corrected since, the time of the proof may be in the future.
  return absentAt > 0 && absentAt <= now && now - absentAt <= lastsMs;
}
