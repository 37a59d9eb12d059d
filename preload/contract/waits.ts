/** What waits, as records. `sluice status`, `sluice problems` and the window all show these. */
import type { ErrorCode } from './errors.ts';

/**
 * What waits. program: a running watch that cannot work at all; connection: everything on the connection; sending, asking,
 * fetching, files, planning, jobs: this part of its work; batch, job, download, watch: the named one; moving: confirmed files that
 * a watch moves to the named directory; held: a batch that takes no files now; ready: a closed batch without a job yet; comparing:
 * files that the service may already have; watchPaused: files of a batch whose watch is paused; failing: transfers between two
 * tries; unlisted: sent, but not yet in the service's list; unknown: the service is asked whether they arrived; starting,
 * following, results: a job; outputs: result files; unstable: files that are changing or locked; paused: by the user.
 */
export const WAIT_KINDS = [
  'program',
  'connection',
  'sending',
  'asking',
  'fetching',
  'files',
  'planning',
  'jobs',
  'batch',
  'held',
  'ready',
  'job',
  'download',
  'watch',
  'moving',
  'failing',
  'unlisted',
  'unknown',
  'starting',
  // A job that was given up before it ran.
  'notStarted',
  'following',
  'results',
  'outputs',
  'givenUp',
  'unstable',
  'comparing',
  'paused',
  'watchPaused',
  'batchPaused',
] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Something that waits: for what, since when, and when the next try is. */
export interface WaitView {
  readonly workspace: string;
  readonly kind: WaitKind;
  /** The batch, job, or watch; null when more than one is concerned. */
  readonly name: string | null;
  /** Why; null when the kind says enough. */
  readonly code: ErrorCode | null;
  /** The service's or the system's own message, or the name of a result file; null when the code says enough. */
  readonly detail: string | null;
  /** The number of files; 0 when it is not about files. */
  readonly count: number;
  readonly bytes: number;
  /** null when not known. */
  readonly since: number | null;
  /** null when the next try follows an event. */
  readonly nextAt: number | null;
  /** True once it has waited so long that the user should look at it. */
  readonly attention: boolean;
}
