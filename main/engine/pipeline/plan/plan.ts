/** Step: plan. Queued items get a batch, a name at the service, and a place in a transfer whose manifest never changes. */
import {
  ok,
  type Result,
  sluiceError,
  type SluiceError,
  SluiceFailure,
} from '../../core/errors.ts';
import { imagesId, videosId } from '../../core/batchNames.ts';
import { SINGLE_MODE_MAX_IMAGES } from '../../core/limits.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { MediaKind } from '../../core/model.ts';
import {
  type Batch,
  type BatchMode,
  batchSize,
  sealBatch,
  nameHolder,
  newestGeneration,
} from '../../store/tables/batches.ts';
import { statedLimits } from '../../store/tables/connections.ts';
import { type Item } from '../../store/tables/items.ts';
import {
  countKind,
  itemsToPlan,
  itemsWithoutBase,
  parkQueued,
  readySize,
  waitingBases,
} from '../../store/queue/waiting.ts';
import { assignBase } from '../../store/tables/watches.ts';
import { addTransfer, type PlannedMember } from '../../store/tables/transfers.ts';
import { expireBatches } from './expiry.ts';
import { reasonOf } from '../find/judge.ts';
import type { Line } from '../context.ts';
import { bareName, matchExisting, mayBeThere, uniqueName } from './matchExisting.ts';
import { type ListedBatches, openBatch, type Wanted } from './openBatch.ts';
import { cutShards, shardBounds } from './shards.ts';
import type { Target } from './target.ts';

/** Items planned in one transaction. */
const GROUP = 4 * 500;
/** Items that are looked for in one reading of a list. */
const MATCHED_AT_ONCE = 50_000;

/**
 * The batch id for items of a kind; null: not decidable before the scan has ended. `holds`: what the batch holds, or is
 * meant for.
 */
export function baseIdFor(
  kind: MediaKind,
  baseId: string,
  known: { readonly images: number; readonly scanned: boolean; readonly holds: MediaKind | null },
): string | null {
  if (kind === 'image') return known.holds === 'video' ? imagesId(baseId) : baseId;
  if (known.holds === 'video') return baseId;
  if (known.images > 0 || known.holds === 'image') return videosId(baseId);
  return known.scanned ? baseId : null;
}

/** How a batch is filled; null: not decidable before more is known. */
export function chooseMode(
  kind: MediaKind,
  mode: Target['mode'],
  known: { readonly images: number; readonly scanned: boolean; readonly present: BatchMode | null },
): BatchMode | null {
  if (kind === 'video') return 'single';
  if (mode !== 'auto') return mode;
  if (known.present !== null) return known.present;
  if (known.images > SINGLE_MODE_MAX_IMAGES) return 'bulk';
  return known.scanned ? 'single' : null;
}

/** A target with the batch id its items were given: null where all go to the target's own. */
interface Aim {
  readonly target: Target;
  readonly chosen: string | null;
}

function wantedFor(line: Line, { target, chosen }: Aim, kind: MediaKind): Wanted | null {
  const { store, connectionId } = line;
  const { destinationId, mode: wish } = target;
  const asked = chosen ?? target.baseId;
  const scanned = target.scanned();
  const enough = SINGLE_MODE_MAX_IMAGES + 1;
  const images = countKind(store, destinationId, chosen, 'image', enough);
  const first = newestGeneration(store, connectionId, asked);
  const baseId = baseIdFor(kind, asked, { images, scanned, holds: first?.kind ?? target.mainKind });
  if (baseId === null) return null;
  const present = newestGeneration(store, connectionId, baseId);
  const open = present?.state === 'open' ? present.mode : null;
  const mode = chooseMode(kind, wish, { images, scanned, present: open });
  if (mode === null) return null;
  const modeDemanded = kind === 'image' && wish !== 'auto' && target.watchId === null;
  return { baseId, kind, mode, modeDemanded };
}

/**
 * The name an item has in a batch. Where this computer is alone: the one it had, else its own, else a unique one. Where
 * others write, too, only the unique one, which tells path and content: nothing is replaced under it.
 */
function nameFor(line: Line, batch: Batch, item: Item): { name: string; key: string } {
  if (batch.createdHere) {
    const kept = item.batchRow === batch.id ? item.name : null;
    const name = kept ?? bareName(item);
    const holder = nameHolder(line.store, batch.id, nameKey(name));
    if (holder === null || holder === item.id) return { name, key: nameKey(name) };
  }
  const name = uniqueName(item);
  if (name === null) throw new SluiceFailure(sluiceError('bug.unexpected', { item: item.id }));
  return { name, key: nameKey(name) };
}

interface Named extends PlannedMember {
  readonly sizeBytes: number;
}

/** Names items; no two of them alike. */
function nameItems(line: Line, batch: Batch, items: readonly Item[]): Named[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const first = nameFor(line, batch, item);
    const alone = { ...batch, createdHere: false };
    const { name, key } = taken.has(first.key) ? nameFor(line, alone, item) : first;
    taken.add(key);
    return { itemId: item.id, name, nameKey: key, sizeBytes: item.sizeBytes };
  });
}

/** How many more items a batch may take before it is closed. */
function roomIn(line: Line, target: Target, batch: Batch): number {
  if (target.maxItems === null) return GROUP;
  return Math.min(GROUP, target.maxItems - batchSize(line.store, batch.id));
}

