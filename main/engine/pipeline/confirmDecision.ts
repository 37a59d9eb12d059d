/** What a look at the service says about sent items. Pure. */
import type { RemoteFile, ShardDetails } from '../model.ts';

/** A sent transfer and the names of its members that are not settled yet. */
export interface Awaited {
  readonly transferId: number;
  readonly kind: 'image' | 'video' | 'shard';
  readonly members: readonly { readonly itemId: number; readonly key: string }[];
  /** Names of members that were confirmed before: they tell which shard it is, too. */
  readonly settledKeys: readonly string[];
}

export interface Look {
  /** Files of the batch by the key of their name. */
  readonly files: ReadonlyMap<string, RemoteFile>;
  /** Read before the files, so that an ended shard's files are all in the list. */
  readonly shards: readonly ShardDetails[];
  /** Shards still running that are not older than the orphan limit. */
  readonly running: number;
}

export interface Verdict {
  readonly confirmed: readonly number[];
  /** Items whose shard has ended without them, with what the service said about it. */
  readonly rejected: readonly { readonly itemId: number; readonly said: string | null }[];
}

/** The ids of the shards that hold members of a transfer: told by member names, never by order. */
function shardIdsOf(awaited: Awaited, look: Look): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const key of [...awaited.settledKeys, ...awaited.members.map((member) => member.key)]) {
    const shardId = look.files.get(key)?.shardId;
    if (shardId !== null && shardId !== undefined) ids.add(shardId);
  }
  return ids;
}

/** What the failed shards say about one name: the text that mentions it, else that of its own shard. */
function saidAbout(
  name: string,
  own: readonly ShardDetails[],
  failed: readonly ShardDetails[],
): string | null {
  const lower = name.toLowerCase();
  const mentions = [...own, ...failed].find((shard) =>
    shard.details?.toLowerCase().includes(lower),
  );
  const shard = mentions ?? own[0] ?? failed[0];
  if (shard === undefined) return null;
  return shard.details ?? shard.statusName;
}

/** Whether the shard of a transfer has ended, and which of the service's shards speak about it. */
function endedShards(
  awaited: Awaited,
  look: Look,
  claimed: ReadonlySet<string>,
  lonely: number,
): { ended: boolean; own: readonly ShardDetails[]; failed: readonly ShardDetails[] } {
  const ids = shardIdsOf(awaited, look);
  const own = look.shards.filter((shard) => ids.has(shard.shardId));
  const failed = look.shards.filter(
    (shard) => shard.status === 'failed' && !claimed.has(shard.shardId),
  );
  if (own.length > 0)
    return { ended: own.every((shard) => shard.status !== 'running'), own, failed };
  // Nothing of it arrived: it has ended when nothing is being taken in any more, and there are as many failures that
  // are nobody else's as transfers of which nothing arrived.
  return { ended: look.running === 0 && failed.length >= lonely, own, failed };
}

/** Decides about every awaited transfer from one look. */
export function decideConfirmation(awaited: readonly Awaited[], look: Look): Verdict {
  const confirmed: number[] = [];
  const rejected: { itemId: number; said: string | null }[] = [];
  const claimed = new Set(awaited.flatMap((transfer) => [...shardIdsOf(transfer, look)]));
  const lonely = awaited.filter(
    (transfer) => transfer.kind === 'shard' && shardIdsOf(transfer, look).size === 0,
  ).length;
  for (const transfer of awaited) {
    const absent = transfer.members.filter((member) => !look.files.has(member.key));
    for (const member of transfer.members) {
      if (look.files.has(member.key)) confirmed.push(member.itemId);
    }
    if (transfer.kind !== 'shard' || absent.length === 0) continue;
    const { ended, own, failed } = endedShards(transfer, look, claimed, lonely);
    if (!ended) continue;
    for (const member of absent) {
      rejected.push({ itemId: member.itemId, said: saidAbout(member.key, own, failed) });
    }
  }
  return { confirmed, rejected };
}
