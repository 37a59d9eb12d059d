/** What follows for a transfer of which the service does not list everything. Pure. */
import { isProvenAbsent, type AbsenceTimes, provenAt } from '../../evidence/absence.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { ShardDetails } from '../../core/model.ts';
import type { AwaitedTransfer } from '../../store/queue/awaited.ts';

/** What one complete look at a batch showed. Instants are engine time, epoch ms. */
export interface ListingFacts {
  readonly listedAt: number;
  readonly now: number;
  /** Shards that are still being taken in. */
  readonly indexing: number;
  readonly shards: readonly ShardDetails[];
  /** The newest of our deliveries that the list shows, by its last byte. */
  readonly newestListedAt: number | null;
  readonly lagMs: number | null;
  /** Ids of the shards in which members of each transfer are listed. */
  readonly shardIdsOf: ReadonlyMap<number, ReadonlySet<string>>;
  /** Others fill the batch, too: a failed shard may be theirs. */
  readonly shared: boolean;
  /** Transfers that the complete look before this one did not show either. */
  readonly absentBefore: ReadonlySet<number>;
}

export interface LookTimes extends AbsenceTimes {
  readonly sentPatienceMs: number;
}

export type MissingDecision =
  /** It may still come: nothing is known before this instant, engine time. */
  | { readonly kind: 'ask'; readonly at: number }
  /** The same body to the saved address. */
  | { readonly kind: 'repeat' }
  /** It is proved that nothing of it is there. */
  | { readonly kind: 'absent' }
  /** The service took it and does not list it, for too long or though it is done with it: from now on in doubt. */
  | { readonly kind: 'doubt' }
  /** Its shard has ended without these members, with what the service said about each. */
  | {
      readonly kind: 'rejected';
      readonly items: readonly { readonly itemId: number; readonly said: string | null }[];
      /** Some members are still awaited. */
      readonly at: number | null;
    };

/** Parts of an object, nested ones included. */
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

/** The shards that speak about a transfer, and whether they have ended; none while it is not known which they are. */
function shardsOf(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  awaited: readonly AwaitedTransfer[],
): readonly ShardDetails[] {
  const ids = facts.shardIdsOf.get(transfer.id);
  if (ids !== undefined && ids.size > 0)
    return facts.shards.filter(({ shardId }) => ids.has(shardId));
  if (facts.shared || facts.indexing > 0) return [];
  // Nothing of it arrived. When at least as many unclaimed shards failed as transfers like it wait, one of them is its own.
  const claimed = new Set([...facts.shardIdsOf.values()].flatMap((own) => [...own]));
  const failed = facts.shards.filter(
    ({ status, shardId }) => status === 'failed' && !claimed.has(shardId),
  );
  const alike = awaited.filter(
    ({ id, kind, state }) =>
      kind === 'shard' && state === 'sent' && (facts.shardIdsOf.get(id)?.size ?? 0) === 0,
  );
  return failed.length >= alike.length ? failed : [];
}

function absenceOf(transfer: AwaitedTransfer, facts: ListingFacts) {
  return {
    lastByteAt: transfer.lastByteAt,
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
  const proven = isProvenAbsent(absenceOf(transfer, facts), times);
  const failed = shards.find(({ status }) => status === 'failed');
  // A shard that failed speaks for all that it left out; one that succeeded only for those that it names.
  const rejected = proven && failed !== undefined ? transfer.missing : named;
  const general = failed === undefined ? null : (failed.details ?? failed.statusName);
  const at = provenAt(absenceOf(transfer, facts), times);
  if (rejected.length > 0) {
    const items = rejected.map(({ itemId }) => ({ itemId, said: said.get(itemId) ?? general }));
    return { kind: 'rejected', items, at: rejected.length < transfer.missing.length ? at : null };
  }
  return proven ? { kind: 'doubt' } : { kind: 'ask', at };
}

/**
 * Members that a shard names as failed where the list does not show which shard is whose: it can only be ours where no
 * other computer writes, every shard has ended and their absence is proved.
 */
function namedByAny(
  transfer: AwaitedTransfer,
  facts: ListingFacts,
  times: LookTimes,
): readonly { readonly itemId: number; readonly said: string | null }[] {
  if (transfer.kind !== 'shard' || facts.shared || facts.indexing > 0) return [];
  if (!isProvenAbsent(absenceOf(transfer, facts), times)) return [];
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
  if (transfer.urlAlive && transfer.kind !== 'image' && untouched) return { kind: 'repeat' };
  const absence = absenceOf(transfer, facts);
  // A shard that is still taken in may bring it. Its end shows in the figures, which are asked for more often than the list.
  if (facts.indexing > 0) return { kind: 'ask', at: facts.now + times.sentPatienceMs };
  if (isProvenAbsent(absence, times)) return { kind: 'absent' };
  return { kind: 'ask', at: provenAt(absence, times) };
}

/** Decides about one transfer of which the look did not show everything. */
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
