/**
 * The ledger's file: opened, migrated, written in transactions. SQLite in WAL mode with synchronous=FULL, so that commits survive a power
 * cut. Shared transactions survive it, too: none is reported as committed before it is on disk.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { sluiceError, SluiceFailure } from '../core/errors.ts';
import { makePrivate, makePrivateFile } from '../core/privateFiles.ts';
import { migrate, migratedCopy, newestVersion, refuseNewer, userVersion } from './migrate.ts';
import { createPlaceCheck } from './place.ts';
import { integer, type Row } from './rows.ts';
import { shareTransactions } from './groupCommit.ts';
import { CANNOT_MAKE, CANNOT_OPEN, resultCode, storeFailure } from './storeFailure.ts';
import { openSyncer } from './walSync.ts';

/** A value of a statement: a boolean is stored as 1 or 0, and a list as JSON, for json_each. */
export type StoreValue = SQLInputValue | boolean | readonly unknown[];

function isList(value: StoreValue): value is readonly unknown[] {
  return Array.isArray(value);
}

function bound(values: readonly StoreValue[]): SQLInputValue[] {
  return values.map((value) => {
    if (typeof value === 'boolean') return value ? 1 : 0;
    return isList(value) ? JSON.stringify(value) : value;
  });
}

export interface Store {
  /** First row or null. Statements are prepared once and kept. Not for a write outside a transaction: its failed commit would go unnoticed. */
  get(sql: string, ...values: StoreValue[]): Row | null;
  /** The first row as `read` makes it; null when there is none. */
  one<T>(read: (row: Row) => T, sql: string, ...values: StoreValue[]): T | null;
  all(sql: string, ...values: StoreValue[]): readonly Row[];
  /** Every row as `read` makes it. */
  list<T>(read: (row: Row) => T, sql: string, ...values: StoreValue[]): readonly T[];
  /** True when the query finds a row. */
  has(sql: string, ...values: StoreValue[]): boolean;
  /** Column `id` of every row. */
  ids(sql: string, ...values: StoreValue[]): readonly number[];
  /** Column `count` of the only row. */
  count(sql: string, ...values: StoreValue[]): number;
  /** Number of changed rows and the id of the last inserted. */
  run(sql: string, ...values: StoreValue[]): { changes: number; lastId: number };
  /** Runs the function in a transaction; nested calls join it. Throwing rolls everything back. */
  transaction<T>(work: () => T): T;
  /**
   * Runs the function in the next shared transaction, together with others that are waiting: one commit for many lanes.
   * Resolves when it is committed and on disk; rejects when this function threw (the others still commit).
   */
  soon<T>(work: () => T): Promise<T>;
  /** A number that changes when another process writes. */
  foreignVersion(): number;
  /** Changes whenever any process writes rows. */
  changeMark(): string;
  /** True once SQLite found the file damaged: the next start must check it. */
  damaged(): boolean;
  /** Throws disk.missing once its file was moved or deleted. */
  checkPlace(): void;
  close(): void;
}

/**
 * What a ledger is opened for. own: its owner creates and migrates it. shared: a command writes in parallel with the owner; it
 * neither creates nor migrates. read: nothing is written; an older ledger is read as a migrated copy.
 */
export type StoreMode = 'own' | 'shared' | 'read';

const WAIT_MS = 10_000;

const OPTIONS = { timeout: WAIT_MS, enableForeignKeyConstraints: true };

/**
 * Opens a ledger that is only read. SQLite's readers make files next to it. If they cannot, for example on a disk that the system made
 * read-only, or in a folder of another user, the ledger is opened as immutable. That is safe: if there is no -wal file, no program has it
 * open. Only in another user's folder one can open it meanwhile, and it changes the file itself long after this reader has ended.
 */
function connectToRead(path: string): DatabaseSync {
  const options = { ...OPTIONS, readOnly: true };
  const database = new DatabaseSync(path, options);
  try {
    userVersion(database);
    return database;
  } catch (error) {
    database.close();
    const cannotOpen = [CANNOT_OPEN, CANNOT_MAKE].includes(resultCode(error));
    if (!cannotOpen || existsSync(`${path}-wal`)) throw error;
    return new DatabaseSync(new URL('?mode=ro&immutable=1', pathToFileURL(path)), options);
  }
}

function connect(path: string, mode: StoreMode): DatabaseSync {
  if (mode === 'read') return connectToRead(path);
  if (mode === 'own') {
    makePrivateFile(path);
    // New files of this kind get the permissions of the ledger from SQLite.
    for (const suffix of ['-wal', '-shm']) makePrivate(path + suffix);
    return new DatabaseSync(path, OPTIONS);
  }
  return new DatabaseSync(new URL('?mode=rw', pathToFileURL(path)), OPTIONS);
}

