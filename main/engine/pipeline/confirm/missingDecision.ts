/** Decides what happens to a transfer that the service does not list completely. Pure. */
import { isProvenAbsent, type AbsenceTimes, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { PipelineTimes } from '../../core/limits.ts';
import type { ShardDetails } from '../../core/model.ts';
import type { AwaitedTransfer } from '../../store/queue/awaited.ts';

/** What one complete listing of a batch showed. Times are engine time, in epoch ms. */
export interface ListingFacts {
  readonly listedAt: number;
  readonly now: number;
  /** Number of shards that are still being indexed. */
  readonly indexing: number;
  readonly shards: readonly ShardDetails[];
  /** When our newest listed delivery was sent, by its last byte; null when none is listed. */
  readonly newestListedAt: number | null;
  readonly lagMs: number | null;
  /** Ids of the shards in which members of each transfer are listed. */
  readonly shardIdsOf: ReadonlyMap<number, ReadonlySet<string>>;
  /** Others fill the batch too: a failed shard may be theirs. */
  readonly shared: boolean;
  /** Transfers that the previous complete listing did not show either. */
  readonly absentBefore: ReadonlySet<number>;
}

export type LookTimes = AbsenceTimes & Pick<PipelineTimes, 'slowCommitMs' | 'sentPatienceMs'>;

export type MissingDecision =
  /** It may still be listed: check again at this time, in engine time. */
  | { readonly kind: 'ask'; readonly at: number }
  /** Send the same body to the saved address again. */
  | { readonly kind: 'repeat' }
  /** It is proved that the service has nothing of it. */
  | { readonly kind: 'absent' }
  /** The service accepted it but has not listed it for too long, or finished it without listing it: it becomes doubtful. */
  | { readonly kind: 'doubt' }
  /** Its shard ended without these members; `said` is what the service stated about each. */
  | {
      readonly kind: 'rejected';
      readonly items: readonly { readonly itemId: number; readonly said: string | null }[];
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

/** Whether a shard can be why files are not listed. One whose end is unknown can: to send them again might put them there twice. */
function mayHaveFailed({ status }: ShardDetails): boolean {
  return status === 'failed' || status === 'unknown';
}

/** The shards that belong to a transfer; empty while it is unknown which they are. */
function shardsOf(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  awaited: readonly AwaitedTransfer[],
): readonly ShardDetails[] {
  const ids = facts.shardIdsOf.get(transfer.id);
  if (ids !== undefined && ids.size > 0)
    return facts.shards.filter(({ shardId }) => ids.has(shardId));
  if (facts.shared || facts.indexing > 0) return [];
  // None of it is listed. If at least as many unclaimed shards failed as similar transfers wait, one of them is its own.
  const claimed = new Set([...facts.shardIdsOf.values()].flatMap((own) => [...own]));
  const failed = facts.shards.filter(
    (shard) => mayHaveFailed(shard) && !claimed.has(shard.shardId),
  );
  const unlisted = awaited.filter(
    ({ id, kind, state }) =>
      kind === 'shard' && state === 'sent' && (facts.shardIdsOf.get(id)?.size ?? 0) === 0,
  );
  return failed.length >= unlisted.length ? failed : [];
}

function absenceOf(transfer: AwaitedTransfer, facts: ListingFacts, times: LookTimes) {
  return {
    lastByteAt: transfer.lastByteAt + (transfer.hasTimedOut ? times.slowCommitMs : 0),
    listedAt: facts.listedAt,
    newestListedAt: facts.newestListedAt,
    lagMs: facts.lagMs,
    wasAbsentBefore: facts.absentBefore.has(transfer.id),
  };
}

function decideSent(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  awaited: readonly AwaitedTransfer[],
  times: LookTimes,
): MissingDecision {
  const doubtAt = transfer.lastByteAt + times.sentPatienceMs;
  const shards = transfer.kind === 'shard' ? shardsOf(transfer, facts, awaited) : [];
  const hasEnded = shards.length > 0 && shards.every(({ status }) => status !== 'running');
  if (!hasEnded) {
    const named = namedByAny(transfer, facts, times);
    if (named.length > 0) {
      const isAll = named.length === transfer.missing.length;
      return { kind: 'rejected', items: named, at: isAll ? null : doubtAt };
    }
    return facts.now >= doubtAt ? { kind: 'doubt' } : { kind: 'ask', at: doubtAt };
  }
  const said = new Map(
    transfer.missing.map(({ itemId, key }) => [itemId, saidAbout(shards, key)] as const),
  );
  const named = transfer.missing.filter(({ itemId }) => said.get(itemId) !== null);
  const proven = isProvenAbsent(absenceOf(transfer, facts, times), times);
  const failed = shards.find(mayHaveFailed);
  // A failed shard rejects every member that it left out; a successful one only those that it names.
  const rejected = proven && failed !== undefined ? transfer.missing : named;
  const general = failed === undefined ? null : (failed.details ?? failed.statusName);
  const at = provenAt(absenceOf(transfer, facts, times), times);
  if (rejected.length > 0) {
    const items = rejected.map(({ itemId }) => ({ itemId, said: said.get(itemId) ?? general }));
    return { kind: 'rejected', items, at: rejected.length < transfer.missing.length ? at : null };
  }
  return proven ? { kind: 'doubt' } : { kind: 'ask', at };
}

/**
 * Members that some shard names as failed when the list does not show which shard is whose. The shard must be ours if no
 * other computer writes to the batch, every shard has ended and the members' absence is proved.
 */
function namedByAny(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  times: LookTimes,
): readonly { readonly itemId: number; readonly said: string | null }[] {
  if (transfer.kind !== 'shard' || facts.shared || facts.indexing > 0) return [];
  if (!isProvenAbsent(absenceOf(transfer, facts, times), times)) return [];
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

function decideUnknown(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  times: LookTimes,
): MissingDecision {
  if (transfer.retryAt > facts.now) return { kind: 'ask', at: transfer.retryAt };
  const untouched = transfer.confirmed === 0;
  // What counted as lost went to another address: a second body there would not replace it.
  const isSameAddress = transfer.urlAlive && !transfer.wasLost;
  if (isSameAddress && transfer.kind !== 'image' && untouched) return { kind: 'repeat' };
  const absence = absenceOf(transfer, facts, times);
  // A shard that is still being indexed may contain it. Its end shows in the figures, which are read more often than the list.
  if (facts.indexing > 0) return { kind: 'ask', at: facts.now + times.sentPatienceMs };
  if (isProvenAbsent(absence, times)) return { kind: 'absent' };
  return { kind: 'ask', at: provenAt(absence, times) };
}

/** Decides about one transfer that the listing did not show completely. */
export function decideMissing(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  awaited: readonly AwaitedTransfer[],
  times: LookTimes,
): MissingDecision {
  return transfer.state === 'unknown'
    ? decideUnknown(transfer, facts, times)
    : decideSent(transfer, facts, awaited, times);
}
