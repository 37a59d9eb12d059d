/** The target that a watch fills, for planning, and what the watch waits for, for the ledger. */
import { relative } from 'node:path';
import { sluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { Changing } from '../pipeline/find/stability.ts';
import type { BaseChooser } from '../pipeline/identify/identifyOptions.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { clearWait, noteWait, waitReasonOf } from '../store/tables/waits.ts';
import { givenPathOf, type Watch } from '../store/tables/watches.ts';

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
    notification,
    chooseBase,
    maxItems: watch.rule.seal.items,
    hasHostInId: watch.rule.batch.includes('{host}'),
    isShared: watch.rule.part !== null,
    watchId: watch.id,
    scanned,
  };
}

/** The files that have kept changing, in words, named relative to the directory of the watch. */
function changingWords({ files, example }: Changing, directory: string): string {
  const name = relative(directory, example);
  return files === 1 ? `${name} keeps changing` : `${files} files keep changing, such as ${name}`;
}

/** Notes in the ledger that the directory of a watch is missing, or that files in it keep changing; an earlier run may have left a note. */
export function watchNote(
  { store, connectionId, time }: Pipeline,
  { id, rule }: Watch,
): (isThere: boolean, changing: Changing | null) => void {
  const subject = `watch:${id}` as const;
  const missing = sluiceError('watch.missing', { path: givenPathOf(rule) });
  let noted: string | null = null;
  return (isThere, changing) => {
    const words = changing === null ? '' : changingWords(changing, rule.directory);
    const now = isThere ? words : 'missing';
    if (noted === now) return;
    noted = now;
    store.transaction(() => {
      if (!isThere) {
        noteWait(store, connectionId, subject, waitReasonOf(missing, null), time.now());
      } else if (changing === null) clearWait(store, connectionId, subject);
      else {
        const reason = { code: 'watch.changing', detail: words, nextAt: null } as const;
        noteWait(store, connectionId, subject, reason, time.now() - changing.forMs);
      }
    });
  };
}
