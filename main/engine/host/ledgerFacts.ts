/** The slow part of the snapshot: queries over many rows, run only when the ledger has changed. */
import { z } from 'zod';
import { readValue } from '../settings/keyValue.ts';
import { openFiles } from '../core/contract.ts';
import { type ItemSums, type LedgerCounts, readCounts } from '../status/counts.ts';
import { problemCounts } from '../status/problemCounts.ts';
import type { OpenBytes, ProgressOf } from '../status/progress.ts';
import { hasWork } from '../runner/upkeep.ts';
import { openWaits, type OpenWait } from '../status/waits.ts';
import { textOrNull, integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { lastFoundAt, type Watch, watchesOf } from '../store/tables/watches.ts';
import type { EngineHost } from './host.ts';
import type { SendingTransfer } from './sendingTransfers.ts';

/** Setting: when the problems were last viewed, epoch ms. `problem.read` writes it. */
export const PROBLEMS_READ = 'problems.readAt';

const MAX_DROPS = 20;
/** How long finished drops are shown, in ms. Our choice. */
const DROP_SHOWN_MS = 24 * 60 * 60 * 1000;

/** Causes that end by themselves. */
const OUTAGES: readonly string[] = [
  'net.offline',
  'network.lost',
  'network.proxy',
  'network.timeout',
  'network.unresolved',
];

export const NO_FACTS: WatchFacts = { batchId: null, lastFileAt: null };

function watchFacts(store: Store, watch: Watch) {
  const sql = 'SELECT batch_id FROM batches WHERE watch_id = ? ORDER BY id DESC LIMIT 1';
  return {
    batchId: textOrNull(store.get(sql, watch.id) ?? {}, 'batch_id'),
    lastFileAt: lastFoundAt(store, watch.destinationId),
  };
}

/** Lists destinations without a watch in which files were found since `since` (epoch ms), or which have open items; the newest first. */
function recentDrops(store: Store, connectionId: number, since: number, limit: number) {
  const sql = `SELECT id, name, last_found_at FROM destinations
       WHERE connection_id = ?1 AND last_found_at IS NOT NULL
         AND (last_found_at > ?2 OR EXISTS (SELECT 1 FROM item_counts WHERE destination_id = destinations.id
           AND state IN ('queued', 'planned', 'sending', 'sent', 'unknown') AND count > 0))
         AND NOT EXISTS (SELECT 1 FROM watches WHERE watches.destination_id = destinations.id)
       ORDER BY last_found_at DESC LIMIT ?3`;
  return store.all(sql, connectionId, since, limit).map((row) => ({
    destinationId: integer(row, 'id'),
    batchId: text(row, 'name'),
    lastFileAt: integer(row, 'last_found_at'),
  }));
}

/** A destination that no watch fills. */
export type Drop = Readonly<ReturnType<typeof recentDrops>[number]>;

type WatchFacts = Readonly<ReturnType<typeof watchFacts>>;

function isOutage({ kind, code }: OpenWait): boolean {
  return kind === 'connection' && code !== null && OUTAGES.includes(code);
}

/** The waits to show. While there is nothing to do, an outage is not a wait: only the state of the connection shows it. */
export function waitsOfWork(store: Store, connectionId: number): readonly OpenWait[] {
  const waits = openWaits(store, connectionId);
  if (!waits.some(isOutage) || hasWork(store, connectionId)) return waits;
  return waits.filter((wait) => !isOutage(wait));
}

export function readLedgerFacts(
  host: EngineHost,
  readSending: (connectionId: number) => readonly SendingTransfer[],
) {
  const { store } = host;
  const id = host.selectedId();
  const counts = readCounts(store);
  const readAt = readValue(store, PROBLEMS_READ, () => z.number()) ?? 0;
  const watches = watchesOf(store, id).filter((watch) => !watch.oneOff);
  return {
    counts,
    waits: waitsOfWork(store, id),
    problems: problemCounts(store, id, { readAt, now: host.ports.clock.now() }),
    facts: new Map(watches.map((watch) => [watch.id, watchFacts(store, watch)])),
    drops: recentDrops(store, id, host.ports.clock.now() - DROP_SHOWN_MS, MAX_DROPS),
    sending: readSending(id),
  };
}

export type LedgerFacts = Readonly<ReturnType<typeof readLedgerFacts>>;

/** What progress is measured for: each destination, and each connection as a whole. Pure. */
export function measured({
  byDestination,
  byConnection,
}: LedgerCounts): ReadonlyMap<ProgressOf, OpenBytes> {
  const sizes = new Map<ProgressOf, OpenBytes>();
  const add = (of: ProgressOf, { counts, bytes }: ItemSums): void => {
    sizes.set(of, { ...bytes, open: openFiles(counts) });
  };
  for (const [id, one] of byDestination) add(`destination:${id}`, one);
  for (const [id, one] of byConnection) add(`connection:${id}`, one);
  return sizes;
}
