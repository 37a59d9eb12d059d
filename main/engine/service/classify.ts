/** From the end of a request to an error: the only place that knows what a status or a network fault means. */
import { assertNever, sluiceError } from '../errors.ts';
import type { NetworkFault } from '../ports.ts';
import type { ErrorCode, ErrorContext, SluiceError } from '../../../preload/errorCodes.ts';

/**
 * What was asked. `upload`: an image in a POST. `signedUpload`, `download`: a signed address at the storage. `register`:
 * asks for a signed address, harmless to repeat. `startJob`, `create` (folder, annotation job): must not happen twice.
 * `change`: moving a project, abort, restart.
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

/** How a request ended, as far as the decision needs it. */
export type Heard =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The service's own words about an error; null when it gave none that can be read. */
      readonly said: string | null;
      /** What Retry-After asked for. */
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'failure'; readonly fault: NetworkFault; readonly detail: string };

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

/** Requests whose repetition could do a thing twice. */
function mustAskFirst(requestClass: RequestClass): boolean {
  return (
    requestClass === 'upload' ||
    requestClass === 'signedUpload' ||
    requestClass === 'startJob' ||
    requestClass === 'create'
  );
}

function isSigned(requestClass: RequestClass): boolean {
  return requestClass === 'signedUpload' || requestClass === 'download';
}

function faultCode(fault: NetworkFault): ErrorCode {
  switch (fault) {
    case 'refused':
    case 'unresolved':
    case 'lost':
    case 'aborted':
      return 'network.lost';
    case 'offline':
      return 'net.offline';
    case 'tls':
      return 'network.tls';
    case 'timeout':
      return 'network.timeout';
    default:
      return assertNever(fault);
  }
}

/** Codes of 4xx answers. A signed address has no key to reject: what it refuses is a signature that has run out. */
function clientErrorCode(
  status: number,
  requestClass: RequestClass,
  said: string | null,
): ErrorCode {
  if (isSigned(requestClass)) {
    if (status === 401 || status === 403 || status === 410) return 'upload.urlExpired';
    // Google's storage answers 400 with this code when a V4 signature has run out.
    if (status === 400 && said === 'ExpiredToken') return 'upload.urlExpired';
  }
  if (status === 401) return 'auth.rejected';
  if (status === 402) return 'service.quota';
  if (status === 403) return 'service.forbidden';
  if (status === 404) return 'service.notFound';
  if (status === 409 && requestClass === 'startJob') return 'job.conflict';
  return 'service.refused';
}

/** Statuses after which nobody knows whether the service acted: it, or what stands before it, broke on the way. */
function isAmbiguous(status: number): boolean {
  return status === 408 || (status >= 500 && status !== 501 && status !== 503 && status !== 505);
}

function statusCode(
  status: number,
  said: string | null,
  requestClass: RequestClass,
  maybeSent: boolean,
): ErrorCode {
  if (status < 400 || status > 599) return 'service.unexpectedAnswer';
  if (isAmbiguous(status)) {
    if (maybeSent && mustAskFirst(requestClass)) return 'service.noAnswer';
    return status === 408 || status === 502 || status === 504 ? 'service.busy' : 'service.failed';
  }
  if (status === 429 || status === 503) return 'service.busy';
  if (status >= 500) return 'service.refused';
  return clientErrorCode(status, requestClass, said);
}

/**
 * Decides what the end of a request means; null is success. `maybeSent`: the last byte of the request may have left.
 * For a signed upload 412 is success: the object is there already. For a download 416 is an answer: nothing is left to
 * fetch.
 */
export function classify(
  heard: Heard,
  requestClass: RequestClass,
  maybeSent: boolean,
): SluiceError | null {
  if (heard.kind === 'failure') {
    const context = { fault: heard.fault, detail: heard.detail };
    const unknown = maybeSent && mustAskFirst(requestClass);
    return sluiceError(unknown ? 'service.noAnswer' : faultCode(heard.fault), context);
  }
  const { status, said } = heard;
  if (status >= 200 && status < 300) return null;
  if (status === 412 && requestClass === 'signedUpload') return null;
  if (status === 416 && requestClass === 'download') return null;
  const context: ErrorContext = said === null ? { status } : { status, said };
  const code = statusCode(status, said, requestClass, maybeSent);
  return sluiceError(code, context, heard.retryAfterMs ?? undefined);
}
