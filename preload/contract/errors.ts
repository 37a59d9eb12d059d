/** Every error code, and the types of errors and results. No imports: everything else builds on this. */

/** What the engine does about an error; CONTRIBUTING.md explains the six values. Callers switch on these instead of codes or texts. */
export type NextStep = 'retry' | 'unknown' | 'wait' | 'skip' | 'park' | 'stop';

/** A new code needs a next step (main/engine/core/errors.ts), its texts (messages.ts) and whether the files are safe (safety.ts). */
export const ERROR_CODES = [
  // The network between this computer and the service.
  'network.lost',
  'network.timeout',
  'network.tls',
  'network.unresolved',
  'network.proxyAuth',
  'network.intercepted',
  'net.offline',
  'system.openFiles',
  // The service's own answers.
  'service.busy',
  'service.failed',
  'service.noAnswer',
  'service.quota',
  'service.forbidden',
  'service.refused',
  'service.notFound',
  'service.unexpectedAnswer',
  'auth.rejected',
  // Files on this computer.
  'file.busy',
  'item.changed',
  'item.unsupported',
  'item.temporary',
  'item.excluded',
  'item.duplicate',
  'item.empty',
  'item.tooLarge',
  'item.gone',
  'item.replaced',
  'item.ignored',
  'item.unstable',
  'item.unreadable',
  'item.truncated',
  'item.link',
  'item.rejected',
  'directory.unreadable',
  'watch.missing',
  'watch.changing',
  'disk.full',
  'disk.failed',
  'power.battery',
  // Sending.
  'upload.urlExpired',
  'upload.unproven',
  'upload.damaged',
  'shard.rejected',
  'batch.conflict',
  // Processing and results.
  'job.conflict',
  'job.batchGone',
  'job.failed',
  'job.aborted',
  'part.damaged',
  'part.unsafeName',
  'results.incomplete',
  'output.damaged',
  // This program.
  'usage.invalid',
  'store.owned',
  'store.newer',
  'store.older',
  'store.corrupt',
  'bug.illegalTransition',
  'bug.unexpected',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Facts about an error, without secrets. `said` is the service's or the system's own message. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null>>;

/** An error as a value: what happened, what the engine does next, and the facts. */
export interface SluiceError {
  readonly code: ErrorCode;
  readonly next: NextStep;
  readonly context: ErrorContext;
  /** How long the service asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The result of an operation that can fail in an expected way. */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SluiceError };
