/** The target that a watch fills, for planning, and what the watch waits for, for the ledger. */
import { sluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { BaseChooser } from '../pipeline/identify/identifyOptions.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { clearWait, noteWait, waitReasonOf } from '../store/tables/waits.ts';
import type { Watch } from '../store/tables/watches.ts';

/** The target that a watch fills. `scanned`: true when queued items must be sent even though a shard is not full. */
export function watchTarget(
  watch: Watch,
  notification: string | null,
  chooseBase: BaseChooser,
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
    chooseBase,
    maxItems: watch.rule.seal.items,
    hasHostInId: watch.rule.batch.includes('{host}'),
    isShared: watch.rule.part !== null,
    watchId: watch.id,
    scanned,
  };
}

/** Notes in the ledger that the directory of a watch is missing; an earlier run may have left a note. */
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
