/** Decides what happens to a transfer that the service does not list completely. Pure. */
import { isProvenAbsent, type AbsenceTimes, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { PipelineTimes } from '../../core/limits.ts';
import type { ShardDetails } from '../../core/model.ts';
import type { AwaitedTransfer } from '../../store/queue/awaited.ts';
import type { BatchFigures } from '../presence/inventory.ts';
import type { Listing } from './readListing.ts';

/** What one complete listing of a batch showed. Times are engine time, in epoch ms. */
export interface ListingFacts
  extends
    Pick<BatchFigures, 'indexing' | 'shards'>,
    Pick<Listing, 'newestListedAt' | 'shardIdsOf'> {
  readonly listedAt: number;
  /** Since when the batch has been polled in this run. */
  readonly watchedSince: number;
  readonly now: number;
  readonly lagMs: number | null;
  /** Others fill the batch too: a failed shard may be theirs. */
  readonly shared: boolean;
  /** Transfers with a file under whose name another computer's is listed: the same body again would replace it. */
  readonly replacing: ReadonlySet<number | null>;
  /** Transfers that the previous complete listing did not show either. */
  readonly absentBefore: ReadonlySet<number>;
  /** Every transfer that the listing did not show completely. */
  readonly awaited: readonly AwaitedTransfer[];
  readonly times: AbsenceTimes & Pick<PipelineTimes, 'slowCommitMs' | 'sentPatienceMs'>;
}

/** A file that its shard ended without, and what the service stated about it. */
interface Rejected {
  readonly itemId: number;
  readonly said: string | null;
}

export type MissingDecision =
  /** The transfer may still be listed: check again at this time, in engine time. */
  | { readonly kind: 'ask'; readonly at: number }
  /** Send the same body to the saved address again. */
  | { readonly kind: 'repeat' }
  /** It is proved that the service has nothing of the transfer. */
  | { readonly kind: 'absent' }
  /** The service accepted it but has not listed it for too long, or finished it without listing it: it becomes doubtful. */
  | { readonly kind: 'doubt' }
  /** Its shard ended without these members. */
  | {
      readonly kind: 'rejected';
      readonly items: readonly Rejected[];
      /** When to check the members that are still awaited, in engine time; null when none are. */
      readonly at: number | null;
    };

/** The object itself and every object nested in it. */
function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** What the details of a shard state about the file of this name, as compact JSON; null when they do not name it. */
export function statedAbout(details: string | null, key: string): string | null {
  if (details === null) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(details);
  } catch {
    return null;
  }
  for (const part of objectsIn(parsed)) {
    const names = Object.values(part).filter((value) => typeof value === 'string');
    if (names.some((name) => nameKey(name) === key)) return JSON.stringify(part);
  }
  return null;
}

/**
 * Whether a shard can be the reason why files are not listed. A shard whose end is unknown can be: sending its files again might put them
 * there twice.
 */
function mayHaveFailed({ status }: ShardDetails): boolean {
  return status === 'failed' || status === 'unknown';
}

/** The service's shards that belong to a transfer; empty while it is unknown which ones do. */
function shardsOf(transfer: AwaitedTransfer, facts: ListingFacts): readonly ShardDetails[] {
  const ids = facts.shardIdsOf.get(transfer.id);
  if (ids !== undefined && ids.size > 0)
    return facts.shards.filter(({ shardId }) => ids.has(shardId));
  if (facts.shared || facts.indexing > 0) return [];
  // Nothing of the transfer is listed. If at least as many unclaimed shards failed as similar transfers wait, one of them belongs to it.
  const claimed = new Set([...facts.shardIdsOf.values()].flatMap((own) => [...own]));
  const failed = facts.shards.filter(
    (shard) => mayHaveFailed(shard) && !claimed.has(shard.shardId),
  );
  const unlisted = facts.awaited.filter(
    ({ id, kind, state }) =>
      kind === 'shard' && state === 'sent' && (facts.shardIdsOf.get(id)?.size ?? 0) === 0,
  );
  return failed.length >= unlisted.length ? failed : [];
}

