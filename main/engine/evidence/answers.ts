/**
 * What an answer is, and what it means. The only place that knows what a status, a content type or a network fault says.
 *
 * An answer is the service's only when it has the documented shape: JSON, with the documented fields, or an error as a
 * JSON object. Everything else (a page, a redirect to another host, an error without JSON) comes from something in
 * between: a proxy, a gateway, a sign-in page. It proves nothing, neither presence nor absence.
 */
import {
  type ErrorCode,
  type ErrorContext,
  type NextStep,
  sluiceError,
  type SluiceError,
} from '../core/errors.ts';
import type { NetworkFault } from '../core/ports.ts';

/**
 * What was asked. `upload`: an image in a POST. `signedUpload`, `download`: a signed address at the storage. `register`:
 * asks for a signed address, harmless to repeat. `startJob`, `create` (folder, annotation job): must not happen twice.
 * `change`: moving a project, abort, restart; harmless to repeat.
 */
export const REQUEST_CLASSES = [
  'read',
  'upload',
  'signedUpload',
  'register',
  'startJob',
  'create',
  'change',
  'download',
] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** What the body of an error is: the service answers JSON, a storage XML or text, what is in between mostly HTML. */
export type BodyKind = 'json' | 'html' | 'other';

/** An answer, as far as the decision needs it. */
export interface Answered {
  readonly kind: 'answer';
  readonly status: number;
  readonly body: BodyKind;
  /** The words of an error in the body, redacted; null when it has none that can be read. */
  readonly words: string | null;
  /** What Retry-After asked for. */
  readonly retryAfterMs: number | null;
  /** The project operations of the service answer some errors in plain text (service-api.md §9). */
  readonly acceptsText: boolean;
}

export type Ended =
  Answered | { readonly kind: 'failure'; readonly fault: NetworkFault; readonly detail: string };

/** The longest Retry-After that is believed, ms. Ours: a mistaken date must not stop an upload for a day. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;

/** Reads a Retry-After header, seconds or a date; null when it says nothing usable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (text === '') return null;
  // Date.parse makes a year of almost any number: only a text that begins like an HTTP date is one.
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : at - nowMs;
  if (Number.isNaN(wait)) return null;
  return Math.min(Math.max(0, Math.ceil(wait)), RETRY_AFTER_MAX_MS);
}

function isSigned(requestClass: RequestClass): boolean {
  return requestClass === 'signedUpload' || requestClass === 'download';
}

/** Requests whose repetition could do a thing twice: after a doubtful end the service is asked first. */
export function mayAct(requestClass: RequestClass): boolean {
  return ['upload', 'signedUpload', 'startJob', 'create'].includes(requestClass);
}

/** Who answered. A success is taken for the service's here; its body is checked where it is read. */
export function sourceOf(answer: Answered, requestClass: RequestClass): 'asked' | 'between' {
  const { status, body } = answer;
  if (status === 407 || status === 511 || status < 200 || status > 599) return 'between';
  if (isSigned(requestClass)) {
    const isRedirect = status >= 300 && status < 400;
    return isRedirect || (body === 'html' && (status >= 400 || requestClass === 'signedUpload'))
      ? 'between'
      : 'asked';
  }
  if (status < 300) return 'asked';
  if (status < 400) return 'between';
  // A proxy asks for its own password with 407: a 401 that is no page is about the key.
  const textIsFine = answer.acceptsText || status === 401;
  return body === 'json' || (body === 'other' && textIsFine) ? 'asked' : 'between';
}

/** One row of the tables below: which statuses, and what they mean where the request cannot have acted and where it may have. */
interface Row {
  readonly statuses: readonly number[];
  readonly code: ErrorCode;
  /** Left out: the same, since this answer says that nothing was done. */
  readonly afterActing?: ErrorCode;
}

const NOT_OFFERED = [501, 505];
/** 5xx that are not named: the service, or what is in front of it, broke while it worked on the request. */
const OTHER_5XX = Array.from({ length: 100 }, (_, index) => 500 + index).filter(
  (status) => ![...NOT_OFFERED, 500, 502, 503, 504].includes(status),
);

/** Errors of the service itself, as JSON. */
const SERVICE: readonly Row[] = [
  { statuses: [401], code: 'auth.rejected' },
  { statuses: [402], code: 'service.quota' },
  { statuses: [403], code: 'service.forbidden' },
  { statuses: [404], code: 'service.notFound' },
  { statuses: [425, 429], code: 'service.busy' },
  { statuses: [408, 502, 503, 504], code: 'service.busy', afterActing: 'service.noAnswer' },
  { statuses: [500, ...OTHER_5XX], code: 'service.failed', afterActing: 'service.noAnswer' },
];

