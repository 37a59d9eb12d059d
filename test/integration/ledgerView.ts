/** The ledger as a test reads it: straight from the file, not through the engine. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface LedgerItem {
  readonly id: number;
  readonly path: string;
  readonly state: string;
  readonly reason: string | null;
  readonly sizeBytes: number;
  readonly name: string | null;
  readonly batchId: string | null;
}

type Row = Readonly<Record<string, unknown>>;

function word(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

function wordOrNull(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === 'string' ? value : null;
}

function whole(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : Number.NaN;
}

function textsOf(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' && column !== 'upload_url' ? [value] : [],
    ),
  );
}

export function readLedger(dataDirectory: string) {
  const database = new DatabaseSync(join(dataDirectory, 'ledger.db'));
  try {
    const all = (sql: string): readonly Row[] => database.prepare(sql).all();
    const tables = all(`SELECT name FROM sqlite_master WHERE type = 'table'`).map((row) =>
      word(row, 'name'),
    );
    const transfers: Record<string, number> = {};
    for (const row of all('SELECT state, count(*) AS count FROM transfers GROUP BY state')) {
      transfers[word(row, 'state')] = whole(row, 'count');
    }
    return {
      items: all(
        'SELECT items.*, batches.batch_id FROM items LEFT JOIN batches ON batches.id = items.batch_row ORDER BY items.id',
      ).map((row) => ({
        id: whole(row, 'id'),
        path: word(row, 'path'),
        state: word(row, 'state'),
        reason: wordOrNull(row, 'reason'),
        sizeBytes: whole(row, 'size_bytes'),
        name: wordOrNull(row, 'name'),
        batchId: wordOrNull(row, 'batch_id'),
      })),
      /** How many transfers are in each state. */
      transfers,
      batches: all('SELECT * FROM batches ORDER BY id').map((row) => ({
        batchId: word(row, 'batch_id'),
        state: word(row, 'state'),
        mode: word(row, 'mode'),
      })),
      jobs: all('SELECT * FROM jobs ORDER BY id').map((row) => ({
        jobId: word(row, 'job_id'),
        state: word(row, 'state'),
      })),
      outputs: all('SELECT * FROM outputs ORDER BY id').map((row) => ({
        path: word(row, 'path'),
        state: word(row, 'state'),
      })),
      /** What `PRAGMA integrity_check` says: `ok`. */
      integrity: word(all('PRAGMA integrity_check')[0] ?? {}, 'integrity_check'),
      /** Every text in the ledger, except addresses that are still needed. */
      texts: tables.flatMap((table) => textsOf(all(`SELECT * FROM ${table}`))),
      /** Transfers that keep an address. */
      addresses: whole(
        all('SELECT count(*) AS count FROM transfers WHERE upload_url IS NOT NULL')[0] ?? {},
        'count',
      ),
    };
  } finally {
    database.close();
  }
}

export type Ledger = ReturnType<typeof readLedger>;
