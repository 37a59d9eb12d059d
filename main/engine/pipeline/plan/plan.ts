/** Step: plan. Queued items get a batch, a name on the service, and a position in a transfer whose manifest never changes. */
import { ok, type Result, type SluiceError } from '../../core/errors.ts';
import { imagesId, videosId } from '../../core/batchNames.ts';
import { SINGLE_MODE_MAX_IMAGES } from '../../core/limits.ts';
import { MEDIA_KINDS, type MediaKind } from '../../core/model.ts';
import {
  type Batch,
  batchByRow,
  type BatchMode,
  batchSize,
  endIdleHold,
  sealBatch,
  newestGeneration,
} from '../../store/tables/batches.ts';
import { statedLimits } from '../../store/tables/connections.ts';
import {
  countKind,
  hasReturned,
  hasToPlan,
  itemsToPlan,
  itemsWithoutBase,
  parkQueued,
  readySize,
  type Waiting,
  type WaitingItem,
} from '../../store/queue/waiting.ts';
import { assignBase } from '../../store/tables/watches.ts';
import { addTransfers, type LostBody } from '../../store/tables/transfers.ts';
import { expireBatches } from './expiry.ts';
import { reasonOf } from '../identify/judge.ts';
import type { Pipeline } from '../context.ts';
import { matchExisting, mayBeThere } from './matchExisting.ts';
import { nameMembers } from './names.ts';
import type { ListedBatches } from './awaitOthers.ts';
import { openBatch, type BatchRequest } from './openBatch.ts';
import { cutApart, shardBounds } from './shards.ts';
import { type Target, waitingFor } from './target.ts';

const GROUP = 4 * 500;
/** Items matched in one reading of a list. */
const MATCHED_AT_ONCE = 50_000;

/**
 * The batch id for items of a kind; null before that can be decided. `imagesWait`: images have still to be planned. `holds`: the kind that
 * the batch holds, or is meant for.
 */
export function baseIdFor(
  kind: MediaKind,
  baseId: string,
  known: {
    readonly imagesWait: boolean;
    readonly scanned: boolean;
    readonly holds: MediaKind | null;
  },
): string | null {
  if (kind === 'image') return known.holds === 'video' ? imagesId(baseId) : baseId;
  if (known.holds === 'video') return baseId;
  if (known.holds === 'image') return videosId(baseId);
  // Planning the images shows what the batch holds: it may have these videos already.
  return known.scanned && !known.imagesWait ? baseId : null;
}

/** How a batch is filled; null when that cannot be decided yet. */
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

/** A target, the items that wait for it, and the batch id that was requested for them. */
interface PlanScope {
  readonly pipeline: Pipeline;
  readonly target: Target;
  readonly waiting: Waiting;
  readonly asked: string;
}

function wantedFor({ pipeline, target, waiting, asked }: PlanScope): BatchRequest | null {
  const { store, connectionId } = pipeline;
  const { mode: wanted } = target;
  const { kind } = waiting;
  const scanned = target.scanned();
  const enough = SINGLE_MODE_MAX_IMAGES + 1;
  const ofImages = { ...waiting, kind: 'image' } as const;
  const images = countKind(store, ofImages, enough);
  // Items count whenever they are due, except those that wait for a person: these may never be planned.
  const imagesWait = hasToPlan(store, ofImages, Number.MAX_SAFE_INTEGER);
  const first = newestGeneration(store, connectionId, asked);
  const holds = first?.kind ?? target.mainKind;
  const baseId = baseIdFor(kind, asked, { imagesWait, scanned, holds });
  if (baseId === null) return null;
  const present = newestGeneration(store, connectionId, baseId);
  const open = present?.state === 'open' ? present.mode : null;
  const mode = chooseMode(kind, wanted, { images, scanned, present: open });
  if (mode === null) return null;
  const modeDemanded = kind === 'image' && wanted !== 'auto' && target.watchId === null;
  return { baseId, kind, mode, modeDemanded };
}

/** How many more items a batch may take before it is closed. */
function roomIn(pipeline: Pipeline, target: Target, batch: Batch): number {
  if (target.maxItems === null) return GROUP;
  return Math.max(0, Math.min(GROUP, target.maxItems - batchSize(pipeline.store, batch.id)));
}

/** The lost bodies of a group combined into one: the latest last byte, and the earliest proof of absence. Null for new files. */
function lostBodyOf(group: readonly WaitingItem[]): LostBody | null {
  const bodies = group.flatMap(({ lost }) => lost ?? []);
  return bodies.reduce<LostBody | null>(
    (all, { lastByteAt, absentAt }) => ({
      lastByteAt: Math.max(all?.lastByteAt ?? 0, lastByteAt),
      absentAt: Math.min(all?.absentAt ?? absentAt, absentAt),
    }),
    null,
  );
}

/** Plans transfers for these items. Without `rest`, items that do not fill a shard are left over. Returns how many transfers were added. */
function planTransfers(
  { pipeline, target }: PlanScope,
  batch: Batch,
  items: readonly WaitingItem[],
  rest: boolean,
): number {
  const { store, ports, connectionId } = pipeline;
  const isSingle = batch.mode === 'single';
  const notification = isSingle ? null : target.notification;
  const bounds = shardBounds(statedLimits(store, connectionId), notification !== null);
  // Leftover items keep waiting and need no name yet.
  const groups = isSingle ? items.map((item) => [item]) : cutApart(items, bounds, rest);
  const names = nameMembers(pipeline, batch, groups.flat());
  const planned = groups.map((group) => ({
    kind: isSingle ? batch.kind : ('shard' as const),
    sizeBytes: group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    notification,
    members: names.splice(0, group.length),
    lost: lostBodyOf(group),
  }));
  addTransfers(store, batch.id, planned, ports.clock.now());
  return planned.length;
}

