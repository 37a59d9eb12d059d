/**
 * Checks the ledger and who holds it without leaving a trace: no lock is kept, no file is made. For `doctor`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { hasLedger } from '../core/dataDirectory.ts';
import { newestVersion, userVersion } from './migrate.ts';
import { describeOwner } from './ownership.ts';

export type LedgerHealth =
  | { readonly kind: 'none' }
  /** A file without content. */
  | { readonly kind: 'empty' }
  /** This user cannot open it. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'good'; readonly version: number }
  | { readonly kind: 'newer'; readonly version: number; readonly known: number }
  /** It is damaged or cannot be read; `said` is SQLite's message. */
  | { readonly kind: 'bad'; readonly said: string };

function look(database: DatabaseSync): LedgerHealth {
  const version = userVersion(database);
  if (database.prepare('PRAGMA page_count').get()?.['page_count'] === 0) return { kind: 'empty' };
  const known = newestVersion();
  if (version > known) return { kind: 'newer', version, known };
  const said = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  return said === 'ok' ? { kind: 'good', version } : { kind: 'bad', said };
}

/** Checks the ledger's file. While another process has it open, it reads like any reader; otherwise as an immutable file. */
export function ledgerHealth(path: string): LedgerHealth {
  for (;;) {
    try {
      if (!hasLedger(path)) return { kind: 'none' };
    } catch {
      return { kind: 'closed' };
    }
    const isOpen = existsSync(`${path}-wal`);
    // An ordinary reader would create missing journal files.
    const mode = isOpen ? '?mode=ro' : '?mode=ro&immutable=1';
    let health: LedgerHealth;
    let database: DatabaseSync | null = null;
    try {
      database = new DatabaseSync(new URL(mode, pathToFileURL(path)), {
        readOnly: true,
        timeout: 5_000,
      });
      health = look(database);
    } catch (error) {
      health = { kind: 'bad', said: error instanceof Error ? error.message : String(error) };
    } finally {
      database?.close();
    }
    // If another process has opened it meanwhile, half a change may have been read.
    if (isOpen || !existsSync(`${path}-wal`)) return health;
  }
}

/** Who holds the data directory; null when no one does. This takes a shared lock for a moment. */
export function ownerOf(directory: string): string | null {
  const path = join(directory, 'lock.db');
  if (!existsSync(path)) return null;
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(new URL('?mode=ro', pathToFileURL(path)), {
      readOnly: true,
      timeout: 0,
    });
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  } catch {
    return describeOwner(directory) ?? 'unknown';
  } finally {
    lock?.close();
  }
}