/** From when on a listing that does not show a transfer proves its absence, in engine time, and whether this listing proves it. */
function absenceOf(transfer: AwaitedTransfer, facts: ListingFacts) {
  const { listedAt, newestListedAt, lagMs, watchedSince, times } = facts;
  const lastByteAt = transfer.lastByteAt + (transfer.hasTimedOut ? times.slowCommitMs : 0);
  const wasAbsentBefore = facts.absentBefore.has(transfer.id);
  const absence = { lastByteAt, listedAt, newestListedAt, lagMs, watchedSince, wasAbsentBefore };
  return { at: provenAt(absence, times), isProven: isProvenAbsent(absence, times) };
}

function decideSent(transfer: AwaitedTransfer, facts: ListingFacts): MissingDecision {
  const { missing } = transfer;
  const doubtAt = transfer.lastByteAt + facts.times.sentPatienceMs;
  const shards = transfer.kind === 'shard' ? shardsOf(transfer, facts) : [];
  const { at, isProven } = absenceOf(transfer, facts);
  const hasEnded = shards.length > 0 && shards.every(({ status }) => status !== 'running');
  if (!hasEnded) {
    const items = isProven ? namedByAny(transfer, facts) : [];
    if (items.length > 0)
      return { kind: 'rejected', items, at: items.length === missing.length ? null : doubtAt };
    return facts.now >= doubtAt ? { kind: 'doubt' } : { kind: 'ask', at: doubtAt };
  }
  const failed = shards.find(mayHaveFailed);
  const general = failed === undefined ? null : (failed.details ?? failed.statusName);
  const items = missing.flatMap(({ itemId, key }): readonly Rejected[] => {
    const said = saidAbout(shards, key);
    // A failed shard rejects every member that it left out; a successful one only those that it names.
    const isRejected = said !== null || (isProven && failed !== undefined);
    return isRejected ? [{ itemId, said: said ?? general }] : [];
  });
  if (items.length > 0)
    return { kind: 'rejected', items, at: items.length === missing.length ? null : at };
  return isProven ? { kind: 'doubt' } : { kind: 'ask', at };
}

/**
 * Members that some shard names as failed, when the list does not show which shard is whose. The shard must be ours if no other computer
 * writes to the batch and none is being indexed.
 */
function namedByAny(transfer: AwaitedTransfer, facts: ListingFacts): readonly Rejected[] {
  if (transfer.kind !== 'shard' || facts.shared || facts.indexing > 0) return [];
  return transfer.missing.flatMap(({ itemId, key }) => {
    const said = saidAbout(facts.shards, key);
    return said === null ? [] : [{ itemId, said }];
  });
}

/** What the shards state about one file; null when none of them names it. */
function saidAbout(shards: readonly ShardDetails[], key: string): string | null {
  return (
    shards.map(({ details }) => statedAbout(details, key)).find((text) => text !== null) ?? null
  );
}

function decideUnknown(transfer: AwaitedTransfer, facts: ListingFacts): MissingDecision {
  const { now, times } = facts;
  if (transfer.retryAt > now) return { kind: 'ask', at: transfer.retryAt };
  const untouched = transfer.confirmed === 0;
  // A lost body went to another address: a body at this address would not replace it.
  const isSameAddress = transfer.urlAlive && !transfer.wasLost;
  const mayRepeat = isSameAddress && !facts.replacing.has(transfer.id);
  if (mayRepeat && transfer.kind !== 'image' && untouched) return { kind: 'repeat' };
  // A shard that is still being indexed may contain the transfer. The end of its indexing shows in the figures, which are read more often
  // than the list.
  if (facts.indexing > 0) return { kind: 'ask', at: now + times.sentPatienceMs };
  const { at, isProven } = absenceOf(transfer, facts);
  return isProven ? { kind: 'absent' } : { kind: 'ask', at };
}

/** Decides about one transfer that the listing did not show completely. */
export function decideMissing(transfer: AwaitedTransfer, facts: ListingFacts): MissingDecision {
  return transfer.state === 'unknown'
    ? decideUnknown(transfer, facts)
    : decideSent(transfer, facts);
}
