/** Reading the whole ledger again and again, at little cost: only when something was written, and not too often then. */
import type { Clock } from '../core/ports.ts';
import type { Store } from '../store/store.ts';

/** Reading may take this part of the time at most: a ledger with a million items is counted less often. */
const SHARE = 20;

/** Remembers an answer as long as asking again would cost too much or nothing was written. */
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
