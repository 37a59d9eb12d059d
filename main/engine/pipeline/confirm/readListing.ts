/**
 * One pass through the list of a batch: which of our names it shows, which of those are our files, and what others put there. Nothing is
 * written before its end.
 */
import { ok, type Result } from '../../core/errors.ts';
import { IdSet } from '../../core/idSet.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { RemoteFile } from '../../core/model.ts';
import { itemsNamed, type ListedItem, ownFiles } from '../../store/queue/awaited.ts';
import { lostIn } from '../../store/queue/lost.ts';
import { readMeta } from '../../store/meta.ts';
import type { Store } from '../../store/store.ts';
import type { Batch } from '../../store/tables/batches.ts';
import { bareName } from '../plan/names.ts';
import { type BatchFigures, readNames } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';
import type { BatchTally } from '../../store/queue/confirmation.ts';
import { compareAll } from './compareAll.ts';
import { type Claim, type Found, isOpen, isUnsent, toUnchecked, type Unchecked } from './found.ts';
import type { Polled } from './pollState.ts';
import type { Repeats } from '../presence/repeats.ts';
import type { TrialSight } from '../presence/alteredContent.ts';
import { Comparisons } from '../presence/comparisons.ts';
import { createTrialLook } from './trialLook.ts';

/** Items that may be confirmed and that differ only in their ids, such as members of a shard: there may be a million. */
export interface ConfirmedGroup {
  /** The first of them: all are the same except for the id. */
  readonly like: ListedItem;
  readonly itemIds: IdSet;
  /** How their content was proved; null when it was not. */
  readonly proof: 'checksum' | 'content' | null;
}

/** Names that are not ours are counted up to this many. Our choice. */
const MANY = 10_000;

/** An item whose name belongs to other content; `nothing`: to none at all (withoutEmpty in uncompared.ts). */
type Replaced = ListedItem & Partial<Pick<Unchecked, 'nothing'>>;

/** What one pass showed. */
export interface Listing {
  /** See readNames. */
  readonly names: number;
  /** Number of names that are not ours, or MANY. */
  readonly foreign: number;
  /** The items that are listed and may be confirmed. */
  readonly confirmed: readonly ConfirmedGroup[];
  /** Items whose names belong to other content in the list. */
  readonly replaced: readonly Replaced[];
  /** Items that are listed but could not be compared, with why their objects could not be read if that was the reason. */
  readonly unchecked: readonly Unchecked[];
  /** When the newest of our listed files was sent, by its last byte; null when none is listed. */
  readonly newestListedAt: number | null;
  /** Ids of the shards in which members of each transfer are listed. */
  readonly shardIdsOf: ReadonlyMap<number, ReadonlySet<string>>;
  /** Transfers that were lost when the listing began. */
  readonly lost: readonly number[];
  /** Transfers that wait to be sent, but have a file that is listed. */
  readonly unsent: ReadonlySet<number>;
  /** How long the comparisons took, in ms. */
  readonly comparedMs: number;
  /** What the list shows of the trial; null while there is none, or it shows nothing yet. */
  readonly sight: TrialSight | null;
}

export interface ListingOutcome extends Polled {
  readonly figures: BatchFigures;
  readonly tally: BatchTally;
  readonly listing: Listing;
  /** When the listing began, in engine time. */
  readonly listedAt: number;
  readonly surplus: boolean;
  readonly comparing: Comparing;
}

/** Which listed items must be compared before they count. */
export interface Comparing {
  /** Others fill the batch, or may do so: a file sent under its own name may have been replaced. */
  readonly bareNames: boolean;
  /** Doubtful items: the storage confirmed nothing about what arrived, and the file may have changed since. */
  readonly doubted: boolean;
  /** Also items that are already confirmed. */
  readonly confirmed: boolean;
  /** How much is compared if the storage states no checksum. */
  readonly depth: 'bytes' | 'samples';
  /** The item that is compared to see whether the storage alters files; no other item is compared before that. null when there is none. */
  readonly trial: number | null;
  /** The storage alters files of this kind, so that names that no other file can have need no comparison. */
  readonly altered: boolean;
}

