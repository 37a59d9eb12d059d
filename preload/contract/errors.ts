/** Every error code, and the types of errors and results. No imports: everything else builds on this. */

/** What the engine does about an error; CONTRIBUTING.md explains the six values. Callers switch on these instead of codes or texts. */
export type NextStep = 'retry' | 'unknown' | 'wait' | 'skip' | 'park' | 'stop';

/** Every code with its usual next step. A new one also needs its texts (messages.ts) and whether the files are safe (safety.ts). */
export const NEXT_STEPS = {
  // The network between this computer and the service.
  'network.lost': 'retry',
  'network.timeout': 'retry',
  'network.tls': 'wait',
  'network.unresolved': 'wait',
  'network.proxyAuth': 'wait',
  'network.proxy': 'wait',
  'network.intercepted': 'wait',
  'net.offline': 'wait',
  'system.openFiles': 'retry',
  'system.replaced': 'retry',
  // The service's own answers.
  'service.busy': 'retry',
  'service.failed': 'retry',
  'service.noAnswer': 'unknown',
  'service.quota': 'wait',
  'service.forbidden': 'wait',
  'service.refused': 'park',
  'service.notFound': 'park',
  'service.unexpectedAnswer': 'park',
  'auth.rejected': 'wait',
  // Files on this computer.
  'file.busy': 'retry',
  'item.changed': 'retry',
  'item.unsupported': 'skip',
  'item.temporary': 'skip',
  // Older versions wrote this code also for what is now item.stopped.
  'item.excluded': 'skip',
  'item.stopped': 'skip',
  'item.duplicate': 'skip',
  'item.empty': 'skip',
  'item.tooLarge': 'skip',
  'item.gone': 'skip',
  'item.replaced': 'skip',
  'item.ignored': 'skip',
  'item.unstable': 'park',
  'item.unreadable': 'park',
  'item.truncated': 'park',
  'item.link': 'skip',
  'item.rejected': 'park',
  'directory.unreadable': 'park',
  'watch.missing': 'wait',
  'watch.changing': 'wait',
  'disk.full': 'wait',
  'disk.failed': 'park',
  'disk.missing': 'wait',
  'power.battery': 'wait',
  // Sending.
  'upload.urlExpired': 'retry',
  'upload.unproven': 'park',
  'upload.damaged': 'retry',
  'shard.rejected': 'park',
  'batch.conflict': 'park',
  'batch.gone': 'retry',
  'batch.lacksFiles': 'retry',
  // Processing and results.
  'job.conflict': 'park',
  'job.batchGone': 'park',
  'job.failed': 'park',
  'job.aborted': 'park',
  'part.damaged': 'park',
  'part.unsafeName': 'park',
  'results.incomplete': 'retry',
  'output.damaged': 'retry',
  // This program.
  'usage.invalid': 'stop',
  'store.owned': 'stop',
  'store.newer': 'stop',
  'store.older': 'stop',
  'store.corrupt': 'stop',
  'bug.illegalTransition': 'stop',
  'bug.unexpected': 'stop',
} as const satisfies Readonly<Record<string, NextStep>>;
export type ErrorCode = keyof typeof NEXT_STEPS;

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(NEXT_STEPS, name);
}

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(NEXT_STEPS).filter(isErrorCode);

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
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: SluiceError };
