import { hostname } from 'node:os';
import type { WatchRule } from '../core/contract.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { BaseChooser } from '../pipeline/identify/identifyOptions.ts';
import { countInPattern } from '../store/tables/watches.ts';
import { batchFor, batchNumberPattern } from './rule.ts';

/** Returns the batch of one file after another, with {n} counted from what `countBefore` says of its pattern. */
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

/** Chooses the batch of an item by the rule as it is then and the time when it was found. */
export function baseChooser(
  { store }: Pipeline,
  destinationId: number,
  ruleNow: () => WatchRule,
): BaseChooser {
  // Counted in the ledger once, then continued from there: the caller writes what is chosen.
  const batchOf = createBatchNamer((pattern) => countInPattern(store, destinationId, pattern));
  return ({ foundAt, relativePath }, purpose) =>
    batchOf(ruleNow(), foundAt, relativePath, purpose === 'take');
}
