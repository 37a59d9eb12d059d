/** Where the cause of an error lies, which decides whether time alone may help. Pure. */
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';

/** True for causes on the way to the service, or on the service itself. */
function isOnTheWay(code: ErrorCode): boolean {
  return /^(service|network|net|auth)\./.test(code);
}

const ALSO_OUTSIDE: readonly ErrorCode[] = [
  'upload.urlExpired',
  'results.incomplete',
  'output.damaged',
];

/** True when the cause lies with the service, the storage or the network, not with a file: what it parked is retried automatically. */
export function liesOutside(code: ErrorCode): boolean {
  return isOnTheWay(code) || ALSO_OUTSIDE.includes(code);
}

/** Causes that may be over as soon as anything gets through. */
export const ON_THE_WAY: readonly ErrorCode[] = ERROR_CODES.filter(isOnTheWay);

/**
 * Causes for which a parked file is queued again automatically. A file that the service refused waits for a person or for
 * new content, and an unproven delivery is not sent again unless a person asks.
 */
export const FILE_TRIED_AGAIN: readonly ErrorCode[] = [
  ...ERROR_CODES.filter((code) => liesOutside(code) && code !== 'service.refused'),
  'batch.conflict',
  'upload.damaged',
];

/** True when a file parked for this cause is unchanged, so that it need not be read before it is retried. */
export function leavesFileAlone(code: ErrorCode): boolean {
  return isOnTheWay(code) || /^(upload|shard|batch)\./.test(code) || code === 'item.rejected';
}
