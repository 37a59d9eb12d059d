/**
 * True while a call to the file system has not finished, for example on a drive that does not answer, or while a thread runs that may be in
 * such a call. The process would wait for it before it ends.
 */
export function hasHeldCalls(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq') || name === 'MessagePort');
}
