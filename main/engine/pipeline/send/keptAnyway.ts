/**
 * The check after a whole body was refused: the storage, or a gateway in front of it, may have stored it all the same. One look at the list
 * is cheap, and may show the files before they are sent to another address, are split into smaller shards, or need a person. More looks
 * would make each real refusal wait for as long as a list may lag.
 */
import { tallyBatch } from '../../store/queue/confirmation.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { readNames } from '../presence/inventory.ts';
import { keysOfListed } from '../presence/ownSpelling.ts';
import type { AttemptResult, TransferOutcome } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/** Whether the outcome of a try would send its body elsewhere, or give it up, although the whole body has left. */
function leavesAddress(
  { transfer }: Attempt,
  { stage, sources }: AttemptResult,
  outcome: TransferOutcome,
): boolean {
  if (transfer.kind === 'image' || transfer.doubtful) return false;
  if (stage !== 'body' || sources.kind !== 'complete') return false;
  if (outcome.kind === 'again') return !outcome.keepAddress;
  return ['split', 'refused', 'hold'].includes(outcome.kind);
}

/** Whether the batch lists any of the files under their names; null when that cannot be found out. */
async function listsAny({ pipeline, batch, items }: Attempt): Promise<boolean | null> {
  const count = await pipeline.client.askCount(batch.batchId, null, pipeline.signal);
  if (!count.ok) return null;
  // If the count exceeds our confirmed files, the list must be read: the surplus may be this body, or other files on their way.
  if ((count.value ?? 0) <= tallyBatch(pipeline.store, batch.id).confirmed) return false;
  const own = new Set(items.flatMap(({ name }) => (name === null ? [] : [nameKey(name)])));
  let found = false;
  const names = await readNames(pipeline, batch, (files) => {
    found ||= files.some(({ fileName }) => keysOfListed(fileName).some((key) => own.has(key)));
    return Promise.resolve();
  });
  return names.ok ? found : null;
}

/** Makes a refusal doubtful if the list shows the refused files, or cannot be read. */
export async function unlessKept(
  attempt: Attempt,
  result: AttemptResult,
  outcome: TransferOutcome,
): Promise<TransferOutcome> {
  if (!('error' in outcome) || !leavesAddress(attempt, result, outcome)) return outcome;
  return (await listsAny(attempt)) === false ? outcome : { kind: 'unknown', error: outcome.error };
}
