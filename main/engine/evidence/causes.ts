/** Whose doing an error is: that decides whether time alone may help. Pure. */
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';

/** Causes on the way to the service, or at it. */
function isOnTheWay(code: ErrorCode): boolean {
  return /^(service|network|net|auth)\./.test(code);
}

const ALSO_OUTSIDE: readonly ErrorCode[] = [
  'upload.urlExpired',
  'results.incomplete',
  'output.damaged',
];

/**
 * True when the cause lies with the service, the storage or the network, and not with a file: what was given up for it
 * is tried again by itself.
 */
export function liesOutside(code: ErrorCode): boolean {
  return isOnTheWay(code) || ALSO_OUTSIDE.includes(code);
}

/** Causes that may be over as soon as anything gets through. */
export const ON_THE_WAY: readonly ErrorCode[] = ERROR_CODES.filter(isOnTheWay);

/**
 * Causes for which a parked file is queued again by itself. One that the service refused waits for a person or for new content, and
 * an unproven delivery is not sent again unasked.
 */
export const FILE_TRIED_AGAIN: readonly ErrorCode[] = [
  ...ERROR_CODES.filter((code) => liesOutside(code) && code !== 'service.refused'),
  'batch.conflict',
  'upload.damaged',
];

/** True when a file that was parked for this is as it was, so that it needs no reading before it is tried again. */
export function leavesFileAlone(code: ErrorCode): boolean {
  return isOnTheWay(code) || /^(upload|shard|batch)\./.test(code) || code === 'item.rejected';
}
