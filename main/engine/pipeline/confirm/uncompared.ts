/** What is believed in the end of listed items that cannot be compared with our files. */
import { nameKey } from '../../files/names/safeNames.ts';
import type { ListedItem } from '../../store/queue/awaited.ts';
import { itemById } from '../../store/tables/items.ts';
import { isRefusal } from '../presence/sameContent.ts';
import type { Pipeline } from '../context.ts';
import type { Batch } from '../../store/tables/batches.ts';
import type { BatchPollState } from './pollState.ts';
import type { Unchecked } from './found.ts';
import type { ListingOutcome } from './readListing.ts';
import { wasTaken } from './replaced.ts';

/** How many comparisons of an item must fail before that decides. Our choice. */
const COMPARISONS = 3;

/** Counts another comparison of an item that failed. Returns true once what it ends with is believed. */
function isDecided(
  { ports, times }: Pipeline,
  { unchecked }: BatchPollState,
  { itemId, error }: Unchecked,
): boolean {
  const now = ports.clock.monotonicMs();
  const before = unchecked.get(itemId) ?? { tries: 0, since: now };
  const tries = before.tries + 1;
  unchecked.set(itemId, { tries, since: before.since });
  const patienceMs =
    error !== null && isRefusal(error) ? times.refusalPatienceMs : times.comparePatienceMs;
  return tries >= COMPARISONS && now - before.since >= patienceMs;
}

/**
 * Listed items that could not be compared for so long that their names are trusted, if only our content can have them, or this computer is
 * alone in the batch. It does not trust others earlier, because another computer may have replaced the files; nor if their batch may have
 * expired since they were sent, because another computer may have made it anew. No name is trusted that may hold a damaged body of ours.
 */
export function trustedByName(
  pipeline: Pipeline,
  { listing, batch, poll, surplus }: ListingOutcome,
): readonly ListedItem[] {
  const { times, time } = pipeline;
  const alone = batch.isExclusive && !surplus;
  return listing.unchecked.filter((item) => {
    if (item.nothing || !isDecided(pipeline, poll, item)) return false;
    // A doubtful file may have been sent at any time since its batch was opened.
    const isRecent = time.now() - (item.sentAt ?? batch.createdAt) < times.retentionMs;
    return item.proof !== 'verify' && (item.isUnique || (alone && isRecent));
  });
}

/** True for a doubtful file whose name alone proves nothing: a service may list a video once it is registered. */
export function isDoubtfulVideo({ kind }: Batch, { state }: ListedItem): boolean {
  return kind === 'video' && state === 'unknown';
}

/**
 * The same listing without names under which nothing is: those of files that the service took, and those of doubtful files after a while.
 * These files count as not listed or, if the service did not take them because of their names, as replaced.
 */
export function withoutEmpty(pipeline: Pipeline, outcome: ListingOutcome): ListingOutcome {
  const { batch, listing, poll } = outcome;
  const empty = listing.unchecked.filter(
    (item) => item.nothing && (item.state === 'sent' || isDecided(pipeline, poll, item)),
  );
  if (empty.length === 0) return outcome;
  // Their next transfers get other names.
  for (const { itemId } of batch.isExclusive ? [] : empty) {
    const name = itemById(pipeline.store, itemId)?.name ?? null;
    if (name !== null) pipeline.foreign.add(batch.id, nameKey(name));
  }
  const gone = new Set(empty);
  const unchecked = listing.unchecked.filter((item) => !gone.has(item));
  const replaced = [...listing.replaced, ...empty.filter((item) => wasTaken(pipeline, item))];
  return { ...outcome, listing: { ...listing, unchecked, replaced } };
}
