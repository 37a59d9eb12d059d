/** Small values that the window and the command line share, stored as JSON in the ledger's `settings` table. */
import type { z } from 'zod';
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Reads a value; null when it was never written or does not match the schema, which is made only for a value. */
export function readValue<T>(store: Store, key: string, schema: () => z.ZodType<T>): T | null {
  const row = store.get('SELECT value FROM settings WHERE key = ?', key);
  if (row === null) return null;
  try {
    const parsed = schema().safeParse(JSON.parse(text(row, 'value')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Writes a value; writing the same value again changes nothing. */
export function writeValue(store: Store, key: string, value: unknown): void {
  const sql = `INSERT INTO settings (key, value) VALUES (?1, ?2)
     ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE value <> ?2`;
  store.run(sql, key, JSON.stringify(value));
}

export function deleteValue(store: Store, key: string): void {
  store.run('DELETE FROM settings WHERE key = ?', key);
}
