/**
 * When something that is not in the service's list is proved not to be there. Only complete listings count, two of them,
 * and only once everything that was delivered before must have been listed: because something delivered later, by more than a
 * body can be taken in late, is in the list, or because the slowest listing seen so far was quicker than that, counted from
 * when the body must have been taken in. The lag is measured, not assumed.
 */

/** What is known of one body and of the list it is not in. All instants are of one clock that does not jump, ms. */
export interface Absence {
  /** The latest instant at which a byte of the body can have left. */
  readonly lastByteAt: number;
  /** When the listing began. */
  readonly listedAt: number;
  /** The newest delivery that this listing shows, by the instant of its last byte; null when it shows none of ours. */
  readonly newestListedAt: number | null;
  /** The slowest listing seen so far: from a last byte to the first listing that showed it, ms; null when none was seen. */
  readonly lagMs: number | null;
  /** The listing before this one was complete and did not show it either. */
  readonly wasAbsentBefore: boolean;
}

export interface AbsenceTimes {
  /** A service may take in a body this much later than its last byte. */
  readonly lateCommitMs: number;
  /** What is assumed of the lag while nothing was ever listed. */
  readonly unmeasuredLagMs: number;
}

/** A measured lag is believed with this margin: the next listing may be slower than any before. Ours. */
const LAG_MARGIN = 2;

/** Decides whether a body is proved not to have arrived. Pure. */
export function isProvenAbsent(absence: Absence, times: AbsenceTimes): boolean {
  return absence.wasAbsentBefore && absence.listedAt >= provenAt(absence, times);
}

/** The instant from which a listing that does not show the body proves its absence. Pure. */
export function provenAt(absence: Absence, times: AbsenceTimes): number {
  const { lastByteAt, newestListedAt, lagMs } = absence;
  const committed = lastByteAt + times.lateCommitMs;
  // Something delivered when the body must have been taken in at the latest is listed: lists may be out of order by that much.
  if (newestListedAt !== null && newestListedAt >= committed) return committed;
  return committed + (lagMs === null ? times.unmeasuredLagMs : lagMs * LAG_MARGIN);
}
