/** Events worth a notification, found by comparing the ledger with its previous state. */
import type { AutoJobEvent } from '../jobs/autoJobEvents.ts';
import { integer, integerOrNull, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { newestTransfer } from '../store/tables/transfers.ts';

/** Something that may be worth a notification. `connectionIds`: where it happened. */
export type EngineEvent =
  /** Everything in transit has arrived: the files and batches since the last such event. */
  | {
      readonly kind: 'confirmed';
      readonly connectionIds: readonly number[];
      readonly batchIds: readonly string[];
      readonly files: number;
    }
  | {
      readonly kind: 'attention';
      readonly connectionIds: readonly number[];
      readonly count: number;
    }
  /** The service refuses the key of a connection. */
  | { readonly kind: 'refused'; readonly workspace: string }
  | {
      readonly kind: 'job';
      readonly connectionIds: readonly number[];
      readonly jobId: string;
      readonly name: string;
      readonly succeeded: boolean;
      readonly message: string | null;
    }
  | {
      readonly kind: 'fetched';
      readonly connectionIds: readonly number[];
      /** Where the results come from: a job, or a batch of results. */
      readonly name: string;
      readonly to: string;
      readonly files: number;
      /** Result files that could not be downloaded. */
      readonly missing: number;
    };

/** The event for news of an automatic job; null when it is not worth a notification. `nameOf` returns a job's name. Pure. */
export function toEngineEvent(
  news: AutoJobEvent,
  connectionId: number,
  nameOf: (jobId: string) => string,
): EngineEvent | null {
  const connectionIds = [connectionId];
  if (news.kind === 'ended') {
    const { jobId, succeeded, message } = news;
    return { kind: 'job', connectionIds, jobId, name: nameOf(jobId), succeeded, message };
  }
  if (news.kind === 'fetched') {
    const { jobId, to, files, countParked: missing } = news;
    return { kind: 'fetched', connectionIds, name: nameOf(jobId), to, files, missing };
  }
  return null;
}

/** How long nothing must change before an event is raised, in ms. Our choice. */
const QUIET_MS = 5_000;
/** The same while files are queued; those of a paused watch may be queued for days. */
const QUIET_WITH_QUEUE_MS = 120_000;
/** The same within AGAIN_MS of the last event of the kind: files that trickle in raise one event, not one each. */
const QUIET_AGAIN_MS = 300_000;
const AGAIN_MS = 900_000;

function oldestOpenTransfer(store: Store): number | null {
  const row = store.get(
    `SELECT min(id) AS id FROM transfers WHERE state IN ('planned', 'registered', 'sending', 'sent', 'unknown')`,
  );
  return integerOrNull(row ?? {}, 'id');
}

/** The files and batches that transfers after this one have delivered. */
function confirmedSince(
  store: Store,
  transferId: number,
): Omit<Extract<EngineEvent, { kind: 'confirmed' }>, 'kind'> {
  const sql = `SELECT batches.connection_id, batches.batch_id, count(*) AS files FROM transfers
     CROSS JOIN items ON items.transfer_id = transfers.id JOIN batches ON batches.id = transfers.batch_row
     WHERE transfers.id > ? AND items.state = 'confirmed' GROUP BY batches.id`;
  const rows = store.all(sql, transferId);
  return {
    connectionIds: [...new Set(rows.map((row) => integer(row, 'connection_id')))],
    batchIds: rows.map((row) => text(row, 'batch_id')),
    files: rows.reduce((sum, row) => sum + integer(row, 'files'), 0),
  };
}

/** Parked files by connection. */
function parked(store: Store): ReadonlyMap<number, number> {
  const sql = `SELECT destinations.connection_id, sum(count) AS files FROM item_counts
     JOIN destinations ON destinations.id = item_counts.destination_id
     WHERE item_counts.state = 'parked' GROUP BY destinations.connection_id`;
  return new Map(
    store.all(sql).map((row) => [integer(row, 'connection_id'), integer(row, 'files')]),
  );
}

function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** Raises one event for everything that arrived, once all of it has. */
function createArrivals(store: Store): (now: number) => EngineEvent | null {
  let reported = (oldestOpenTransfer(store) ?? newestTransfer(store) + 1) - 1;
  let newest = reported;
  let movedAt: number | null = null;
  let reportedAt: number | null = null;
  const quietMs = (now: number): number => {
    if (reportedAt !== null && now - reportedAt < AGAIN_MS) return QUIET_AGAIN_MS;
    const sql = `SELECT 1 FROM item_counts WHERE state IN ('queued', 'planned') AND count > 0 LIMIT 1`;
    return store.has(sql) ? QUIET_WITH_QUEUE_MS : QUIET_MS;
  };
  return (now) => {
    const last = newestTransfer(store);
    if (last > newest || oldestOpenTransfer(store) !== null) movedAt = now;
    newest = last;
    if (movedAt === null || now - movedAt < quietMs(now)) return null;
    movedAt = null;
    const arrived = confirmedSince(store, reported);
    reported = last;
    if (arrived.files === 0) return null;
    reportedAt = now;
    return { kind: 'confirmed', ...arrived };
  };
}

/** Raises one event for everything that newly needs a person. */
function createNeeds(store: Store): (now: number) => EngineEvent | null {
  let before = parked(store);
  let problemsAt: number | null = null;
  return (now) => {
    const problems = parked(store);
    const more = sum(problems) - sum(before);
    problemsAt = more > 0 ? (problemsAt ?? now) : null;
    if (problemsAt !== null && now - problemsAt < QUIET_MS) return null;
    const connectionIds = [...problems.keys()].filter(
      (id) => (problems.get(id) ?? 0) > (before.get(id) ?? 0),
    );
    before = problems;
    problemsAt = null;
    return more > 0 ? { kind: 'attention', connectionIds, count: more } : null;
  };
}

/** Compares the ledger with the last call, or at first with now, and returns what happened since. Takes monotonic ms. */
export function createEventFinder(store: Store): (now: number) => readonly EngineEvent[] {
  const finders = [createArrivals(store), createNeeds(store)];
  return (now) => finders.map((find) => find(now)).filter((event) => event !== null);
}

/** Finds connections whose key the service has started to refuse, given those that it refuses now. Pure state. */
export function createRefusalFinder(): (refused: readonly string[]) => readonly EngineEvent[] {
  let before: readonly string[] = [];
  return (refused) => {
    const begun = refused.filter((workspace) => !before.includes(workspace));
    before = refused;
    return begun.map((workspace) => ({ kind: 'refused', workspace }));
  };
}
