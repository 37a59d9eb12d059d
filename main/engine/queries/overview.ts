/** A ledger at a glance: batches with their counts, problems, failed jobs. */
import type { MediaKind } from '../core/model.ts';
import { codeOf, integer, integerOrNull, text, textOrNull } from '../store/rows.ts';
import { batchByRow } from '../store/tables/batches.ts';
import { seenByBatch } from '../store/tables/seen.ts';
import { serviceAheadMs } from '../store/tables/serviceClock.ts';
import type { Store } from '../store/store.ts';
export { ownerOf as currentOwner } from '../store/ledgerHealth.ts';
export { reasonsSeen, type Tally, tallyDestinations } from '../store/tables/seen.ts';
export type { Store };

/** The ledger's contents per batch. `now` is epoch ms by this computer's clock. */
export function readStatus(store: Store, now: number) {
  const left = (connectionId: number, expiresAt: number | null): number | null =>
    expiresAt === null ? null : expiresAt - now - serviceAheadMs(store, connectionId, now);
  const sql = `WITH placed AS (SELECT destination_id, batch_row, state, count FROM batch_counts WHERE count > 0),
       -- Items without a batch are the rest of what their destination counts.
       counted AS (
         SELECT destination_id, batch_row, state, count FROM placed
         UNION ALL SELECT item_counts.destination_id, NULL, item_counts.state, item_counts.count - coalesce(sums.count, 0)
           FROM item_counts LEFT JOIN (SELECT destination_id, state, sum(count) AS count FROM placed GROUP BY 1, 2) AS sums
             ON sums.destination_id = item_counts.destination_id AND sums.state = item_counts.state
           WHERE item_counts.count > coalesce(sums.count, 0))
       SELECT batches.batch_id, batches.kind, batches.mode, batches.state AS batch_state, batches.expires_at,
         connections.id AS connection_id, connections.workspace, destinations.name AS destination,
         sum(CASE WHEN counted.state = 'queued' THEN count ELSE 0 END) AS queued,
         sum(CASE WHEN counted.state IN ('planned', 'sending', 'sent', 'unknown') THEN count ELSE 0 END) AS sending,
         sum(CASE WHEN counted.state = 'confirmed' THEN count ELSE 0 END) AS confirmed,
         sum(CASE WHEN counted.state = 'skipped' THEN count ELSE 0 END) AS skipped,
         sum(CASE WHEN counted.state = 'parked' THEN count ELSE 0 END) AS attention
       FROM counted
       JOIN destinations ON destinations.id = counted.destination_id
       JOIN connections ON connections.id = destinations.connection_id
       LEFT JOIN batches ON batches.id = counted.batch_row
       GROUP BY counted.destination_id, counted.batch_row ORDER BY counted.destination_id, counted.batch_row`;
  return store.all(sql).map((row) => ({
    batch: textOrNull(row, 'batch_id'),
    workspace: text(row, 'workspace'),
    destination: text(row, 'destination'),
    kind: textOrNull(row, 'kind'),
    mode: textOrNull(row, 'mode'),
    state: textOrNull(row, 'batch_state'),
    /** By the service's clock. */
    expiresAt: integerOrNull(row, 'expires_at'),
    /** Remaining lifetime in ms, by the service's clock where that is known; 0 or less when it has expired. */
    expiresInMs: left(integer(row, 'connection_id'), integerOrNull(row, 'expires_at')),
    queued: integer(row, 'queued'),
    /** Planned, sending, sent but unconfirmed, or unknown. */
    sending: integer(row, 'sending'),
    confirmed: integer(row, 'confirmed'),
    skipped: integer(row, 'skipped'),
    attention: integer(row, 'attention'),
  }));
}

/** How many problems are read together. Our choice. */
const PROBLEMS_AT_ONCE = 1000;

