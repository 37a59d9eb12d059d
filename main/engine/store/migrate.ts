/** The schema of a ledger: its versions, migrating a ledger to the newest, and reading an older one as if it were migrated. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { sluiceError, SluiceFailure } from '../core/errors.ts';

const MIGRATIONS = join(import.meta.dirname, 'migrations');
/**
 * The schema that all migrations together produce, in a quarter of their time. A test proves that it is the same, and writes the file
 * (vitest -u).
 */
const WHOLE = 'newest.sql';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

function migrationNames(): readonly string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .sort();
}

function versionOf(name: string): number {
  return Number(name.slice(0, 4));
}

function readSql(name: string): string {
  return readFileSync(join(MIGRATIONS, name), 'utf8');
}

export function migrations(): readonly Migration[] {
  return migrationNames().map((name) => ({ version: versionOf(name), sql: readSql(name) }));
}

export function newestVersion(): number {
  return versionOf(migrationNames().at(-1) ?? '0');
}

/** The migration that follows a version: for a new ledger (0) the whole schema at once; null after the newest version. */
function stepAfter(version: number): Migration | null {
  if (version >= newestVersion()) return null;
  if (version === 0) return { version: newestVersion(), sql: readSql(WHOLE) };
  return migrations().find((step) => step.version > version) ?? null;
}

/** The version of an open ledger; 0 for an empty file. */
export function userVersion(database: DatabaseSync, schema = 'main'): number {
  const version = database.prepare(`PRAGMA ${schema}.user_version`).get()?.['user_version'];
  return typeof version === 'number' ? version : 0;
}

/** Throws store.newer for a ledger written by a newer program. */
export function refuseNewer(found: number): void {
  const known = newestVersion();
  if (found > known) throw new SluiceFailure(sluiceError('store.newer', { found, known }));
}

/**
 * Migrates a ledger to the newest version: in one transaction per step, since a step may rewrite millions of rows, but a new
 * ledger is made in one. Throws store.newer, and SQLite's errors.
 */
export function migrate(database: DatabaseSync): void {
  for (;;) {
    const current = userVersion(database);
    refuseNewer(current);
    const step = stepAfter(current);
    if (step === null) return;
    takeStep(database, current, step);
  }
}

function takeStep(database: DatabaseSync, from: number, { version, sql }: Migration): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another program may have migrated the ledger while this one waited for the lock.
    if (userVersion(database) === from) {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${version}`);
    }
    database.exec('COMMIT');
  } catch (error) {
    // A full disk may already have caused a rollback.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function copyAll(database: DatabaseSync): void {
  // One transaction reads a consistent state of the ledger, even while its owner writes.
  database.exec('BEGIN');
  const version = userVersion(database, 'old');
  const sql = `SELECT type, name, sql FROM old.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY type <> 'table', rowid`;
  // The tables come first, with their rows: a trigger would count the rows again.
  for (const made of database.prepare(sql).all()) {
    database.exec(String(made['sql']));
    const name = `"${String(made['name'])}"`;
    if (made['type'] === 'table')
      database.exec(`INSERT INTO main.${name} SELECT * FROM old.${name}`);
  }
  database.exec(`PRAGMA user_version = ${version}; COMMIT; DETACH old`);
}

/**
 * A copy of an older ledger, migrated to the newest version: commands that only read use it until the program that owns the
 * ledger has migrated it. The copy is an unnamed temporary file that disappears when it is closed; nothing is written to the
 * ledger. Takes seconds per million rows.
 */
export function migratedCopy(path: string): DatabaseSync {
  const copy = new DatabaseSync('', { enableForeignKeyConstraints: false });
  try {
    copy.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA busy_timeout = 10000');
    copy.prepare('ATTACH ? AS old').run(new URL('?mode=ro', pathToFileURL(path)).href);
    copyAll(copy);
    migrate(copy);
    return copy;
  } catch (error) {
    copy.close();
    throw error;
  }
}
