/** Content that was identified by a version without BLAKE3: the ledger knows only its SHA-256. */
import { integer } from '../rows.ts';
import type { Store } from '../store.ts';

/** Which of these sizes (bytes) occur among such content. */
export function olderSizes(store: Store, sizes: readonly number[]): ReadonlySet<number> {
  const sql = `SELECT DISTINCT size_bytes FROM items INDEXED BY items_by_sha256
     WHERE fingerprint IS NOT NULL AND instr(fingerprint, 'b3:') = 0
       AND size_bytes IN (SELECT value FROM json_each(?))`;
  const rows = store.all(sql, sizes);
  return new Set(rows.map((row) => integer(row, 'size_bytes')));
}
