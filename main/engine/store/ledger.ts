/** Opens a ledger that may be damaged: checks it, sets a damaged one aside and saves its readable rows. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SluiceFailure } from '../core/errors.ts';
import { QUICK_CHECK_BYTES } from '../core/limits.ts';
import { ITEM_STATES } from '../core/model.ts';
import { readMeta } from './meta.ts';
import { type Row, text } from './rows.ts';
import { toJob } from './tables/jobs.ts';
import { toWatch } from './tables/watches.ts';
import { openStore, type Store } from './store.ts';
import { storeFailure } from './storeFailure.ts';
import { JOB_STATES, OUTPUT_STATES, TRANSFER_STATES, WATCH_STATES } from './transitions.ts';

/** What became of a damaged ledger. */
export interface Salvage {
  /** Where the damaged file is now. */
  readonly setAside: string;
  readonly rowsSaved: number;
}

/** Tables, ordered so that every row comes after what it refers to. */
const TABLES = [
  'connections',
  'destinations',
  'watches',
  'batches',
  'transfers',
  'items',
  'moved_sources',
  'jobs',
  'outputs',
  'settings',
  'insight_snapshots',
  'waits',
];

/** The allowed values of each table's `state` column, if its schema does not check them. Reading a row with another value fails. */
const STATES: Readonly<Record<string, readonly unknown[]>> = {
  items: ITEM_STATES,
  jobs: JOB_STATES,
  outputs: OUTPUT_STATES,
  transfers: TRANSFER_STATES,
  watches: WATCH_STATES,
};

/** Tables with few rows, of which every value must be readable. */
const READERS: Readonly<Record<string, (row: Row) => unknown>> = {
  watches: (row) => row['state'] === 'removed' || toWatch(row),
  jobs: (row) => [toJob(row), JSON.parse(text(row, 'body'))],
};

function isDamaged(table: string, row: Row): boolean {
  try {
    READERS[table]?.(row);
    return STATES[table]?.includes(row['state']) === false;
  } catch {
    return true;
  }
}

function hasDamagedValue(store: Store): boolean {
  const isForeign = ([table, words]: readonly [string, readonly unknown[]]): boolean =>
    store.has(
      `SELECT 1 FROM ${table} NOT INDEXED WHERE state NOT IN ('${words.join("', '")}') LIMIT 1`,
    );
  const isUnreadable = (table: string): boolean =>
    store.all(`SELECT * FROM ${table}`).some((row) => isDamaged(table, row));
  return Object.entries(STATES).some(isForeign) || Object.keys(READERS).some(isUnreadable);
}

/** What identifies a row in its table. */
function keyOf(row: Row): unknown {
  return row['id'] ?? row['item_id'] ?? JSON.stringify(row);
}

function isCorrupt(error: unknown): boolean {
  const named = storeFailure(error);
  return named instanceof SluiceFailure && named.error.code === 'store.corrupt';
}

/** Checks the file: always if that is quick, otherwise only after an unclean stop. Throws store.corrupt when it is damaged. */
function check(store: Store, path: string): void {
  const quick = statSync(path).size <= QUICK_CHECK_BYTES;
  if (!quick && readMeta(store, 'cleanStop') !== '0') return;
  const row = store.get('PRAGMA quick_check(1)');
  if (row?.['quick_check'] !== 'ok' || hasDamagedValue(store)) {
    throw storeFailure(Object.assign(new Error('quick_check'), { errcode: 11 }));
  }
}

function setAside(path: string, now: number): string {
  const aside = `${path}.damaged-${now}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}

/** The rows of a table that can be read, starting from both ends, so that damage in the middle costs only the damaged rows. */
function* readableRows(damaged: DatabaseSync, table: string): Generator<Row> {
  const seen = new Set<unknown>();
  for (const order of ['ASC', 'DESC']) {
    try {
      const rows = damaged.prepare(`SELECT * FROM ${table} NOT INDEXED ORDER BY rowid ${order}`);
      for (const row of rows.iterate()) {
        if (seen.has(keyOf(row))) break;
        seen.add(keyOf(row));
        yield row;
      }
    } catch {
      // The rest of the table cannot be read from this end.
    }
  }
}

/** Renamed columns, old name to new: a ledger that could not be migrated still has the old names. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  items: { sha256: 'content_hash' },
};

/** The row under the names of the newest schema, without columns that no longer exist. */
function asNewest(table: string, row: Row, known: ReadonlySet<string>): Row {
  const names = RENAMED[table] ?? {};
  const renamed = Object.entries(row).map(([name, value]) => [names[name] ?? name, value] as const);
  return Object.fromEntries(renamed.filter(([name]) => known.has(name)));
}

function columnsOf(store: Store, table: string): ReadonlySet<string> {
  const rows = store.all('SELECT name FROM pragma_table_info(?)', table);
  return new Set(rows.map((row) => text(row, 'name')));
}

function insert(store: Store, table: string, row: Row): boolean {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  try {
    const sql = `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`;
    store.run(sql, ...Object.values(row));
    return true;
  } catch (error) {
    if (isCorrupt(error)) throw error;
    // A row that violates the schema is damaged, too.
    return false;
  }
}

/** The row without its watch, or, for a confirmed file, without its transfer: a row is kept even if the row that it refers to was lost. */
function withoutLost(row: Row): Row {
  if (row['watch_id'] !== undefined) return { ...row, watch_id: null };
  return row['state'] === 'confirmed' ? { ...row, transfer_id: null } : row;
}

function copyRows(store: Store, aside: string): number {
  let saved = 0;
  let damaged: DatabaseSync;
  try {
    damaged = new DatabaseSync(aside, { readOnly: true });
  } catch {
    return 0;
  }
  try {
    store.transaction(() => {
      for (const table of TABLES) {
        const known = columnsOf(store, table);
        for (const row of readableRows(damaged, table)) {
          if (isDamaged(table, row)) continue;
          const now = asNewest(table, row, known);
          if (insert(store, table, now) || insert(store, table, withoutLost(now))) saved += 1;
        }
      }
      for (const row of readableRows(damaged, 'meta')) {
        // The other facts described the whole ledger, or are learned again.
        if (String(row['key']).startsWith('drive:') && insert(store, 'meta', row)) saved += 1;
      }
      // An open transfer whose items were lost cannot be completed: its files are found again as new ones.
      const sql = `DELETE FROM transfers WHERE state IN ('planned', 'registered', 'sending', 'sent', 'unknown')
           AND NOT EXISTS (SELECT 1 FROM items WHERE items.transfer_id = transfers.id)`;
      store.run(sql);
      // Makes the names in each batch be read before anything is sent: the service may have files whose rows were lost here.
      store.run('UPDATE batches SET created_here = 0');
    });
  } finally {
    damaged.close();
  }
  return saved;
}

/**
 * Opens the ledger for its owner. A damaged file is set aside, never deleted; saved batches are read from the service before
 * anything is sent to them.
 */
export function openLedger(path: string, now: number): { store: Store; salvage: Salvage | null } {
  let store: Store | null = null;
  try {
    store = openStore(path);
    check(store, path);
    return { store, salvage: null };
  } catch (error) {
    store?.close();
    if (!isCorrupt(error)) throw error;
  }
  const aside = setAside(path, now);
  const fresh = openStore(path);
  return { store: fresh, salvage: { setAside: aside, rowsSaved: copyRows(fresh, aside) } };
}