/** Migrates the schema and sets up the connection. To read an older ledger, it returns another connection: to a migrated copy. */
function prepare(database: DatabaseSync, path: string, mode: StoreMode): DatabaseSync {
  const found = userVersion(database);
  refuseNewer(found);
  if (mode === 'read') {
    if (found === newestVersion()) return database;
    database.close();
    return migratedCopy(path);
  }
  if (mode === 'shared' && found < newestVersion()) {
    throw new SluiceFailure(sluiceError('store.older', { found, known: newestVersion() }));
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  // The number is in pages of 4 kB. It is large, because the indexes of a large ledger change in many places, and each checkpoint writes
  // every changed page once more.
  database.exec('PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 8000;');
  if (mode === 'own') migrate(database);
  return database;
}

function openDatabase(path: string, mode: StoreMode): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    database = prepare((database = connect(path, mode)), path, mode);
    // Which items a running command has seen, as ranges of their ids; exists only for this connection.
    database.exec(
      'PRAGMA temp_store = MEMORY; CREATE TEMP TABLE seen (first INTEGER PRIMARY KEY, last INTEGER)',
    );
    return database;
  } catch (error) {
    if (database?.isOpen === true) database.close();
    throw storeFailure(error, path);
  }
}

/** Runs statements, maps SQLite's errors (storeFailure), and remembers damage. */
function createNamed(): { named<T>(work: () => T): T; damaged(): boolean } {
  let damaged = false;
  return {
    named: (work) => {
      try {
        return work();
      } catch (thrown) {
        const failure = storeFailure(thrown);
        damaged ||= failure instanceof SluiceFailure && failure.error.code === 'store.corrupt';
        throw failure;
      }
    },
    damaged: () => damaged,
  };
}

/** Statements are prepared once and kept. */
function keepStatements(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  return (sql: string): StatementSync => {
    let found = prepared.get(sql);
    if (found === undefined) {
      found = database.prepare(sql);
      prepared.set(sql, found);
    }
    return found;
  };
}

/** Runs functions in transactions; nested calls join. With `unsynced`, the caller must sync before it reports anything. */
function transactions(database: DatabaseSync) {
  let inside = false;
  const run = <T>(work: () => T): T => {
    if (inside) return work();
    try {
      database.exec('BEGIN IMMEDIATE');
      inside = true;
      const value = work();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      // A full disk may already have caused a rollback.
      if (inside && database.isTransaction) database.exec('ROLLBACK');
      throw storeFailure(error);
    } finally {
      inside = false;
    }
  };
  return {
    full: run,
    unsynced: <T>(work: () => T): T => {
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        return run(work);
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    },
  };
}

/**
 * Opens the ledger. Throws SluiceFailure: store.newer for the schema of a newer program, store.older (only in mode shared) for
 * one that its owner has not migrated yet, store.corrupt, disk.full, disk.failed.
 */
export function openStore(path: string, mode: StoreMode = 'own'): Store {
  const database = openDatabase(path, mode);
  const statement = keepStatements(database);
  const { full: transaction, unsynced } = transactions(database);
  const syncer = mode === 'read' ? null : openSyncer(`${path}-wal`);
  const shared = shareTransactions({
    database,
    transaction,
    unsynced: syncer === null ? null : unsynced,
    sync: () => syncer?.sync() ?? Promise.resolve(),
    syncNow: () => syncer?.syncNow(),
  });
  const { named, damaged } = createNamed();
  const get: Store['get'] = (sql, ...values) =>
    named(() => statement(sql).get(...bound(values)) ?? null);
  const count: Store['count'] = (sql, ...values) => integer(get(sql, ...values) ?? {}, 'count');
  const all: Store['all'] = (sql, ...values) => named(() => statement(sql).all(...bound(values)));
  const foreignVersion = (): number => integer(get('PRAGMA data_version') ?? {}, 'data_version');
  const written = (): number => count('SELECT total_changes() AS count');
  const list: Store['list'] = (read, sql, ...values) => all(sql, ...values).map((row) => read(row));
  return {
    get,
    one: (read, sql, ...values) => {
      const row = get(sql, ...values);
      return row === null ? null : read(row);
    },
    all,
    has: (sql, ...values) => get(sql, ...values) !== null,
    list,
    ids: (sql, ...values) => list((row) => integer(row, 'id'), sql, ...values),
    count,
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = named(() => statement(sql).run(...bound(values)));
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    },
    transaction,
    soon: shared.soon,
    foreignVersion,
    changeMark: () => `${written()}/${foreignVersion()}`,
    damaged,
    checkPlace: createPlaceCheck(path),
    close: () => {
      shared.end();
      syncer?.close();
      database.close();
    },
  };
}
