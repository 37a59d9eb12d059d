/** The file of a trial (presence/alteredContent.ts) that changed, or was removed, before it could be sent a second time. */
import { sluiceError } from '../../core/errors.ts';
import { ODD_BATCH_MS } from '../../core/limits.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type Batch, isNameFree } from '../../store/tables/batches.ts';
import type { Item } from '../../store/tables/items.ts';
import { noteFailure, renameMembers, type Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { bareName } from '../plan/names.ts';
import { noteTrial, trialOf } from '../presence/alteredContent.ts';
import type { ChangedMember } from './transferOutcome.ts';

/** The try that found the file changed. */
interface Trying {
  readonly pipeline: Pipeline;
  readonly transfer: Transfer;
  readonly batch: Batch;
  readonly items: readonly Item[];
}

/**
 * Takes back a trial: the file gets the name again under which the batch has it, so that this name does not look like another computer's,
 * and the next listing chooses another trial. A file that is gone may be in a directory that is only away for a while, so it can be chosen
 * again for an hour. False for any other file. To be called in a transaction.
 */
export function takeBackTrial(
  { pipeline, transfer, batch, items: [item] }: Trying,
  [change]: readonly ChangedMember[],
): boolean {
  const { store, time } = pipeline;
  if (item === undefined || trialOf(pipeline, batch.id)?.itemId !== item.id) return false;
  const name = bareName(item);
  if (!isNameFree(store, batch.id, nameKey(name), item.id)) return false;
  renameMembers(store, transfer.id, [{ itemId: item.id, name, nameKey: nameKey(name) }]);
  const now = time.now();
  const isOver = now - (transfer.failingSince ?? now) >= ODD_BATCH_MS;
  const code = isOver ? 'item.changed' : (change?.code ?? 'item.changed');
  noteFailure(store, transfer, sluiceError(code), 0, now);
  noteTrial(pipeline, batch, { itemId: null });
  return true;
}
