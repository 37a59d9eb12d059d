/** Content that was identified by a version without BLAKE3: the ledger knows only its SHA-256. */
import type { Fingerprint } from '../../core/model.ts';
import { integer, text } from '../rows.ts';
import type { Store } from '../store.ts';

/** Which of these sizes (bytes) occur among such content. */
export function olderSizes(store: Store, sizes: readonly number[]): ReadonlySet<number> {
  const rows = store.all(
    `SELECT DISTINCT size_bytes FROM items INDEXED BY items_by_sha256
     WHERE fingerprint IS NOT NULL AND instr(fingerprint, 'b3:') = 0
       AND size_bytes IN (SELECT value FROM json_each(?))`,
    JSON.stringify(sizes),
  );
  return new Set(rows.map((row) => integer(row, 'size_bytes')));
}

/** Which of these fingerprints the ledger knows. */
export function knownContent(
  store: Store,
  fingerprints: readonly Fingerprint[],
): ReadonlySet<string> {
  const rows = store.all(
    'SELECT DISTINCT fingerprint FROM items WHERE fingerprint IN (SELECT value FROM json_each(?))',
    JSON.stringify(fingerprints),
  );
  return new Set(rows.map((row) => text(row, 'fingerprint')));
}