/** True when the waiting items fill a shard or the batch: reading them any sooner would be wasted. */
function isEnough({ pipeline, target, waiting }: PlanScope, batch: Batch): boolean {
  const { store, connectionId } = pipeline;
  const bounds = shardBounds(statedLimits(store, connectionId), target.notification !== null);
  const most = Math.min(bounds.maxMembers, roomIn(pipeline, target, batch));
  const now = pipeline.time.now();
  const ready = readySize(store, waiting, now, most);
  return ready.count >= most || ready.bytes >= bounds.maxBytes;
}

/** Fills one batch from the queue as far as it takes items. Returns 0 when it did nothing. */
async function fill(scope: PlanScope, batch: Batch): Promise<Result<number>> {
  const { pipeline, target, waiting } = scope;
  const { store, ports } = pipeline;
  const now = pipeline.time.now();
  const take = (most: number): readonly WaitingItem[] => itemsToPlan(store, waiting, now, most);
  const isUnfilled = batch.mode === 'bulk' && !target.scanned();
  if (isUnfilled && !isEnough(scope, batch)) return ok(0);
  const room = (): number => roomIn(pipeline, target, batch);
  // The list of a batch that only we fill need not be read, unless some of its items came back to the queue.
  const isOpen = !batch.isExclusive || hasReturned(store, batch.id);
  const lookedFor = new Set<number>();
  if (isOpen && mayBeThere(pipeline, batch, take(room()))) {
    const items = take(MATCHED_AT_ONCE);
    for (const { id } of items) lookedFor.add(id);
    const matched = await matchExisting(pipeline, batch, items);
    if (!matched.ok) return matched;
    // Not everything was compared, so that it might be sent twice.
    if (pipeline.signal.aborted) return ok(0);
    pipeline.reached('ask');
    if (matched.value > 0)
      ports.log.write('info', 'plan.waits', { batch: batch.batchId, files: matched.value });
  }
  const taken = await store.soon(() => {
    // Meanwhile, confirming may have noticed that the batch has expired: then the next generation takes these items.
    const present = batchByRow(store, batch.id) ?? batch;
    if (present.state === 'expired') return 1;
    const left = room();
    if (left === 0) {
      sealBatch(store, batch.id, ports.clock.now());
      return 1;
    }
    const due = take(left);
    if (due.length === 0) return 0;
    // Items that were identified while the list was read are looked for in the next round.
    const items = due.filter(
      (item) => lookedFor.has(item.id) || !isOpen || !mayBeThere(pipeline, batch, [item]),
    );
    if (items.length === 0) return 1;
    endIdleHold(store, batch.id);
    // If these items fill the batch, it waits for no more items.
    const isLast = target.scanned() && items.length === due.length;
    const rest = isLast || (target.maxItems !== null && items.length === left);
    return planTransfers(scope, present, items, rest);
  });
  return ok(taken);
}

async function planKind(scope: PlanScope, listed: ListedBatches): Promise<SluiceError | null> {
  const { pipeline } = scope;
  const { store, ports } = pipeline;
  while (!pipeline.signal.aborted) {
    if (!hasToPlan(store, scope.waiting, pipeline.time.now())) return null;
    const wanted = wantedFor(scope);
    if (wanted === null) return null;
    const batch = await openBatch(pipeline, scope.target, wanted, listed);
    if (!batch.ok) {
      // Reading the batch may have shown that it holds the other kind: then these items go to a batch of their own (`-videos` or
      // `-images`).
      const instead = wantedFor(scope);
      if (instead !== null && instead.baseId !== wanted.baseId) continue;
      // Only facts that the service states about the batch park files; an unusable answer just delays them.
      if (batch.error.code === 'batch.conflict') {
        const reason = reasonOf(batch.error);
        const at = ports.clock.now();
        await store.soon(() => parkQueued(store, scope.waiting, reason, at));
      }
      return batch.error;
    }
    const taken = await fill(scope, batch.value);
    if (!taken.ok) return taken.error;
    if (taken.value === 0) return null;
    pipeline.changed('transfer');
  }
  return null;
}

/** Lets the rule of a target choose the batch of items that have none yet. */
async function chooseBases(pipeline: Pipeline, target: Target): Promise<void> {
  const { store } = pipeline;
  const { chooseBase, destinationId } = target;
  if (chooseBase === null) return;
  while (itemsWithoutBase(store, destinationId, 1).length > 0) {
    await store.soon(() => {
      for (const item of itemsWithoutBase(store, destinationId, GROUP)) {
        assignBase(store, item.id, chooseBase(item, 'take'));
      }
    });
  }
}

/**
 * Plans what is queued for a target. Returns the error that stopped it, or null. After a crash the next run continues with
 * the same names and manifests, which are in the ledger.
 * @param isWatched a watch fills the same destination now
 */
export async function plan(
  pipeline: Pipeline,
  target: Target,
  listed: ListedBatches,
  isWatched: boolean,
): Promise<SluiceError | null> {
  await expireBatches(pipeline);
  await chooseBases(pipeline, target);
  let failed: SluiceError | null = null;
  for (const { baseId, asked } of waitingFor(pipeline, target, isWatched)) {
    for (const kind of MEDIA_KINDS) {
      const waiting = { destinationId: target.destinationId, baseId, kind };
      const error = await planKind({ pipeline, target, waiting, asked }, listed);
      failed ??= error;
    }
  }
  return failed;
}