/** True where a storage alters files and names prove them. A name proves no body that was damaged in transit, which the storage may still have. */
function isTrusted(
  store: Store,
  { transferId }: ListedItem,
  { altered, bareNames }: Comparing,
): boolean {
  return altered && !bareNames && readMeta(store, `damaged:${transferId ?? 0}`) === null;
}

/** Whether an item must be compared with what is listed under its name: always, only under a bare name, or never. */
function compares(
  { store }: Pipeline,
  item: ListedItem,
  comparing: Comparing,
  listed: readonly RemoteFile[],
): 'all' | 'bare' | 'none' {
  const isOpen = item.state !== 'confirmed';
  if (comparing.trial !== null) return item.itemId === comparing.trial ? 'all' : 'none';
  // Nothing is decided about any other, for example a parked one.
  if (!['planned', 'sent', 'unknown', 'confirmed'].includes(item.state)) return 'none';
  if (isOpen && !comparing.altered && listed.every(({ isDecoded }) => isDecoded)) return 'all';
  if (item.proof === 'verify' && !isTrusted(store, item, comparing))
    return isOpen ? (comparing.altered ? 'bare' : 'all') : 'none';
  if (comparing.doubted && item.state === 'unknown') return 'all';
  return comparing.bareNames && (isOpen || comparing.confirmed) ? 'bare' : 'none';
}

/** The listed items whose names alone are no proof, or not yet, with their files. */
function claimsOf(
  pipeline: Pipeline,
  batch: Batch,
  items: readonly (readonly [key: string, item: ListedItem])[],
  listed: ReadonlyMap<string, readonly RemoteFile[]>,
  comparing: Comparing,
): readonly Claim[] {
  const wanted = items.flatMap(([key, item]) => {
    const under = listed.get(key) ?? [];
    const which = compares(pipeline, item, comparing, under);
    const mayBeEmpty =
      batch.kind === 'video' && ['planned', 'sent', 'unknown'].includes(item.state);
    const isLookedAt = which !== 'none' || (mayBeEmpty && comparing.trial === null);
    return isLookedAt ? [{ key, item, under, which, mayBeEmpty }] : [];
  });
  if (wanted.length === 0) return [];
  const files = ownFiles(
    pipeline.store,
    wanted.map(({ item }) => item.itemId),
  );
  return wanted.flatMap(({ key, item, under, which, mayBeEmpty }) => {
    const file = files.get(item.itemId);
    if (file === undefined) return [];
    const isUnique = nameKey(bareName(file)) !== key;
    const byName = which === 'none' || (which === 'bare' && isUnique);
    if (byName && !mayBeEmpty) return [];
    const mayBePart = item.state === 'unknown' && !comparing.altered;
    return under.map(({ url }) => ({ item, file, url, byName, isUnique, mayBeEmpty, mayBePart }));
  });
}

/** The newer of a time and that of a listed item. An earlier run whose clock was ahead may have written times in the future. */
function newerOf(newest: number | null, { sentAt }: ListedItem, listedAt: number): number | null {
  return sentAt === null || sentAt > listedAt ? newest : Math.max(newest ?? 0, sentAt);
}

/** Remembers the listed names that are not ours; in `foreign` as long as they are not many. */
function noteForeign(
  pipeline: Pipeline,
  batch: Batch,
  listed: ReadonlyMap<string, unknown>,
  items: readonly (readonly [key: string, item: ListedItem])[],
  foreign: Set<string>,
): void {
  const ours = new Set(items.map(([key]) => key));
  const others = [...listed.keys()].filter((key) => !ours.has(key));
  for (const key of others) {
    pipeline.foreign.add(batch.id, key);
    if (foreign.size < MANY) foreign.add(key);
  }
}

