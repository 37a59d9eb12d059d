/** Paths of files while they are downloaded: next to their final ones, with an ending that no other program uses for its parts. */
import { basename, dirname, join } from 'node:path';
import { fittingName } from './safeNames.ts';

/** The ending of every part. */
const PART_ENDING = '.sluice.part';
/** The longest name that file systems accept, bytes. */
const MAX_NAME_BYTES = 255;

function endingOf(ledger: string): string {
  return `.${ledger}${PART_ENDING}`;
}

/**
 * The part of a file. Each ledger has its own, so that two Sluices that download different files of the same name into one
 * directory never write to the same part.
 */
export function partPathOf(path: string, ledger: string): string {
  const ending = endingOf(ledger);
  const name = fittingName(basename(path), MAX_NAME_BYTES - Buffer.byteLength(ending));
  return join(dirname(path), name + ending);
}

export function isOthersPart(name: string, ledger: string): boolean {
  return name.endsWith(PART_ENDING) && !name.endsWith(endingOf(ledger));
}
