/** What is believed in the end of listed items that cannot be compared with our files. */
import type { SluiceError } from '../../core/errors.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { ListedItem } from '../../store/queue/awaited.ts';
import { itemById } from '../../store/tables/items.ts';
import { trialOf } from '../presence/alteredContent.ts';
import { isRefusal } from '../presence/sameContent.ts';
import type { Pipeline } from '../context.ts';
import type { BatchPollState, Failures } from './pollState.ts';
import type { Unchecked } from './found.ts';
import type { ListingOutcome } from './readListing.ts';
import { wasTaken } from './replaced.ts';

/** How many comparisons of an item must fail before that decides. Our choice. */
const COMPARISONS = 3;

/** True for an answer that the storage may give for ever: the object must not be read, or does not exist. */
function isDenial(error: SluiceError | null): boolean {
  return error !== null && (isRefusal(error) || error.code === 'service.notFound');
}

/** True once these failures in a row are enough to decide. */
function isLong(failures: Failures, patienceMs: number, now: number): boolean {
  return failures.tries >= COMPARISONS && now - failures.since >= patienceMs;
}

/** Counts another failed comparison of the body that an item was last sent with. Returns true once what it ends with is believed. */
function isDecided(
  { ports, times }: Pipeline,
  { unchecked }: BatchPollState,
  { itemId, error, lastByteAt }: Unchecked,
): boolean {
  const now = ports.clock.monotonicMs();
  const known = unchecked.get(itemId);
  const before = known?.lastByteAt === lastByteAt ? known : null;
  const another = ({ tries, since }: Failures = { tries: 0, since: now }): Failures => {
    return { tries: tries + 1, since };
  };
  const all = another(before?.all);
  const denied = isDenial(error) ? another(before?.denied) : undefined;
  unchecked.set(itemId, { all, denied, lastByteAt });
  const patienceMs =
    error !== null && isRefusal(error) ? times.refusalPatienceMs : times.comparePatienceMs;
  return isLong(all, patienceMs, now);
}

/** What is decided about listed items that could not be compared for a while. */
interface Uncompared {
  /**
   * Their names are trusted: only our content can have them, or this computer is alone in the batch. Others are not trusted earlier, because
   * another computer may have replaced the files; nor if their batch may have expired since they were sent, because another computer may
   * have made it anew. No name is trusted that may hold a damaged body of ours.
   */
  readonly trusted: readonly ListedItem[];
  /** Their names prove nothing, and the storage refuses to let them be read, or has nothing there: a person must decide. */
  readonly unprovable: readonly ListedItem[];
  /**
   * The same without all of these, and without doubtful videos whose names would be trusted: they count as not listed, and are sent again under
   * their names.
   */
  readonly outcome: ListingOutcome;
}

/** `waiting`: items that wait for a trial. While there is a trial, nothing is decided. */
export function judgeUncompared(
  pipeline: Pipeline,
  outcome: ListingOutcome,
  waiting: ReadonlySet<number>,
): Uncompared {
  const { times, time, ports } = pipeline;
  const { listing, batch, poll, surplus, comparing } = outcome;
  if (comparing.trial !== null) return { trusted: [], unprovable: [], outcome };
  const alone = batch.isExclusive && !surplus;
  const isBelieved = (item: Unchecked): boolean => {
    // A doubtful file may have been sent at any time since its batch was opened.
    const isRecent = time.now() - (item.sentAt ?? batch.createdAt) < times.retentionMs;
    return item.proof !== 'verify' && (item.isUnique || (alone && isRecent));
  };
  // A trial that has begun may still show whether the storage alters files.
  const mayEnd = trialOf(pipeline, batch.id) === null;
  const isUnprovable = ({ itemId, state }: Unchecked): boolean => {
    const denied = poll.unchecked.get(itemId)?.denied;
    if (!mayEnd || denied === undefined || (state !== 'sent' && state !== 'unknown')) return false;
    return isLong(denied, times.sentPatienceMs, ports.clock.monotonicMs());
  };
  const isTrusted = ({ state }: ListedItem): boolean =>
    batch.kind !== 'video' || state !== 'unknown';
  const decided = listing.unchecked.filter(
    (item) => !item.nothing && isDecided(pipeline, poll, item) && !waiting.has(item.itemId),
  );
  const believed = decided.filter(isBelieved);
  const unprovable = decided.filter((item) => !isBelieved(item) && isUnprovable(item));
  const settled = new Set([...believed, ...unprovable]);
  const unchecked = listing.unchecked.filter((item) => !settled.has(item));
  return {
    trusted: believed.filter(isTrusted),
    unprovable,
    outcome: { ...outcome, listing: { ...listing, unchecked } },
  };
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
