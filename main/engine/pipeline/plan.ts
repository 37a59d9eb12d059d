/** Step: plan. Queued items get a batch, a name at the service, and a place in a transfer whose manifest never changes. */
import { basename, sep } from 'node:path';
import type { SluiceError } from '../../../preload/errorCodes.ts';
import { videosId } from '../batchNames.ts';
import { sluiceError, SluiceFailure } from '../errors.ts';
import { SINGLE_MODE_MAX_IMAGES } from '../limits.ts';
import { nameAtService, nameKey } from '../files/safeNames.ts';
import type { MediaKind } from '../model.ts';
import {
  type Batch,
  type BatchMode,
  expireBatches,
  nameHolder,
  newestGeneration,
  remoteFileUrl,
} from '../store/batches.ts';
import { statedLimits } from '../store/connections.ts';
import { type Item } from '../store/items.ts';
import { confirmUnsent, countKind, itemsToPlan, parkQueued } from '../store/waiting.ts';
import { addTransfer, type PlannedMember } from '../store/transfers.ts';
import { adoptByContent } from './adopt.ts';
import { reasonOf } from './judge.ts';
import type { Line } from './line.ts';
import { type ListedBatches, openBatch, type Wanted } from './openBatch.ts';
import { cutShards, shardBounds } from './shards.ts';
import type { Target } from './target.ts';

/** Items planned in one transaction. */
const GROUP = 4 * 500;

/** The batch id for items of a kind; null: not decidable before the scan has ended. */
export function baseIdFor(
  kind: MediaKind,
  baseId: string,
  known: { readonly images: number; readonly scanned: boolean; readonly holds: MediaKind | null },
): string | null {
  if (kind === 'image' || known.holds === 'video') return baseId;
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

function wantedFor(line: Line, target: Target, kind: MediaKind): Wanted | null {
  const { store, connectionId } = line;
  const scanned = target.scanned();
  const images = countKind(store, target.destinationId, 'image', SINGLE_MODE_MAX_IMAGES + 1);
  const first = newestGeneration(store, connectionId, target.baseId);
  const baseId = baseIdFor(kind, target.baseId, { images, scanned, holds: first?.kind ?? null });
  if (baseId === null) return null;
  const present = newestGeneration(store, connectionId, baseId);
  const open = present?.state === 'open' ? present.mode : null;
  const mode = chooseMode(kind, target.mode, { images, scanned, present: open });
  if (mode === null) return null;
  const modeDemanded = kind === 'image' && target.mode !== 'auto';
  return { baseId, kind, mode, modeDemanded };
}

/** The name an item has in a batch: kept across tries, the bare one where that is safe, a unique one elsewhere. */
function nameFor(line: Line, batch: Batch, item: Item): { name: string; key: string } {
  if (item.name !== null && item.batchRow === batch.id) {
    return { name: item.name, key: nameKey(item.name) };
  }
  const baseName = basename(item.path);
  if (batch.createdHere) {
    const bare = nameAtService({ baseName, unique: null });
    const holder = nameHolder(line.store, batch.id, nameKey(bare));
    if (holder === null || holder === item.id) return { name: bare, key: nameKey(bare) };
  }
  if (item.fingerprint === null) {
    throw new SluiceFailure(sluiceError('bug.unexpected', { item: item.id }));
  }
  const seed = { seedPath: item.relativePath.split(sep).join('/'), fingerprint: item.fingerprint };
  const name = nameAtService({ baseName, unique: seed });
  return { name, key: nameKey(name) };
}

interface Named extends PlannedMember {
  readonly sizeBytes: number;
}

/** Names items; what stands at the service already is confirmed and needs no transfer. */
function nameItems(line: Line, batch: Batch, items: readonly Item[], now: number): Named[] {
  const taken = new Set<string>();
  const named: Named[] = [];
  for (const item of items) {
    const { name, key } = nameFor(line, batch, item);
    const unique = taken.has(key) ? { ...item, name: null } : null;
    const chosen =
      unique === null ? { name, key } : nameFor(line, { ...batch, createdHere: false }, unique);
    taken.add(chosen.key);
    if (!batch.createdHere && remoteFileUrl(line.store, batch.id, chosen.key) !== null) {
      confirmUnsent(line.store, item.id, { batchRow: batch.id, ...chosen }, now);
      continue;
    }
    named.push({
      itemId: item.id,
      name: chosen.name,
      nameKey: chosen.key,
      sizeBytes: item.sizeBytes,
    });
  }
  return named;
}

/** Adds the transfers for these items; answers how many items are taken care of or on their way. */
function addTransfers(line: Line, target: Target, batch: Batch, items: readonly Item[]): number {
  const { store, ports, connectionId } = line;
  const now = ports.clock.now();
  const named = nameItems(line, batch, items, now);
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
  const shards = cutShards(named, bounds, target.scanned());
  for (const shard of shards) {
    const sizeBytes = shard.reduce((sum, member) => sum + member.sizeBytes, 0);
    addTransfer(store, { batchRow: batch.id, kind: 'shard', sizeBytes, notification }, shard, now);
  }
  return items.length - named.length + shards.length;
}

async function planKind(
  line: Line,
  target: Target,
  kind: MediaKind,
  listed: ListedBatches,
): Promise<SluiceError | null> {
  const { store, ports } = line;
  while (!line.signal.aborted) {
    if (itemsToPlan(store, target.destinationId, kind, 1).length === 0) return null;
    const wanted = wantedFor(line, target, kind);
    if (wanted === null) return null;
    const batch = await openBatch(line, target, wanted, listed);
    if (!batch.ok) {
      if (batch.error.next === 'park') {
        const reason = reasonOf(batch.error);
        store.transaction(() =>
          parkQueued(store, target.destinationId, kind, reason, ports.clock.now()),
        );
      }
      return batch.error;
    }
    await adoptByContent(line, batch.value, itemsToPlan(store, target.destinationId, kind, GROUP));
    const added = await store.soon(() => {
      const items = itemsToPlan(store, target.destinationId, kind, GROUP);
      return addTransfers(line, target, batch.value, items);
    });
    if (added === 0) return null;
    line.changed('transfer');
  }
  return null;
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
  const now = line.ports.clock.now();
  line.store.transaction(() => expireBatches(line.store, now));
  const images = await planKind(line, target, 'image', listed);
  const videos = await planKind(line, target, 'video', listed);
  return images ?? videos;
}
