/** Reads the whole ledger repeatedly at little cost: only when something was written, and even then not too often. */
import type { Clock } from '../core/ports.ts';
import type { Store } from '../store/store.ts';

/** Reading may take at most one part in this many of the time: a ledger with a million items is counted less often. */
const SHARE = 20;

/** Caches a result while nothing was written, or while reading again would cost too much. */
export function createCachedQuery<T>(store: Store, clock: Clock, read: () => T): () => T {
  let last: { readonly value: T; readonly mark: string; readonly againAt: number } | null = null;
  return () => {
    const now = clock.monotonicMs();
    const mark = store.changeMark();
    if (last !== null && (last.mark === mark || now < last.againAt)) return last.value;
    const value = read();
    const after = clock.monotonicMs();
    last = { value, mark, againAt: after + (after - now) * SHARE };
    return value;
  };
}
