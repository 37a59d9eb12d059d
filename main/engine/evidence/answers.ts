/**
 * Who an answer is from and what it means. The only place that interprets statuses, content types and network faults.
 *
 * An answer is the service's only when it has the documented shape: JSON, with the documented fields, or an error as a
 * JSON object. Everything else (a page, a redirect to another host, an error without JSON) comes from something in
 * between: a proxy, a gateway, a sign-in page. It proves neither presence nor absence. Only 429 and 413 count as the service's in
 * any form: load balancers in front of it send them as a page.
 */
import {
  type ErrorCode,
  type ErrorContext,
  sluiceError,
  type SluiceError,
} from '../core/errors.ts';
import type { HttpFailure, NetworkFault } from '../core/ports.ts';

/**
 * What a request does. `upload`: sends an image in a POST. `signedUpload`, `download`: use a signed address of the storage.
 * `register`: gets a signed address, harmless to repeat. `startJob`, `create` (folder, annotation job): must not happen
 * twice. `change`: moves a project, aborts or restarts; harmless to repeat.
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

/** The format of an error body: the service sends JSON, a storage XML or text, something in between mostly HTML. */
export type BodyKind = 'json' | 'html' | 'other';

/** The parts of an answer that the decision needs. */
export interface Answered {
  readonly status: number;
  readonly body: BodyKind;
  /** The error message in the body, redacted; null when there is none that can be read. */
  readonly words: string | null;
  /** The delay that Retry-After asked for, in ms. */
  readonly retryAfterMs: number | null;
  /** True for the project operations, which return some errors as plain text (service-api.md §9). */
  readonly acceptsText: boolean;
}

/** The longest Retry-After that is accepted, in ms. Our choice: a wrong date must not stop an upload for a day. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;

/** Reads a Retry-After header (seconds or a date) as ms from now; null when it is unusable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (text === '') return null;
  // Date.parse turns almost any number into a year, so accept only text that starts like an HTTP date.
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : at - nowMs;
  if (Number.isNaN(wait)) return null;
  return Math.min(Math.max(0, Math.ceil(wait)), RETRY_AFTER_MAX_MS);
}

/** The time in an answer's Date header, epoch ms; null when it has none. Pure. */
export function dateOf(headers: Readonly<Record<string, string>>): number | null {
  const at = Date.parse(headers['date'] ?? '');
  return Number.isNaN(at) ? null : at;
}

function isSigned(requestClass: RequestClass): boolean {
  return requestClass === 'signedUpload' || requestClass === 'download';
}

/** True for requests that must not be repeated blindly: after a doubtful end the service is asked first. */
export function mayAct(requestClass: RequestClass): boolean {
  return ['upload', 'signedUpload', 'startJob', 'create'].includes(requestClass);
}

/** Too many requests, or one that is too large: a server or gateway that answers with one of these has passed nothing on. */
const TOO_MANY = 429;
const TOO_LARGE = 413;
const CONFLICT = 409;

/** The service's storage is full: nothing was stored. */
const STORAGE_FULL = 507;

/** The words of an answer, with what its status says by itself. */
function saidBy({ status, words }: Answered): string | null {
  if (status === STORAGE_FULL)
    return words === null ? 'its storage is full' : `its storage is full: ${words}`;
  return words ?? (status === TOO_LARGE ? 'it is too large' : null);
}

/** Who answered. A success counts as the service's here; its body is checked where it is read. */
export function sourceOf(answer: Answered, requestClass: RequestClass): 'asked' | 'between' {
  const { status, body } = answer;
  if (status === 407 || status === 511 || status < 200 || status > 599) return 'between';
  if (status === TOO_MANY || status === TOO_LARGE) return 'asked';
  if (isSigned(requestClass)) {
    const isRedirect = status >= 300 && status < 400;
    return isRedirect || (body === 'html' && (status >= 400 || requestClass === 'signedUpload'))
      ? 'between'
      : 'asked';
  }
  if (status < 300) return 'asked';
  if (status < 400) return 'between';
  // A proxy asks for its own password with 407, so a 401 that is not a page is about the key.
  const textIsFine = answer.acceptsText || status === 401;
  return body === 'json' || (body === 'other' && textIsFine) ? 'asked' : 'between';
}

