/** Batches for the window: those in the ledger and those that only the service knows, with their contents. */
import type { InputOf } from '../core/contract.ts';
import { fail, ok, type Result, type SluiceError } from '../core/errors.ts';
import {
  type BatchDetail,
  type BatchRow,
  type Counts,
  ITEM_STATES,
  MEDIA_KINDS,
  type PageOf,
  type RemoteBatch,
  type WaitKind,
  type OutputRow,
} from '../core/model.ts';
import { jobsOfBatch, shownJobState, withoutJobBatches } from './jobBatches.ts';
import { countLeftOut } from './leftOutPages.ts';
import { BATCH_SORT_SQL, REMOTE_BATCH_KEY } from './listSort.ts';
import { createRemoteList, holds, mergedPage, ownEntries } from './mergedPage.ts';
import { countState, NO_COUNTS } from '../status/counts.ts';
import type { WorkingConnection, Selection } from '../host/workingConnection.ts';
import {
  integer,
  integerOrNull,
  oneOf,
  oneOfOrNull,
  text,
  textOrNull,
  type Row,
} from '../store/rows.ts';
import { tallyBatch } from '../store/queue/confirmation.ts';
import type { Store } from '../store/store.ts';
import { BATCH_STATES, JOB_STATES } from '../store/transitions.ts';
import { batchByServiceId } from '../store/tables/batches.ts';
import { serviceAheadMs } from '../store/tables/serviceClock.ts';
import { openWaits, shownWaits } from '../status/waits.ts';

/** Waits that name a batch; its downloads and results have their own pages. */
const OF_A_BATCH: readonly WaitKind[] = ['batch', 'held', 'ready', 'batchPaused', 'watchPaused'];

const COLUMNS = `batches.id, batches.batch_id, batches.display_name, batches.kind, batches.mode, batches.state,
  batches.created_at, batches.expires_at,
  (SELECT job_id FROM jobs WHERE jobs.connection_id = batches.connection_id AND jobs.batch_id = batches.batch_id
   ORDER BY jobs.id DESC LIMIT 1) AS job_id,
  (SELECT state FROM jobs WHERE jobs.connection_id = batches.connection_id AND jobs.batch_id = batches.batch_id
   ORDER BY jobs.id DESC LIMIT 1) AS job_state,
  (SELECT count(*) FROM items INDEXED BY items_unplaced WHERE batches.state = 'open' AND items.state = 'parked' AND batch_row IS NULL AND destination_id IN (
     SELECT id FROM destinations WHERE connection_id = batches.connection_id AND name = batches.base_id
       AND NOT EXISTS (SELECT 1 FROM watches WHERE destination_id = destinations.id)
     UNION ALL SELECT destination_id FROM watches WHERE id = batches.watch_id AND json_extract(rule, '$.batch') NOT LIKE '%{folder}%'
       AND batches.id = (SELECT max(id) FROM batches AS newest WHERE newest.watch_id = batches.watch_id))) AS unplaced`;

function countsOfBatch(store: Store, batchRow: number): Counts {
  const tally = tallyBatch(store, batchRow);
  return ITEM_STATES.reduce((counts, state) => countState(counts, state, tally[state]), NO_COUNTS);
}

