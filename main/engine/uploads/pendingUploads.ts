/**
 * One-off uploads, and everything else that is queued without a running watch: their places are scanned (again, if a restart interrupted
 * the scan), and their destination has a target while files wait.
 */
import { hostname } from 'node:os';
import { z } from 'zod';
import { drop } from '../core/errors.ts';
import { takeIn } from './intake.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { type ScanRoot, temporaryName } from '../pipeline/find/scan.ts';
import { baseChooser } from '../watches/baseChooser.ts';
import { batchFor } from '../watches/rule.ts';
import type { ConnectionRunner } from '../runner/connectionRunner.ts';
import { deleteValue, readValue, writeValue } from '../settings/keyValue.ts';
import { forgetUnsent } from '../store/queue/forgetting.ts';
import { destinationName, ensureDestination } from '../store/tables/connections.ts';
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { once, standardRule, type WatchRule, watchRuleSchema } from '../core/contract.ts';

const requestSchema = once(() =>
  z.object({
    mode: z.enum(['auto', 'single', 'bulk']),
    /** Places that are not completely scanned yet. */
    places: z.array(z.object({ path: z.string(), root: z.string() })),
  }),
);
type UploadRequest = z.infer<ReturnType<typeof requestSchema>>;

/**
 * The batch id of a one-off upload: {date} and {host} filled in, the rest made legal. Null when no character of it can be part of an id.
 */
export function uploadBatchId(batch: string, directory: string, at: number): string | null {
  if (!/[\p{L}\p{N}]/u.test(batch) || batch.includes('{n}')) return null;
  const rule = { ...standardRule(directory, 'drop'), batch };
  return batchFor(rule, { host: hostname(), at, relativePath: 'file', batchNumber: 1 });
}

function keyOf(destinationId: number): string {
  return `upload.${destinationId}`;
}

function requestOf(store: Store, destinationId: number): UploadRequest | null {
  return readValue(store, keyOf(destinationId), requestSchema);
}

interface Waiting {
  readonly destinationId: number;
  /** The rule that chooses the batch of each file; null when all go to the destination's own batch. */
  readonly rule: WatchRule | null;
}

export function ruleOf(store: Store, destinationId: number): WatchRule | null {
  const sql = 'SELECT rule FROM watches WHERE destination_id = ? ORDER BY id DESC LIMIT 1';
  const row = store.get(sql, destinationId);
  if (row === null) return null;
  const rule = watchRuleSchema().safeParse(JSON.parse(text(row, 'rule')));
  return rule.success ? rule.data : null;
}

/** Destinations of a connection with queued files and no watch that plans them. */
function waitingDestinations(store: Store, connectionId: number): readonly Waiting[] {
  const sql = `SELECT destinations.id FROM destinations WHERE connection_id = ?1
         AND EXISTS (SELECT 1 FROM item_counts WHERE destination_id = destinations.id AND item_counts.state = 'queued' AND count > 0)
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id
           AND watches.state <> 'removed' AND watches.one_off = 0)`;
  return store
    .ids(sql, connectionId)
    .map((destinationId) => ({ destinationId, rule: ruleOf(store, destinationId) }));
}

function hasNoWatch(store: Store, connectionId: number, destinationId: number): boolean {
  const sql = `SELECT 1 FROM destinations WHERE id = ?1 AND connection_id = ?2
       AND NOT EXISTS (SELECT 1 FROM watches WHERE destination_id = ?1 AND state <> 'removed')`;
  return store.has(sql, destinationId, connectionId);
}

/** Where the files of a destination without a running watch go: to the batches of its rule, or to its own batch. */
export function targetFor(
  running: ConnectionRunner,
  waiting: Waiting,
  scanned: () => boolean,
): Target {
  const { destinationId, rule } = waiting;
  const { store } = running.pipeline;
  return {
    destinationId,
    baseId: rule === null ? destinationName(store, destinationId) : '',
    displayName: rule?.displayName ?? null,
    mode: rule?.mode ?? requestOf(store, destinationId)?.mode ?? 'auto',
    notification: null,
    mainKind: null,
    chooseBase: rule === null ? null : baseChooser(running.pipeline, destinationId, () => rule),
    maxItems: null,
    hasHostInId: rule?.batch.includes('{host}') ?? false,
    isShared: (rule?.part ?? null) !== null,
    watchId: null,
    scanned,
  };
}

