/** Splits queued images into shards. Pure. */
import {
  LANES_START,
  MAX_SHARD_BYTES,
  MAX_SHARD_MEMBERS,
  MIN_SHARD_MEMBERS,
} from '../../core/limits.ts';
import type { StatedLimits } from '../../store/tables/connections.ts';

/** What a tar member costs in addition to its content: header, possibly an extended header, padding. */
const MEMBER_OVERHEAD_BYTES = 2048;

/** The limits of a shard: ours, tightened by what the service stated; leaves room for a notification member. */
export function shardBounds(stated: StatedLimits, withNotification: boolean) {
  const members = Math.min(MAX_SHARD_MEMBERS, stated.maxMembers ?? MAX_SHARD_MEMBERS);
  return {
    maxMembers: Math.max(1, members - (withNotification ? 1 : 0)),
    maxBytes: Math.min(MAX_SHARD_BYTES, stated.maxBytes ?? MAX_SHARD_BYTES),
  };
}

type ShardBounds = Readonly<ReturnType<typeof shardBounds>>;

/** How many of its shard's bytes a member takes. */
function costOf({ sizeBytes }: { readonly sizeBytes: number }): number {
  return sizeBytes + MEMBER_OVERHEAD_BYTES;
}

/** The limit for the shards into which a shard that was too large is split: half of its bytes. */
export function halfOf(items: readonly { readonly sizeBytes: number }[]): number {
  return Math.floor(items.reduce((sum, item) => sum + costOf(item), 0) / 2);
}

/**
 * Splits items, in order, into shards. Without `rest`, an unfilled last shard is left out because more is coming. With it,
 * items that would not fill all lanes are spread over them.
 */
export function cutShards<T extends { readonly sizeBytes: number }>(
  items: readonly T[],
  bounds: ShardBounds,
  rest: boolean,
): readonly (readonly T[])[] {
  const spread = Math.max(MIN_SHARD_MEMBERS, Math.ceil(items.length / LANES_START));
  const members = rest ? Math.min(bounds.maxMembers, spread) : bounds.maxMembers;
  const shards: T[][] = [];
  let shard: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const cost = costOf(item);
    const full = shard.length >= members || bytes + cost > bounds.maxBytes;
    if (full && shard.length > 0) {
      shards.push(shard);
      shard = [];
      bytes = 0;
    }
    shard.push(item);
    bytes += cost;
  }
  if (shard.length > 0 && (rest || shard.length >= members)) shards.push(shard);
  return shards;
}

/** Like cutShards, but lost items get shards of their own: if these become doubtful again, no new file is affected. */
export function cutApart<T extends { readonly sizeBytes: number; readonly lost: object | null }>(
  items: readonly T[],
  bounds: ShardBounds,
  rest: boolean,
): readonly (readonly T[])[] {
  const lost = items.filter((item) => item.lost !== null);
  const others = lost.length === 0 ? items : items.filter((item) => item.lost === null);
  return [...cutShards(lost, bounds, true), ...cutShards(others, bounds, rest)];
}
