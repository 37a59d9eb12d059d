/** The batch that the rule of a watch chooses for each item. */
import { hostname } from 'node:os';
import type { Pipeline } from '../pipeline/context.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { countInPattern, type Watch } from '../store/tables/watches.ts';
import { batchFor, batchNumberPattern } from './rule.ts';

/** Chooses a batch for an item. */
export type BaseChooser = NonNullable<Target['chooseBase']>;

/** Chooses the batch of an item by the rule, by the instant it was found. */
export function baseChooser(pipeline: Pipeline, watch: Watch): BaseChooser {
  const { rule, destinationId } = watch;
  // Counted in the ledger once, and on from there: what is chosen is written by the caller.
  const counts = new Map<string, number>();
  const countOne = (pattern: string): number => {
    const before = counts.get(pattern) ?? countInPattern(pipeline.store, destinationId, pattern);
    counts.set(pattern, before + 1);
    return before;
  };
  return (item) => {
    const facts = { host: hostname(), at: item.foundAt, relativePath: item.relativePath };
    const pattern = batchNumberPattern(rule, facts);
    const before = pattern === null ? 0 : countOne(pattern);
    const batchNumber = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, batchNumber });
  };
}