/** Reads the list of a batch and compares what must be compared. Errors: those of reading the list. */
export async function readListing(
  pipeline: Pipeline,
  batch: Batch,
  comparing: Comparing,
  repeats?: Repeats,
): Promise<Result<Listing>> {
  const confirmed = createGroups();
  const replaced = new Map<number, ListedItem>();
  const unchecked: Unchecked[] = [];
  /**
   * Items whose own content is listed. Only compared items are recorded, since only those can also seem to be replaced; there may be a
   * million others.
   */
  const there = new Set<number>();
  const shardIdsOf = new Map<number, Set<string>>();
  const lost = lostIn(pipeline.store, batch.id);
  const unsent = new Set<number>();
  /** A list whose pages shift may repeat names. */
  const foreign = new Set<string>();
  let newestListedAt: number | null = null;
  const look = createTrialLook(pipeline, comparing.trial);
  const comparisons = new Comparisons();
  const listedAt = pipeline.time.now();

  const onPage = async (files: readonly RemoteFile[]): Promise<void> => {
    const byKey = Map.groupBy(files, ({ fileName }) => nameKey(fileName));
    const items = itemsNamed(pipeline.store, batch.id, [...byKey.keys()]);
    noteForeign(pipeline, batch, byKey, items, foreign);
    const claims = claimsOf(pipeline, batch, items, byKey, comparing);
    const compared = await compareAll(pipeline, claims, comparing.depth, comparisons);
    look.note(byKey, items, compared);
    for (const [key, item] of items) {
      const sameness = compared.get(item.itemId);
      if (isUnsent(item, sameness)) unsent.add(item.transferId);
      if (!['sent', 'unknown', 'confirmed'].includes(item.state)) continue;
      if (look.isWaiting(item)) {
        unchecked.push(toUnchecked(item));
        continue;
      }
      if (sameness?.kind === 'different') {
        replaced.set(item.itemId, item);
        continue;
      }
      if (sameness !== undefined || replaced.has(item.itemId)) there.add(item.itemId);
      // A name without content shows no delivery.
      if (sameness?.kind !== 'nothing') newestListedAt = newerOf(newestListedAt, item, listedAt);
      for (const file of byKey.get(key) ?? []) noteShard(shardIdsOf, item, file);
      if (isOpen(sameness)) unchecked.push(toUnchecked(item, sameness));
      else if (item.state !== 'confirmed') confirmed.add(item, proofOf(sameness));
    }
  };

  const names = await readNames(pipeline, batch, onPage, repeats);
  if (!names.ok) return names;
  return ok({
    names: names.value,
    foreign: foreign.size,
    confirmed: confirmed.all,
    newestListedAt,
    shardIdsOf,
    lost,
    unsent,
    comparedMs: comparisons.ms,
    sight: await look.result(),
    replaced: [...replaced.values()].filter(({ itemId }) => !there.has(itemId)),
    // Files with equivalent names may be listed on different pages: it is enough if one of them is ours.
    unchecked: confirmed.othersOf(unchecked),
  });
}

function createGroups() {
  const all: ConfirmedGroup[] = [];
  /** The newest group of each transfer. */
  const newest = new Map<number | null, ConfirmedGroup>();
  return {
    all,
    add(item: ListedItem, proof: ConfirmedGroup['proof']): void {
      const known = newest.get(item.transferId);
      if (known !== undefined && known.proof === proof && isLike(known.like, item)) {
        known.itemIds.add(item.itemId);
        return;
      }
      const group = { like: item, itemIds: new IdSet([item.itemId]), proof };
      newest.set(item.transferId, group);
      all.push(group);
    },
    /** Those of the items that are in no group, and so may not be confirmed, each once. */
    othersOf(items: readonly Unchecked[]): readonly Unchecked[] {
      // The last one stays: an object that cannot be read may be ours, although another one is empty.
      const emptyFirst = items.toSorted(
        (one, other) => Number(other.nothing) - Number(one.nothing),
      );
      const left = new Map(emptyFirst.map((item) => [item.itemId, item]));
      for (const { itemIds } of left.size === 0 ? [] : all)
        for (const id of itemIds.ids()) left.delete(id);
      return [...left.values()];
    },
  };
}

/** True for items of the same transfer that differ only in their ids. */
function isLike(one: ListedItem, other: ListedItem): boolean {
  return (
    one.state === other.state &&
    one.proof === other.proof &&
    one.sentAt === other.sentAt &&
    one.lastByteAt === other.lastByteAt
  );
}

function proofOf(sameness: Found | undefined): 'checksum' | 'content' | null {
  return sameness?.kind === 'same' ? sameness.proof : null;
}

function noteShard(
  shardIdsOf: Map<number, Set<string>>,
  item: ListedItem,
  { shardId }: RemoteFile,
): void {
  if (shardId === null || item.transferId === null) return;
  const ids = shardIdsOf.get(item.transferId) ?? new Set<string>();
  shardIdsOf.set(item.transferId, ids.add(shardId));
}
