/** Paths that were dropped or chosen and await a decision. */
import type { UploadAgain } from '../../preload/contract/uploadAgain.ts';

interface Offered {
  /** Empty while nothing awaits a decision. */
  readonly paths: readonly string[];
  /** Set for files that were uploaded before. */
  readonly again: UploadAgain | null;
}

const NONE: Offered = { paths: [], again: null };
let current = $state.raw(NONE);

export function offered(): Offered {
  return current;
}

/** Shows the dialog that asks what to do with these paths; an empty list closes it. */
export function offerPaths(paths: readonly string[], again: UploadAgain | null = null): void {
  current = { paths, again };
}
