/**
 * True while a call to the file system is not finished, or a thread that may be in one, as on a drive that does not answer. The end of the
 * process would wait for it.
 */
export function hasHeldCalls(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq') || name === 'MessagePort');
}