function problemsAmong(store: Store, ids: readonly number[]) {
  const sql = `SELECT items.id, items.path, items.reason, items.detail, items.state_at, batches.batch_id,
         destinations.name AS destination
       FROM items JOIN destinations ON destinations.id = items.destination_id
       LEFT JOIN batches ON batches.id = items.batch_row
       WHERE items.id IN (SELECT value FROM json_each(?)) AND items.state = 'parked' ORDER BY items.reason, items.id`;
  return store.all(sql, ids).map((row) => ({
    id: integer(row, 'id'),
    path: text(row, 'path'),
    batch: textOrNull(row, 'batch_id'),
    destination: text(row, 'destination'),
    code: codeOf(row, 'reason'),
    /** The error's facts as JSON; null when the code says it all. */
    detail: textOrNull(row, 'detail'),
    since: integer(row, 'state_at'),
  }));
}

/** Everything that needs a person, by cause, oldest first within a cause. In groups: a ledger may have very many. */
export function* readProblems(store: Store): Generator<readonly Problem[]> {
  const ids = store.ids(
    `SELECT id FROM items INDEXED BY items_parked WHERE state = 'parked' ORDER BY reason, id`,
  );
  for (let from = 0; from < ids.length; from += PROBLEMS_AT_ONCE)
    yield problemsAmong(store, ids.slice(from, from + PROBLEMS_AT_ONCE));
}

export type Problem = Readonly<ReturnType<typeof problemsAmong>[number]>;

export function batchesTouched(
  store: Store,
): readonly { batch: string; baseId: string; kind: MediaKind; files: number }[] {
  return [...seenByBatch(store)]
    .sort(([row], [other]) => row - other)
    .flatMap(([row, files]) => {
      const batch = batchByRow(store, row);
      if (batch === null) return [];
      const { batchId, baseId, kind } = batch;
      return [{ batch: batchId, baseId, kind, files }];
    });
}

/** Open batches in which files of these destinations were confirmed, oldest first. */
export function filledBatches(store: Store, destinationIds: readonly number[]): readonly string[] {
  const sql = `SELECT DISTINCT batches.batch_id FROM batch_counts JOIN batches ON batches.id = batch_counts.batch_row
       WHERE batch_counts.destination_id IN (SELECT value FROM json_each(?))
         AND batch_counts.state = 'confirmed' AND batch_counts.count > 0 AND batches.state = 'open'
       ORDER BY batches.id`;
  return store.list((row) => text(row, 'batch_id'), sql, destinationIds);
}

/** The batches of a connection in the ledger, oldest first. */
export function knownBatches(store: Store, connectionId: number) {
  const sql = 'SELECT batch_id, kind, mode, state FROM batches WHERE connection_id = ? ORDER BY id';
  return store.all(sql, connectionId).map((row) => ({
    batchId: text(row, 'batch_id'),
    kind: text(row, 'kind'),
    mode: text(row, 'mode'),
    state: text(row, 'state'),
  }));
}

/** Every connection of the ledger with its counts, oldest first. */
export function readConnections(store: Store) {
  const sql = `SELECT connections.*,
         (SELECT count(*) FROM batches WHERE batches.connection_id = connections.id) AS batches,
         (SELECT count(*) FROM jobs WHERE jobs.connection_id = connections.id) AS jobs,
         coalesce(sum(item_counts.count), 0) AS files,
         coalesce(sum(item_counts.count) FILTER (WHERE item_counts.state = 'confirmed'), 0) AS confirmed,
         coalesce(sum(item_counts.count) FILTER (WHERE item_counts.state = 'parked'), 0) AS attention
       FROM connections
       LEFT JOIN destinations ON destinations.connection_id = connections.id
       LEFT JOIN item_counts ON item_counts.destination_id = destinations.id
       GROUP BY connections.id ORDER BY connections.id`;
  return store.all(sql).map((row) => ({
    apiUrl: text(row, 'api_url'),
    projectsUrl: text(row, 'projects_url'),
    workspace: text(row, 'workspace'),
    /** The spelling of the project paths that it was seen to use; null when unknown. */
    dialect: textOrNull(row, 'dialect'),
    batches: integer(row, 'batches'),
    files: integer(row, 'files'),
    confirmed: integer(row, 'confirmed'),
    attention: integer(row, 'attention'),
    jobs: integer(row, 'jobs'),
  }));
}
