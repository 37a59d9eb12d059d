import { hostname } from 'node:os';
import type { WatchRule } from '../core/contract.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { BaseChooser } from '../pipeline/identify/identifyOptions.ts';
import { countInPattern } from '../store/tables/watches.ts';
import { batchFor, batchNumberPattern } from './rule.ts';

/** Chooses the batch of an item by the rule as it is then and the time when it was found. */
export function baseChooser(
  pipeline: Pipeline,
  destinationId: number,
  ruleNow: () => WatchRule,
): BaseChooser {
  const host = hostname();
  // Counted in the ledger once, then continued from there: the caller writes what is chosen.
  const counts = new Map<string, number>();
  const countedBefore = (pattern: string, isTaken: boolean): number => {
    const before = counts.get(pattern) ?? countInPattern(pipeline.store, destinationId, pattern);
    counts.set(pattern, isTaken ? before + 1 : before);
    return before;
  };
  return (item, purpose) => {
    const rule = ruleNow();
    const facts = { host, at: item.foundAt, relativePath: item.relativePath };
    const pattern = batchNumberPattern(rule, facts);
    const before = pattern === null ? 0 : countedBefore(pattern, purpose === 'take');
    const batchNumber = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, batchNumber });
  };
}