/** One row of the tables below: what these statuses mean if the request cannot have acted, and if it may have. */
interface Row {
  readonly statuses: readonly number[];
  readonly code: ErrorCode;
  /** Omitted when it is the same, because the answer says that nothing was done. */
  readonly afterActing?: ErrorCode;
}

const NOT_OFFERED = [501, 505];
/** All other 5xx: the service, or something in front of it, failed while it worked on the request. */
const OTHER_5XX = Array.from({ length: 100 }, (_, index) => 500 + index).filter(
  (status) => ![...NOT_OFFERED, STORAGE_FULL, 500, 502, 503, 504].includes(status),
);

/** Errors of the service itself, sent as JSON. */
const SERVICE: readonly Row[] = [
  { statuses: [401], code: 'auth.rejected' },
  { statuses: [402], code: 'service.quota' },
  { statuses: [403], code: 'service.forbidden' },
  { statuses: [404], code: 'service.notFound' },
  { statuses: [425, 429, STORAGE_FULL], code: 'service.busy' },
  { statuses: [408, 502, 503, 504], code: 'service.busy', afterActing: 'service.noAnswer' },
  { statuses: [500, ...OTHER_5XX], code: 'service.failed', afterActing: 'service.noAnswer' },
];

/** Errors of the storage behind a signed address. There is no key that it could refuse, only the address. */
const STORAGE: readonly Row[] = [
  { statuses: [400, 401, 403, 404, 405, 409, 410, 411], code: 'upload.urlExpired' },
  // An exhausted account is not the file's fault.
  { statuses: [402], code: 'service.quota' },
  { statuses: [425, 429, 503, STORAGE_FULL], code: 'service.busy' },
  { statuses: [408, 502, 504], code: 'service.busy', afterActing: 'service.noAnswer' },
  { statuses: [500, ...OTHER_5XX], code: 'service.failed', afterActing: 'service.noAnswer' },
];

/** Storage error codes for a body that is too large (Google sends them with 400). */
const SAYS_TOO_LARGE = /^(EntityTooLarge|MaxMessageLengthExceeded)$/;

/** Words of a 409 which says that the batch accepts nothing more, rather than that it already has a file of this name. */
const SAYS_BATCH = /\bbatch\b/i;
const SAYS_CLOSED =
  /\b(closed|sealed|locked|frozen|finali[sz]ed|completed?|process(ing|ed)|no longer|not exist|deleted|gone)\b/i;
const SAYS_TAKEN = /\b(names?|named|(?<!(no longer|not) )exists?|duplicate|taken)\b/i;

/** True for the words of a refusal which say that something of this name exists. */
export function saysTaken(words: unknown): boolean {
  return typeof words === 'string' && SAYS_TAKEN.test(words);
}

function refusesBatch({ status, words }: Answered): boolean {
  if (status !== CONFLICT || words === null) return false;
  return SAYS_BATCH.test(words) && SAYS_CLOSED.test(words) && !saysTaken(words);
}

const FAULTS: Readonly<Record<NetworkFault, ErrorCode>> = {
  refused: 'network.lost',
  lost: 'network.lost',
  aborted: 'network.lost',
  unresolved: 'network.unresolved',
  offline: 'net.offline',
  tls: 'network.tls',
  timeout: 'network.timeout',
  proxyAuth: 'network.proxyAuth',
  proxy: 'network.proxy',
  openFiles: 'system.openFiles',
  replaced: 'system.replaced',
  held: 'network.lost',
};

/** True for an answer that says that nothing was done. */
function saysNothingDone({ status, retryAfterMs }: Answered): boolean {
  return (
    [TOO_LARGE, TOO_MANY, STORAGE_FULL].includes(status) ||
    (status === 503 && retryAfterMs !== null)
  );
}

