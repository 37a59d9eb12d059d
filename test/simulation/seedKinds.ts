/**
 * What seeds draw in addition to an upload of files. Chosen by number, so that adding a new kind does not change
 * older seeds.
 */

/** A watch runs instead of uploads. */
export function isWatched(seed: number): boolean {
  return seed % 8 === 5 || seed % 7 === 1;
}

/** The seed's watch starts jobs, fetches their results, and leaves files out. */
export function hasJobs(seed: number): boolean {
  return isWatched(seed) && seed % 4 !== 3;
}

/** The seed lasts weeks: batches and results expire meanwhile. */
export function takesWeeks(seed: number): boolean {
  return seed % 13 === 9 || seed % 13 === 12;
}

/**
 * A ledger is lost between two runs. Not drawn for watches: the next run asks the service about the batches of its rule as it
 * is then, and an edited rule, or a {date}, names other batches.
 */
export function losesLedger(seed: number): boolean {
  return !isWatched(seed) && (seed % 13 === 3 || seed % 13 === 11);
}

/** The storage alters what it gets. */
export function alters(seed: number): boolean {
  return seed % 17 === 8;
}
