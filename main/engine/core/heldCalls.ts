/**
 * True while a call to the file system has not finished, for example on a drive that does not answer, or while a thread runs that may have
 * made such a call. The process would not end before the call has returned.
 */
export function hasHeldCalls(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq') || name === 'MessagePort');
}
