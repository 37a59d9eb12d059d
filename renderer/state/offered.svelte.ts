/** Paths that were dropped or chosen and await a decision. */
import type { UploadAgain } from '../../preload/contract/uploadAgain.ts';

interface Offered {
  readonly paths: readonly string[];
  /** Set for files that were uploaded before. */
  readonly again: UploadAgain | null;
}

const NONE: Offered = { paths: [], again: null };
let current = $state.raw(NONE);

/** The waiting paths; empty when there are none. */
export function offeredPaths(): readonly string[] {
  return current.paths;
}

/** What is known about them if they were uploaded before. */
export function offeredAgain(): UploadAgain | null {
  return current.again;
}

/** Shows the dialog that asks what to do with these paths; an empty list closes it. */
export function offerPaths(paths: readonly string[], again: UploadAgain | null = null): void {
  current = { paths, again };
}
