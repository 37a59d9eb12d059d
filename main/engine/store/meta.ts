/** Small facts in the ledger, by key. */
import type { MediaKind } from '../core/model.ts';
import { textOrNull } from './rows.ts';
import type { Store } from './store.ts';

type MetaKey =
  | 'cleanStop'
  | 'parts'
  | `manifest:${string}`
  | `emptyParts:${string}`
  | `drive:${string}`
  | `drives:${string}`
  | `serviceClock:${number}`
  | `engineClock:${number}`
  | `runClocks:${number}`
  | `registering:${number}`
  | `trial:${number}`
  | `altered:${number}`
  | `damaged:${number}`
  | `altersContent:${number}:${MediaKind}`
  | `namesFiles:${number}`;

/** Reads a fact; null when it was never written. */
export function readMeta(store: Store, key: MetaKey): string | null {
  return store.one((row) => textOrNull(row, 'value'), 'SELECT value FROM meta WHERE key = ?', key);
}

export function writeMeta(store: Store, key: MetaKey, value: string): void {
  store.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', key, value);
}

export function deleteMeta(store: Store, key: MetaKey): void {
  store.run('DELETE FROM meta WHERE key = ?', key);
}
