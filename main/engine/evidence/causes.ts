/** Whose doing an error is: that decides whether time alone may help. Pure. */
import type { ErrorCode } from '../core/errors.ts';

const OUTSIDE = /^(service|network|net|auth)\./;
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
  return OUTSIDE.test(code) || ALSO_OUTSIDE.includes(code);
}
