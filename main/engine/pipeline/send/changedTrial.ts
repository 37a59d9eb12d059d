/** The file of a trial (presence/alteredContent.ts) that changed, or was removed, before it could be sent a second time. */
import { sluiceError } from '../../core/errors.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type Batch, isNameFree } from '../../store/tables/batches.ts';
import type { Item } from '../../store/tables/items.ts';
import { noteFailure, renameMembers, type Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { bareName } from '../plan/names.ts';
import { noteTrial, trialOf } from '../presence/alteredContent.ts';

/** The try that found the file changed. */
interface Trying {
  readonly pipeline: Pipeline;
  readonly transfer: Transfer;
  readonly batch: Batch;
  readonly items: readonly Item[];
}

/**
 * Takes back a trial: the file gets the name again under which the batch has it, so that this name does not look like another computer's,
 * and the next listing chooses another trial. False for any other file. To be called in a transaction.
 */
export function takeBackTrial({ pipeline, transfer, batch, items: [item] }: Trying): boolean {
  const { store, time } = pipeline;
  if (item === undefined || trialOf(pipeline, batch.id)?.itemId !== item.id) return false;
  const name = bareName(item);
  if (!isNameFree(store, batch.id, nameKey(name), item.id)) return false;
  renameMembers(store, transfer.id, [{ itemId: item.id, name, nameKey: nameKey(name) }]);
  noteFailure(store, transfer, sluiceError('item.changed'), 0, time.now());
  noteTrial(pipeline, batch, { itemId: null });
  return true;
}