function toBatchRow(store: Store, row: Row): BatchRow {
  const job = oneOfOrNull(row, 'job_state', JOB_STATES);
  return {
    batchId: text(row, 'batch_id'),
    displayName: textOrNull(row, 'display_name'),
    kind: oneOf(row, 'kind', MEDIA_KINDS),
    mode: oneOf(row, 'mode', ['single', 'bulk'] as const),
    state: oneOf(row, 'state', BATCH_STATES),
    counts: countsOfBatch(store, integer(row, 'id')),
    unplaced: integer(row, 'unplaced'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integerOrNull(row, 'expires_at'),
    jobId: textOrNull(row, 'job_id'),
    jobState: job === null ? null : shownJobState(job),
  };
}

function remoteRow(batch: RemoteBatch): BatchRow {
  return {
    batchId: batch.batchId,
    displayName: batch.displayName === '' ? null : batch.displayName,
    kind: null,
    mode: null,
    state: 'remote',
    counts: NO_COUNTS,
    unplaced: 0,
    createdAt: batch.createdAt,
    expiresAt: batch.expiresAt === 0 ? null : batch.expiresAt,
    jobId: null,
    jobState: null,
  };
}

/** Converts the expiry from the service's clock to this computer's, because the screen compares it with this computer's time. */
function onLocalClock({ store, connectionId, now }: Selection, row: BatchRow): BatchRow {
  if (row.expiresAt === null) return row;
  return { ...row, expiresAt: row.expiresAt - serviceAheadMs(store, connectionId, now) };
}

/** How long the service's list is reused, in ms. Our choice. */
const LIST_MS = 15_000;

/** Creates the reader of pages; the service's list is cached for a few seconds. */
export function createBatchPages() {
  const remoteOf = createRemoteList(LIST_MS, (client, signal) => client.listBatches(signal));
  const jobsOf = createRemoteList(LIST_MS, (client, signal) => client.listJobs(signal));
  const searched = `batch_id || ' ' || coalesce(display_name, '')`;
  return async (from: Selection, query: InputOf<'batch.page'>): Promise<PageOf<BatchRow>> => {
    const { store, connectionId, connection } = from;
    const { search, ownOnly, sort = 'started' } = query;
    const remote = ownOnly === true ? [] : await remoteOf(connection);
    const plain = await withoutJobBatches(store, connectionId, remote, () => jobsOf(connection));
    const others = plain
      .filter(({ batchId, displayName }) => holds(`${batchId} ${displayName}`, search))
      .filter(({ batchId }) => batchByServiceId(store, connectionId, batchId) === null)
      .map((batch) => ({ key: REMOTE_BATCH_KEY[sort](batch), entry: () => remoteRow(batch) }));
    const own = ownEntries(
      store,
      { table: 'batches', searched, key: BATCH_SORT_SQL[sort] },
      { connectionId, ...query },
      (id) => toBatchRow(store, store.get(`SELECT ${COLUMNS} FROM batches WHERE id = ?`, id) ?? {}),
    );
    const { total, entries } = mergedPage(own, others, query);
    return { total, rows: entries.map((read) => onLocalClock(from, read())) };
  };
}

/** The part of the details that comes from the ledger, without what the service says. */
function fromLedger(batch: BatchRow, from: Selection): BatchDetail {
  const { store, connectionId, now } = from;
  const { batchId } = batch;
  const waits = openWaits(store, connectionId).filter(
    ({ kind, name }) => name === batchId && OF_A_BATCH.includes(kind),
  );
  return {
    batch: onLocalClock(from, batch),
    leftOut: countLeftOut(store, connectionId, batchId),
    waits: shownWaits(waits, now, true),
    jobs: jobsOfBatch(store, connectionId, batchId),
    countAtService: null,
    shards: [],
    parts: [],
    error: null,
  };
}

/** A batch without asking the service; null for one that only the service may know. */
export function knownBatch(from: Selection, batchId: string): BatchDetail | null {
  const { store, connectionId } = from;
  const sql = `SELECT ${COLUMNS} FROM batches WHERE connection_id = ? AND batch_id = ?`;
  const batch = store.one((row) => toBatchRow(store, row), sql, connectionId, batchId);
  return batch === null ? null : fromLedger(batch, from);
}

/** A batch with the service's current facts; an error of the service is part of the result, because the ledger's part is valid anyway. */
export async function batchDetail(from: Selection, batchId: string): Promise<Result<BatchDetail>> {
  const known = knownBatch(from, batchId);
  if (from.connection === null) {
    return known === null ? fail('service.notFound', { batch: batchId }) : ok(known);
  }
  const { client, signal } = from.connection.runner.pipeline;
  const metadata = known === null ? await client.batchMetadata(batchId, signal) : null;
  const remote = metadata?.ok === true && metadata.value !== null ? metadata.value : null;
  const [count, shards, parts] = await Promise.all([
    client.askCount(batchId, null, signal),
    client.askShards(batchId, signal),
    client.batchParts(batchId, signal),
  ]);
  // Some services count 0 for any name: a batch without files, shards or parts does not exist.
  const items = count.ok ? (count.value ?? 0) : null;
  const isEmpty = [shards, parts].every((one) => one.ok && (one.value ?? []).length === 0);
  if (known === null && remote === null && items === 0 && isEmpty) {
    return fail('service.notFound', { batch: batchId });
  }
  const error: SluiceError | null =
    [count, shards, parts].flatMap((one) => (one.ok ? [] : [one.error]))[0] ?? null;
  const row = remoteRow(
    remote ?? { batchId, displayName: '', type: '', contentType: '', createdAt: 0, expiresAt: 0 },
  );
  return ok({
    ...(known ?? fromLedger(row, from)),
    countAtService: items,
    shards: shards.ok ? (shards.value ?? []).slice(0, 1000) : [],
    parts: parts.ok ? parts.value.map(({ type: _, ...part }) => part) : [],
    error,
  });
}

const MOST_OUTPUTS = 2000;

/** Local paths of the downloaded files of a part, by name, read with one query. */
function pathsHere(
  store: Store,
  connectionId: number,
  batchId: string,
  part: string,
): ReadonlyMap<string, string> {
  const sql = `SELECT file_name, path FROM outputs
     WHERE connection_id = ? AND batch_id = ? AND part = ? AND state = 'done' ORDER BY id DESC`;
  const rows = store.all(sql, connectionId, batchId, part);
  return new Map(rows.map((row) => [text(row, 'file_name'), text(row, 'path')]));
}

/** The files in a batch, with their local paths where downloaded. */
export async function batchOutputs(
  connection: WorkingConnection,
  batchId: string,
): Promise<Result<readonly OutputRow[]>> {
  const { client, signal, store, connectionId } = connection.runner.pipeline;
  const parts = await client.batchParts(batchId, signal);
  if (!parts.ok) return parts;
  const names = parts.value.length === 0 ? [null] : parts.value.map(({ name }) => name);
  const rows: OutputRow[] = [];
  for (const part of names) {
    const files = await client.batchFiles(batchId, part, signal);
    if (!files.ok) return files;
    const here = pathsHere(store, connectionId, batchId, part ?? '');
    for (const { fileName, contentType } of files.value.slice(0, MOST_OUTPUTS - rows.length)) {
      rows.push({ part, fileName, contentType, path: here.get(fileName) ?? null });
    }
  }
  return ok(rows);
}