function codeOf(answer: Answered, requestClass: RequestClass, acted: boolean): ErrorCode {
  const { status, words } = answer;
  if (requestClass === 'startJob' && status === CONFLICT) return 'job.conflict';
  if (isSigned(requestClass) && status === 400 && SAYS_TOO_LARGE.test(words ?? ''))
    return 'service.refused';
  // The object is gone, not the address: another address would not help either.
  if (requestClass === 'download' && status === 404) return 'service.notFound';
  const row = (isSigned(requestClass) ? STORAGE : SERVICE).find(({ statuses }) =>
    statuses.includes(status),
  );
  if (row === undefined) return 'service.refused';
  return acted && !saysNothingDone(answer) ? (row.afterActing ?? row.code) : row.code;
}

/** Requests to an endpoint that always exists: its 404 says nothing about a file or a job. Like other failures, it is tried again. */
const TO_A_FIXED_ENDPOINT: readonly RequestClass[] = ['register', 'upload', 'startJob'];

/** The error of a request that may have acted: then the service is asked first. */
function doubtful(requestClass: RequestClass, error: SluiceError): SluiceError {
  return mayAct(requestClass) ? { ...error, next: 'unknown' } : error;
}

/** The error for an answer that is not from the service. After a request that may have acted, the service is asked first. */
export function intercepted(
  requestClass: RequestClass,
  maybeSent: boolean,
  context: ErrorContext,
  retryAfter: number | null = null,
): SluiceError {
  const error = sluiceError('network.intercepted', context, retryAfter ?? undefined);
  return maybeSent ? doubtful(requestClass, error) : error;
}

/** The error for a success whose JSON has the words of an error. Whether it acted is not certain. */
export function failedInside(requestClass: RequestClass, context: ErrorContext): SluiceError {
  return doubtful(requestClass, sluiceError('service.failed', context));
}

/** Decides what a request without an answer means. */
export function meaningOfFailure(
  { fault, detail, maybeSent }: HttpFailure,
  requestClass: RequestClass,
): SluiceError {
  const acted = maybeSent && mayAct(requestClass);
  return sluiceError(acted ? 'service.noAnswer' : FAULTS[fault], { fault, detail });
}

/**
 * Decides what an answer means; null is success. `maybeSent`: the last byte of the request may have left.
 * For a signed upload, 412 is a success that proves only that an object of this name exists. For a download, 416 is not an
 * error: it means that nothing is left to fetch.
 */
export function meaningOf(
  ended: Answered,
  requestClass: RequestClass,
  maybeSent: boolean,
): SluiceError | null {
  const acted = maybeSent && mayAct(requestClass);
  const { status } = ended;
  const said = saidBy(ended);
  const context: ErrorContext = said === null ? { status } : { status, said };
  // The proxy itself refused: the request never left it.
  if (status === 407) return sluiceError('network.proxyAuth', { status });
  if (sourceOf(ended, requestClass) === 'between') {
    // A page has no words of its own, but a 503 distinguishes a server that is down from a sign-in page.
    const shown =
      ended.words === null && status >= 400
        ? { status, said: `${status >= 500 ? 'a gateway or proxy' : 'it'} answers ${status}` }
        : { ...context, plain: status >= 400 && ended.body !== 'html' };
    return intercepted(requestClass, maybeSent, shown, ended.retryAfterMs);
  }
  if (status < 300) return null;
  if (status === 412 && requestClass === 'signedUpload') return null;
  if (status === 416 && requestClass === 'download') return null;
  const code = codeOf(ended, requestClass, acted);
  const facts = refusesBatch(ended) ? { ...context, ofBatch: true } : context;
  const error = sluiceError(code, facts, ended.retryAfterMs ?? undefined);
  return code === 'service.notFound' && TO_A_FIXED_ENDPOINT.includes(requestClass)
    ? { ...error, next: 'retry' }
    : error;
}