/** The targets that pending uploads have added to a runner, one for each destination. */
function createTargets(running: ConnectionRunner, isScanned: (id: number) => () => boolean) {
  const added = new Map<number, Target>();
  const add = (waiting: Waiting): void => {
    const { destinationId } = waiting;
    if (added.has(destinationId)) return;
    const target = targetFor(running, waiting, isScanned(destinationId));
    added.set(destinationId, target);
    running.addTarget(target);
  };
  const remove = (destinationId: number): void => {
    const target = added.get(destinationId);
    if (target !== undefined) running.removeTarget(target);
    added.delete(destinationId);
  };
  return {
    add,
    remove,
    /**
     * Adds a target for each of these destinations, and removes the targets of all others that are completely scanned. Returns the
     * destinations whose targets it removed.
     */
    match: (waiting: readonly Waiting[]): readonly number[] => {
      for (const one of waiting) add(one);
      const ids = new Set(waiting.map(({ destinationId }) => destinationId));
      const over = [...added.keys()].filter((id) => !ids.has(id) && isScanned(id)());
      for (const id of over) remove(id);
      return over;
    },
  };
}

/** Destinations of removed watches that still have files on their way (`remove --keep`). */
export function keptDestinations(store: Store, connectionId: number): readonly number[] {
  const sql = `SELECT destinations.id FROM destinations WHERE connection_id = ?1
       AND EXISTS (SELECT 1 FROM item_counts WHERE destination_id = destinations.id
         AND item_counts.state NOT IN ('confirmed', 'skipped', 'parked') AND count > 0)
       AND EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id AND watches.one_off = 0)
       AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id
         AND watches.state <> 'removed' AND watches.one_off = 0)`;
  return store.ids(sql, connectionId);
}

/**
 * Sends the files that removed watches have queued. Returns a function to be called again and again: it gives every such destination a
 * target while files wait, and returns the destinations with files on their way.
 */
export function createKeptTargets(running: ConnectionRunner): () => readonly number[] {
  const { store, connectionId } = running.pipeline;
  const targets = createTargets(running, () => () => true);
  return () => {
    const open = new Set(keptDestinations(store, connectionId));
    const waiting = waitingDestinations(store, connectionId);
    targets.match(waiting.filter(({ destinationId }) => open.has(destinationId)));
    return [...open];
  };
}

/** Runs one-off uploads on a pipeline, and continues those that were interrupted. */
export function startPendingUploads(running: ConnectionRunner, broke: (thrown: unknown) => void) {
  const { pipeline } = running;
  const { store, connectionId } = pipeline;
  const walks = new Map<number, number>();
  const isScanned = (id: number) => (): boolean => (walks.get(id) ?? 0) === 0;

  const targets = createTargets(running, isScanned);

  const begin = async (destinationId: number, places: readonly ScanRoot[]): Promise<void> => {
    walks.set(destinationId, (walks.get(destinationId) ?? 0) + 1);
    targets.add({ destinationId, rule: null });
    try {
      await takeIn(pipeline, destinationId, { places, leftOut: temporaryName, part: null });
      if (pipeline.signal.aborted) return;
      store.transaction(() => {
        const request = requestOf(store, destinationId);
        const done = new Set(places.map(({ path }) => path));
        const left = request?.places.filter(({ path }) => !done.has(path)) ?? [];
        writeValue(store, keyOf(destinationId), { mode: request?.mode ?? 'auto', places: left });
      });
    } finally {
      walks.set(destinationId, (walks.get(destinationId) ?? 1) - 1);
      running.wake();
    }
  };

  for (const id of store.ids('SELECT id FROM destinations WHERE connection_id = ?', connectionId)) {
    const { places } = requestOf(store, id) ?? { places: [] };
    if (places.length > 0) drop(begin(id, places).catch(broke));
  }

  return {
    /** Enters the files at the places in the ledger and sends them. Returns once the request is in the ledger. */
    add: (baseId: string, places: readonly ScanRoot[], mode: UploadRequest['mode']) => {
      const destinationId = store.transaction(() => {
        const id = ensureDestination(store, connectionId, baseId);
        const before = requestOf(store, id)?.places ?? [];
        writeValue(store, keyOf(id), { mode, places: [...before, ...places] });
        return id;
      });
      targets.remove(destinationId);
      drop(begin(destinationId, places).catch(broke));
    },
    /** Gives a target to every destination with waiting files, and removes it from those without. */
    ensureTargets: () => {
      for (const id of targets.match(waitingDestinations(store, connectionId)))
        if (requestOf(store, id)?.places.length === 0) deleteValue(store, keyOf(id));
    },
    /**
     * Skips the files of an upload that were not sent yet, as if they had never been found; if they are added again, they are uploaded.
     * Does nothing and returns false while the places of the upload are being read, and for a destination that has a watch.
     */
    cancel: (id: number, now: number): boolean => {
      if (!isScanned(id)() || !hasNoWatch(store, connectionId, id)) return false;
      store.transaction(() => forgetUnsent(store, id, now));
      return true;
    },
    /** True while places of this destination are being read. */
    isWalking: (id: number) => !isScanned(id)(),
    walking: () => [...walks.values()].reduce((sum, count) => sum + count, 0),
  };
}