/** Errors of the storage behind a signed address. It has no key to refuse: what it refuses is the address. */
const STORAGE: readonly Row[] = [
  { statuses: [400, 401, 403, 404, 405, 409, 410, 411], code: 'upload.urlExpired' },
  // An account that is used up is no fault of a file.
  { statuses: [402], code: 'service.quota' },
  { statuses: [425, 429, 503], code: 'service.busy' },
  { statuses: [408, 502, 504], code: 'service.busy', afterActing: 'service.noAnswer' },
  { statuses: [500, ...OTHER_5XX], code: 'service.failed', afterActing: 'service.noAnswer' },
];

/** Codes of storages for a body that is larger than they take (Google answers them with 400). */
const TOO_LARGE = /^(EntityTooLarge|MaxMessageLengthExceeded)$/;

const FAULTS: Readonly<Record<NetworkFault, ErrorCode>> = {
  refused: 'network.lost',
  lost: 'network.lost',
  aborted: 'network.lost',
  unresolved: 'network.unresolved',
  offline: 'net.offline',
  tls: 'network.tls',
  timeout: 'network.timeout',
  proxyAuth: 'network.proxyAuth',
  openFiles: 'system.openFiles',
};

function codeOf(answer: Answered, requestClass: RequestClass, acted: boolean): ErrorCode {
  const { status, words } = answer;
  if (requestClass === 'startJob' && status === 409) return 'job.conflict';
  if (isSigned(requestClass) && status === 400 && TOO_LARGE.test(words ?? ''))
    return 'service.refused';
  // An object that is gone, not an address: another one leads to nothing, too.
  if (requestClass === 'download' && status === 404) return 'service.notFound';
  // A 503 that says when to come back states that nothing was done.
  const mayHaveActed = acted && !(status === 503 && answer.retryAfterMs !== null);
  const row = (isSigned(requestClass) ? STORAGE : SERVICE).find(({ statuses }) =>
    statuses.includes(status),
  );
  if (row === undefined) return 'service.refused';
  return mayHaveActed ? (row.afterActing ?? row.code) : row.code;
}

/** An error whose next step is another one than its code has by itself. */
function withNext(error: SluiceError, next: NextStep): SluiceError {
  return { ...error, next };
}

/**
 * True for what is asked at a place that is always there: a 404 says nothing about the file or the job that was in the
 * request, and passes like any other failure of the service.
 */
function isOfASteadyPlace(requestClass: RequestClass): boolean {
  return ['register', 'upload', 'startJob'].includes(requestClass);
}

/** The error for an answer that is not the service's. After a request that may have acted, the service is asked first. */
export function intercepted(
  requestClass: RequestClass,
  maybeSent: boolean,
  context: ErrorContext,
  retryAfter: number | null = null,
): SluiceError {
  const error = sluiceError('network.intercepted', context, retryAfter ?? undefined);
  return maybeSent && mayAct(requestClass) ? withNext(error, 'unknown') : error;
}

/**
 * Decides what the end of a request means; null is success. `maybeSent`: the last byte of the request may have left.
 * For a signed upload 412 is a success that proves only that an object of this name is there. For a download 416 is an
 * answer: nothing is left to fetch.
 */
export function meaningOf(
  ended: Ended,
  requestClass: RequestClass,
  maybeSent: boolean,
): SluiceError | null {
  const acted = maybeSent && mayAct(requestClass);
  if (ended.kind === 'failure') {
    const context = { fault: ended.fault, detail: ended.detail };
    return sluiceError(acted ? 'service.noAnswer' : FAULTS[ended.fault], context);
  }
  const { status, words } = ended;
  const context: ErrorContext = words === null ? { status } : { status, said: words };
  // The proxy itself refused: the request never left it.
  if (status === 407) return sluiceError('network.proxyAuth', { status });
  if (sourceOf(ended, requestClass) === 'between')
    return intercepted(requestClass, maybeSent, context, ended.retryAfterMs);
  if (status < 300) return null;
  if (status === 412 && requestClass === 'signedUpload') return null;
  if (status === 416 && requestClass === 'download') return null;
  const code = codeOf(ended, requestClass, acted);
  const error = sluiceError(code, context, ended.retryAfterMs ?? undefined);
  return code === 'service.notFound' && isOfASteadyPlace(requestClass)
    ? withNext(error, 'retry')
    : error;
}
