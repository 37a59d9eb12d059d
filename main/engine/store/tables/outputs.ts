/** Output files in the ledger: what is offered, where it goes, and its state. */
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts';
import { codeOrNull, integer, integerOrNull, oneOf, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';
import { move, OUTPUT_STATES, type OutputState } from '../transitions.ts';

/** How many output files are read at a time: a directory may have a hundred thousand. */
const PAGE_ROWS = 500;

function toOutput(row: Row) {
  return {
    id: integer(row, 'id'),
    connectionId: integer(row, 'connection_id'),
    batchId: text(row, 'batch_id'),
    /** '' for a file that belongs to no part. */
    part: text(row, 'part'),
    fileName: text(row, 'file_name'),
    /** Number among files with the same part and name, from 0. */
    occurrence: integer(row, 'occurrence'),
    target: text(row, 'target'),
    path: text(row, 'path'),
    unpack: integer(row, 'unpack') === 1,
    state: oneOf(row, 'state', OUTPUT_STATES),
    sizeBytes: integerOrNull(row, 'size_bytes'),
    sha256: textOrNull(row, 'sha256'),
    /** The stamp of the file as it was written here; null when not known. */
    stamp: textOrNull(row, 'stamp'),
    /** As returned by objectAt; null when not known. */
    object: textOrNull(row, 'object'),
    validator: textOrNull(row, 'validator'),
    /** How much of the file's part is certainly on disk. */
    syncedBytes: integer(row, 'synced_bytes'),
    lastCode: codeOrNull(row, 'last_code'),
  };
}

export type Output = Readonly<ReturnType<typeof toOutput>>;

/** What identifies an output file within a target directory. */
type OutputKey = Pick<
  Output,
  'connectionId' | 'batchId' | 'part' | 'fileName' | 'occurrence' | 'target'
>;

/** What the service calls an output, and where it goes. Several may have the same name. */
export type OutputName = Omit<OutputKey, 'occurrence'>;

/** The outputs of a name, in the order in which they were found. */
export function outputsNamed(store: Store, name: OutputName): readonly Output[] {
  return store.list(
    toOutput,
    `SELECT * FROM outputs WHERE target = ? AND connection_id = ? AND batch_id = ? AND part = ? AND file_name = ?
     ORDER BY occurrence`,
    name.target,
    name.connectionId,
    name.batchId,
    name.part,
    name.fileName,
  );
}

/** The current row of an output; `output` itself if the ledger does not have it any more. */
export function latestOutput(store: Store, output: Output): Output {
  return store.one(toOutput, 'SELECT * FROM outputs WHERE id = ?', output.id) ?? output;
}

export function addOutput(
  store: Store,
  output: OutputKey & { path: string; unpack: boolean; object: string | null },
  now: number,
): Output {
  const { lastId } = store.run(
    `INSERT INTO outputs (connection_id, batch_id, part, file_name, occurrence, target, path, unpack, object, state, state_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'listed', ?)`,
    output.connectionId,
    output.batchId,
    output.part,
    output.fileName,
    output.occurrence,
    output.target,
    output.path,
    output.unpack,
    output.object,
    now,
  );
  const nothing = { sizeBytes: null, sha256: null, stamp: null, validator: null, lastCode: null };
  return { ...output, ...nothing, id: lastId, state: 'listed', syncedBytes: 0 };
}

/** True when a file of a batch is here twice, with the same name on the service and the same content. */
export function hasCopies(
  store: Store,
  { connectionId, batchId, target }: Pick<Output, 'connectionId' | 'batchId' | 'target'>,
): boolean {
  const sql = `SELECT 1 FROM outputs AS again JOIN outputs AS first USING (target, connection_id, batch_id, part, file_name)
     WHERE again.target = ? AND again.connection_id = ? AND again.batch_id = ? AND again.occurrence > 0 AND first.occurrence = 0
       AND first.sha256 = again.sha256 LIMIT 1`;
  return store.has(sql, target, connectionId, batchId);
}

function* pagesOf<T extends { readonly id: number }>(
  store: Store,
  read: (row: Row) => T,
  columns: string,
  target: string,
): Generator<readonly T[]> {
  const sql = `SELECT ${columns} FROM outputs WHERE target = ? AND id > ? ORDER BY id LIMIT ?`;
  for (let after = 0; ;) {
    const page = store.list(read, sql, target, after, PAGE_ROWS);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.id;
  }
}

/** Every output file of a target directory, of any batch, page by page in the order they were added. */
export function outputPages(store: Store, target: string): Generator<readonly Output[]> {
  return pagesOf(store, toOutput, '*', target);
}

/** The paths of these files. */
export function* outputPaths(store: Store, target: string): Generator<string> {
  const read = (row: Row) => ({ id: integer(row, 'id'), path: text(row, 'path') });
  for (const page of pagesOf(store, read, 'id, path', target)) yield* page.map(({ path }) => path);
}

export function placeOutput(store: Store, id: number, path: string): void {
  store.run('UPDATE outputs SET path = ? WHERE id = ?', path, id);
}

/**
 * Moves an output file to another state. The reason why it was given up is kept until the file is here: a try that is interrupted must not
 * hide it.
 * @param code why it is parked now; when absent, the reason stays
 */
export function moveOutput(
  store: Store,
  id: number,
  to: OutputState,
  now: number,
  code: ErrorCode | null = null,
): void {
  const last = to === 'done' ? null : code;
  const also = `last_code = ${to === 'done' ? '?4' : 'coalesce(?4, last_code)'}`;
  move(store, 'outputs', id, to, now, also, last);
}

/** Remembers the validator of the bytes that are about to be written. */
export function noteValidator(store: Store, id: number, validator: string | null): void {
  store.run('UPDATE outputs SET validator = ? WHERE id = ?', validator, id);
}

/** Remembers how much of the part is certainly on disk. */
export function noteSynced(store: Store, id: number, bytes: number): void {
  store.run('UPDATE outputs SET synced_bytes = ? WHERE id = ?', bytes, id);
}

/** Notes that the file is complete and has its name. Returns the output as it is now. */
export function finishOutput(
  store: Store,
  output: Output,
  file: { sizeBytes: number; sha256: string; stamp: string | null },
  now: number,
): Output {
  const { sizeBytes, sha256, stamp } = file;
  const also = `last_code = NULL, validator = NULL, synced_bytes = 0, size_bytes = ?4, sha256 = ?5, stamp = ?6`;
  move(store, 'outputs', output.id, 'done', now, also, sizeBytes, sha256, stamp);
  return { ...output, ...file, state: 'done', lastCode: null, validator: null, syncedBytes: 0 };
}

export function noteObject(store: Store, id: number, object: string): void {
  store.run('UPDATE outputs SET object = ? WHERE id = ?', object, id);
}

/** Remembers the stamp of a file that was read and found unchanged. */
export function noteStamp(store: Store, id: number, stamp: string): void {
  store.run('UPDATE outputs SET stamp = ? WHERE id = ?', stamp, id);
}

/** Requests that an output fetched without unpacking be unpacked. */
export function demandUnpacking(store: Store, id: number): void {
  store.run('UPDATE outputs SET unpack = 1 WHERE id = ?', id);
}

/**
 * Orders that fetch outputs again which were given up and are not here: parked, or in a later try that may have been interrupted. Outputs
 * of a job whose outputs have still to be fetched are left out: fetching for the job includes them.
 */
export function ordersOfParked(store: Store, connectionId: number) {
  const sql = `SELECT batch_id, target, part, max(unpack) AS unpack, json_group_array(DISTINCT last_code) AS codes FROM outputs
     WHERE connection_id = ?1 AND last_code IS NOT NULL AND state <> 'done'
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.connection_id = ?1 AND jobs.state = 'succeeded' AND jobs.fetched = 0
         AND jobs.results_batch = outputs.batch_id AND jobs.download_to = outputs.target)
     GROUP BY target, batch_id, part ORDER BY min(id)`;
  const rows = store.all(sql, connectionId);
  return rows.map((row) => ({
    batchId: text(row, 'batch_id'),
    target: text(row, 'target'),
    /** null for files that belong to no part: the whole batch is listed for them. */
    part: text(row, 'part') === '' ? null : text(row, 'part'),
    unpack: integer(row, 'unpack') === 1,
    /** Why its files were given up. */
    codes: ERROR_CODES.filter((code) => text(row, 'codes').includes(`"${code}"`)),
  }));
}

/** What to fetch in order to get parked outputs again. */
export type AgainOrder = Readonly<ReturnType<typeof ordersOfParked>[number]>;
