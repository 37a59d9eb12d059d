/** What a watch fills, and what it waits for, as planning and the ledger are told. */
import { hostname } from 'node:os';
import { sluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { Target } from '../pipeline/plan/target.ts';
import type { Item } from '../store/tables/items.ts';
import { clearWait, noteWait, waitReasonOf } from '../store/tables/waits.ts';
import { countInPattern, type Watch } from '../store/tables/watches.ts';
import { batchFor, batchNumberPattern } from './rule.ts';

/** Chooses the batch of an item by the rule, by the instant it was found. */
function baseChooser(pipeline: Pipeline, watch: Watch): (item: Item) => string {
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

/** The target that a watch fills. `scanned`: true when what is queued is to go, even though a shard is not full. */
export function watchTarget(
  pipeline: Pipeline,
  watch: Watch,
  notification: string | null,
  scanned: () => boolean,
): Target {
  return {
    destinationId: watch.destinationId,
    baseId: '',
    displayName: watch.rule.displayName,
    mode: watch.rule.mode === 'auto' ? 'bulk' : watch.rule.mode,
    mainKind: null,
    ignoreExpired: false,
    notification,
    chooseBase: baseChooser(pipeline, watch),
    maxItems: watch.rule.seal.items,
    hasHostInId: watch.rule.batch.includes('{host}'),
    isShared: watch.rule.part !== null,
    watchId: watch.id,
    scanned,
  };
}

/** Tells the ledger that the directory of a watch is not there; an earlier run may have left a note. */
export function missingNote(
  { store, connectionId, time }: Pipeline,
  watch: Watch,
): (isThere: boolean) => void {
  const subject = `watch:${watch.id}` as const;
  const missing = sluiceError('watch.missing', { path: watch.rule.directory });
  let noted: boolean | null = null;
  return (isThere) => {
    if (noted === isThere) return;
    noted = isThere;
    store.transaction(() => {
      if (isThere) clearWait(store, connectionId, subject);
      else noteWait(store, connectionId, subject, waitReasonOf(missing, null), time.now());
    });
  };
}
