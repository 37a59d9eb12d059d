/** Resends replaced files, whose names now list only other content, under unique names: all of them, or one as a trial. */
import type { Listing, ListingOutcome } from './readListing.ts';
import { isProvenAbsent, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { type ListedItem, unassign } from '../../store/queue/awaited.ts';
import { nameHolder } from '../../store/tables/batches.ts';
import { itemById } from '../../store/tables/items.ts';
import { addTransfers, dropTransfer } from '../../store/tables/transfers.ts';
import { moveItem } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';
import { uniqueName } from '../plan/matchExisting.ts';
import { endTrial, noteTrial } from '../presence/alteredContent.ts';

type Facts = Pick<ListingOutcome, 'batch' | 'poll' | 'listedAt'> & Pick<Listing, 'newestListedAt'>;

/** How many items were queued again, and when another listing can prove more. */
interface Resent {
  readonly count: number;
  readonly nextAt: number | null;
}

/**
 * Which items would have been listed by now, so that they are gone. Before that, another file under the name proves nothing: the service
 * may keep both.
 */
function goneOf(
  { times }: Pipeline,
  { batch, poll, listedAt, newestListedAt }: Facts,
  items: readonly ListedItem[],
): { readonly gone: readonly ListedItem[]; readonly nextAt: number | null } {
  const gone: ListedItem[] = [];
  let nextAt: number | null = null;
  for (const item of items) {
    const absence = {
      lastByteAt: item.lastByteAt ?? item.sentAt ?? 0,
      listedAt,
      newestListedAt,
      lagMs: batch.lagMs,
      wasAbsentBefore: item.transferId !== null && poll.absent.has(item.transferId),
    };
    // A confirmed item was listed as ours before. That the storage stated a wrong checksum says nothing about whose object is listed.
    // Even the members of one shard are not necessarily listed at the same time.
    if (item.state !== 'confirmed' && !isProvenAbsent(absence, times)) {
      nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, provenAt(absence, times));
      continue;
    }
    gone.push(item);
  }
  return { gone, nextAt };
}

/** Queues replaced items again. */
export function resendReplaced(
  pipeline: Pipeline,
  facts: Facts,
  items: readonly ListedItem[],
): Resent {
  const { store, ports } = pipeline;
  // Doubtful items are settled with everything else that the list does not show.
  const accepted = items.filter(({ state }) => state !== 'unknown');
  const { gone, nextAt } = goneOf(pipeline, facts, accepted);
  for (const { itemId } of gone) {
    moveItem(store, itemId, 'queued', ports.clock.now());
    unassign(store, itemId);
    ports.log.write('warn', 'item.replacedByOthers', { item: itemId });
  }
  return { count: gone.length, nextAt };
}

/** Queues the smallest of the items again, as a trial; if none of them can have a unique name, there is no trial. */
export function sendTrial(pipeline: Pipeline, facts: Facts, items: readonly ListedItem[]): Resent {
  const { store, ports } = pipeline;
  const { batch } = facts;
  const { gone, nextAt } = goneOf(pipeline, facts, items);
  if (gone.length === 0) return { count: 0, nextAt };
  const candidates = gone
    .flatMap(({ itemId }) => itemById(store, itemId) ?? [])
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)
    .flatMap((item) => {
      const doubted = item.state === 'unknown' ? item.transferId : null;
      const name = uniqueName(item);
      if (name === null) return [];
      return [
        { itemId: item.id, name, nameKey: nameKey(name), sizeBytes: item.sizeBytes, doubted },
      ];
    });
  const trial = candidates.find((one) => nameHolder(store, batch.id, one.nameKey) === null);
  if (trial === undefined) {
    endTrial(pipeline, batch, 'failed');
    return { count: 0, nextAt: null };
  }
  const now = ports.clock.now();
  const { itemId, sizeBytes, doubted } = trial;
  if (doubted === null) moveItem(store, itemId, 'queued', now);
  else dropTransfer(store, doubted, now);
  // The trial goes into this batch, even if it is closed: only there can it be compared with the object under its earlier name.
  const kind = batch.mode === 'single' ? batch.kind : 'shard';
  const planned = { kind, sizeBytes, notification: null, members: [trial] } as const;
  addTransfers(store, batch.id, [planned], now);
  noteTrial(pipeline, batch, trial);
  ports.log.write('info', 'batch.trialSent', { batch: batch.batchId, item: itemId });
  return { count: 1, nextAt };
}
