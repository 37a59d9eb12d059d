/** Small facts that the window and the command line share, kept as JSON in the ledger's table of settings. */
import type { z } from 'zod';
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Reads a fact; null when it was never written or is not of the expected shape. */
export function readNote<T>(store: Store, key: string, schema: z.ZodType<T>): T | null {
  const row = store.get('SELECT value FROM settings WHERE key = ?', key);
  if (row === null) return null;
  try {
    const parsed = schema.safeParse(JSON.parse(text(row, 'value')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Writes a fact; the same fact again changes nothing. */
export function writeNote(store: Store, key: string, value: unknown): void {
  store.run(
    `INSERT INTO settings (key, value) VALUES (?1, ?2)
     ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE value <> ?2`,
    key,
    JSON.stringify(value),
  );
}

/** Forgets a fact. */
export function dropNote(store: Store, key: string): void {
  store.run('DELETE FROM settings WHERE key = ?', key);
}
