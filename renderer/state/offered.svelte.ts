/** Paths that were dropped or chosen and wait for a decision. */
import type { UploadAgain } from '../../preload/contract/uploadAgain.ts';

interface Offered {
  readonly paths: readonly string[];
  /** Set for files that were uploaded before. */
  readonly again: UploadAgain | null;
}

const NONE: Offered = { paths: [], again: null };
let current = $state.raw(NONE);

/** Paths that wait; empty when none do. */
export function offeredPaths(): readonly string[] {
  return current.paths;
}

/** What is known of them when they were uploaded before. */
export function offeredAgain(): UploadAgain | null {
  return current.again;
}

/** Shows the dialog that asks what to do with these paths; an empty list closes it. */
export function offerPaths(paths: readonly string[], again: UploadAgain | null = null): void {
  current = { paths, again };
}
