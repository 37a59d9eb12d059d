/**
 * Which seeds draw what beside an upload of files. Chosen by number, so that a seed that was found before something more was
 * drawn stays what it was.
 */

/** A watch runs instead of uploads. */
export function isWatched(seed: number): boolean {
  return seed % 8 === 5 || seed % 7 === 1;
}

/** Its watch starts jobs, fetches their results, and leaves files out. */
export function hasJobs(seed: number): boolean {
  return isWatched(seed) && seed % 4 !== 3;
}

/** It takes weeks: batches and results expire meanwhile. */
export function takesWeeks(seed: number): boolean {
  return seed % 13 === 9 || seed % 13 === 12;
}

/**
 * A ledger is lost between two runs. Not drawn for watches: the next one asks the service about the batches of its rule as it is
 * by then, and a rule that was edited, or a {date}, names others.
 */
export function losesLedger(seed: number): boolean {
  return !isWatched(seed) && (seed % 13 === 3 || seed % 13 === 11);
}