/** Adds the transfers for these items; answers how many items are taken care of or on their way. */
function addTransfers(
  line: Line,
  target: Target,
  batch: Batch,
  items: readonly Item[],
  rest: boolean,
): number {
  const { store, ports, connectionId } = line;
  const now = ports.clock.now();
  const named = nameItems(line, batch, items);
  if (batch.mode === 'single') {
    for (const member of named) {
      const sizeBytes = member.sizeBytes;
      const transfer = { batchRow: batch.id, kind: batch.kind, sizeBytes, notification: null };
      addTransfer(store, transfer, [member], now);
    }
    return items.length;
  }
  const { notification } = target;
  const bounds = shardBounds(statedLimits(store, connectionId), notification !== null);
  const shards = cutShards(named, bounds, rest);
  for (const shard of shards) {
    const sizeBytes = shard.reduce((sum, member) => sum + member.sizeBytes, 0);
    addTransfer(store, { batchRow: batch.id, kind: 'shard', sizeBytes, notification }, shard, now);
  }
  return items.length - named.length + shards.length;
}

/** True when what waits fills a shard, or the batch: reading it any sooner would be for nothing. */
function isEnough(line: Line, { target, chosen }: Aim, kind: MediaKind, batch: Batch): boolean {
  const { store, connectionId } = line;
  const bounds = shardBounds(statedLimits(store, connectionId), target.notification !== null);
  const room = roomIn(line, target, batch);
  const most = Math.min(bounds.maxMembers, Math.max(0, room));
  const now = line.time.now();
  const ready = readySize(store, target.destinationId, chosen, kind, now, most);
  return ready.count >= most || ready.bytes >= bounds.maxBytes;
}

/** Fills one batch from the queue as far as it takes items. Answers how many were taken care of. */
async function fill(
  line: Line,
  { target, chosen }: Aim,
  kind: MediaKind,
  batch: Batch,
): Promise<Result<number>> {
  const { store, ports } = line;
  const now = line.time.now();
  const take = (most: number): readonly Item[] =>
    itemsToPlan(store, target.destinationId, chosen, kind, now, most);
  if (
    batch.mode === 'bulk' &&
    !target.scanned() &&
    !isEnough(line, { target, chosen }, kind, batch)
  )
    return ok(0);
  const room = (): number => Math.max(0, roomIn(line, target, batch));
  if (mayBeThere(line, batch, take(room()))) {
    const matched = await matchExisting(line, batch, take(MATCHED_AT_ONCE));
    if (!matched.ok) return matched;
    if (matched.value > 0)
      ports.log.write('info', 'plan.waits', { batch: batch.batchId, files: matched.value });
  }
  const taken = await store.soon(() => {
    const left = room();
    if (left === 0) {
      sealBatch(store, batch.id, ports.clock.now());
      return 1;
    }
    const items = take(left);
    if (items.length === 0) return 0;
    // A batch that is full with these items waits for no more.
    const rest = target.scanned() || (target.maxItems !== null && items.length === left);
    return addTransfers(line, target, batch, items, rest);
  });
  return ok(taken);
}

async function planKind(
  line: Line,
  aim: Aim,
  kind: MediaKind,
  listed: ListedBatches,
): Promise<SluiceError | null> {
  const { store, ports } = line;
  const { destinationId } = aim.target;
  while (!line.signal.aborted) {
    const now = line.time.now();
    if (itemsToPlan(store, destinationId, aim.chosen, kind, now, 1).length === 0) return null;
    const wanted = wantedFor(line, aim, kind);
    if (wanted === null) return null;
    const batch = await openBatch(line, aim.target, wanted, listed);
    if (!batch.ok) {
      // Only what the service states about the batch parks files; an answer that cannot be used delays them.
      if (batch.error.code === 'batch.conflict') {
        const reason = reasonOf(batch.error);
        const at = ports.clock.now();
        await store.soon(() => parkQueued(store, destinationId, aim.chosen, kind, reason, at));
      }
      return batch.error;
    }
    line.reached('ask');
    const taken = await fill(line, aim, kind, batch.value);
    if (!taken.ok) return taken.error;
    if (taken.value === 0) return null;
    line.changed('transfer');
  }
  return null;
}

/** Lets the rule of a target choose the batch of items that have none yet. */
async function chooseBases(line: Line, target: Target): Promise<void> {
  const { store } = line;
  const { chooseBase, destinationId } = target;
  if (chooseBase === null) return;
  while (itemsWithoutBase(store, destinationId, 1).length > 0) {
    await store.soon(() => {
      for (const item of itemsWithoutBase(store, destinationId, GROUP)) {
        assignBase(store, item.id, chooseBase(item));
      }
    });
  }
}

/**
 * Plans what is queued for a target. Answers the error that keeps it from going on, or null. Steps after a crash redo
 * the same: names and manifests stand in the ledger.
 */
export async function plan(
  line: Line,
  target: Target,
  listed: ListedBatches,
): Promise<SluiceError | null> {
  const { store } = line;
  await expireBatches(line);
  await chooseBases(line, target);
  const chosen = target.chooseBase === null ? [null] : waitingBases(store, target.destinationId);
  let failed: SluiceError | null = null;
  for (const base of chosen) {
    const aim = { target, chosen: base };
    const images = await planKind(line, aim, 'image', listed);
    const videos = await planKind(line, aim, 'video', listed);
    failed ??= images ?? videos;
  }
  return failed;
}
