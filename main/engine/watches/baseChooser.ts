import { hostname } from 'node:os';
import type { WatchRule } from '../core/contract.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { BaseChooser } from '../pipeline/identify/identifyOptions.ts';
import { countInPattern } from '../store/tables/watches.ts';
import { batchFor, batchNumberPattern } from './rule.ts';

/**
 * Creates a function that returns the batch for one file after another. `countBefore`: how many files already have an id of this pattern,
 * from which {n} continues.
 */
export function createBatchNamer(countBefore: (pattern: string) => number) {
  const host = hostname();
  const counts = new Map<string, number>();
  const countedBefore = (pattern: string, isTaken: boolean): number => {
    const before = counts.get(pattern) ?? countBefore(pattern);
    counts.set(pattern, isTaken ? before + 1 : before);
    return before;
  };
  return (rule: WatchRule, at: number, relativePath: string, isTaken: boolean): string => {
    const facts = { host, at, relativePath };
    const pattern = batchNumberPattern(rule, facts);
    const before = pattern === null ? 0 : countedBefore(pattern, isTaken);
    const batchNumber = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, batchNumber });
  };
}

/** Creates the chooser of a destination's batches: by the rule as it is at that moment, and by the time when the item was found. */
export function baseChooser(
  { store }: Pipeline,
  destinationId: number,
  ruleNow: () => WatchRule,
): BaseChooser {
  // The ledger is counted once, then the count continues in memory: the caller writes each choice to the ledger.
  const batchOf = createBatchNamer((pattern) => countInPattern(store, destinationId, pattern));
  return ({ foundAt, relativePath }, purpose) =>
    batchOf(ruleNow(), foundAt, relativePath, purpose === 'take');
}
