/** Every error that can be named, and how errors and answers look. No imports: the bottom of everything. */

/**
 * What the engine does about an error; the meaning of each stands in CONTRIBUTING.md.
 * There are six, and callers switch on them instead of reading codes or texts.
 */
export type NextStep = 'retry' | 'unknown' | 'wait' | 'skip' | 'park' | 'stop';

/** Every error the engine can name. A new code needs a next step (engine/errors.ts) and words (engine/errorText.ts). */
export const ERROR_CODES = [
  // The network between here and the service.
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

/** Facts that belong to an error, already free of secrets. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null>>;

/** An error as a value: what happened, what the engine does next, and what it is about. */
export interface SluiceError {
  readonly code: ErrorCode;
  readonly next: NextStep;
  readonly context: ErrorContext;
  /** How long the service asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The answer of every operation that can fail in an expected way. */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SluiceError };
