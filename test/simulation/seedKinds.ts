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
  return isWatched(seed) && seed % 4 !== 3 && !mixesPrograms(seed);
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

/** From this seed on, the following is drawn, too; the seeds before it stay as they were. */
export const MORE_FROM = 5_001;

/** The pages of a list are cut by position, so that they repeat files and leave out others while files arrive. */
export function shiftsPages(seed: number): boolean {
  return seed >= MORE_FROM && seed % 3 === 0;
}

/** Processes are killed at commits to the ledger, not at times. */
export function killsAtCommits(seed: number): boolean {
  return seed >= MORE_FROM && seed % 3 === 1;
}

/** From this seed on, what troubles.ts draws is drawn, too. */
export const TROUBLES_FROM = 9_001;

export function hasTroubles(seed: number): boolean {
  return seed >= TROUBLES_FROM;
}

/** From this seed on, services list videos that are only registered. Not drawn together with a storage that alters what it gets. */
export const REGISTERED_FROM = 250_001;

export function listsRegistered(seed: number): boolean {
  return seed >= REGISTERED_FROM && sharesVideos(seed) && !alters(seed);
}

/**
 * Every other process of a watch's computer uploads the same directory into the same batch. It starts no jobs: they would begin before the
 * rest has arrived.
 */
export function mixesPrograms(seed: number): boolean {
  return hasTroubles(seed) && isWatched(seed) && seed % 3 === 0;
}

/** The user renames files, also while they are sent. */
export function renames(seed: number): boolean {
  return seed >= MORE_FROM && seed % 5 < 3 && (!alters(seed) || hasTroubles(seed));
}

/** Where several computers fill a batch, it is one of videos. */
export function sharesVideos(seed: number): boolean {
  return seed >= MORE_FROM && seed % 5 > 1;
}

/** A ledger that is lost is replaced by an older copy of it. */
export function restoresLedger(seed: number): boolean {
  return seed >= MORE_FROM && seed % 3 < 2;
}

/** The storage alters what it gets. */
export function alters(seed: number): boolean {
  return seed % 17 === 8;
}
