/** Combines many small writes of one kind into a few statements. */
import { SluiceFailure } from '../core/errors.ts';
import type { Store } from './store.ts';

/** Whether the ledger refused the move of some row; nothing was written then. */
export function isRefusedMove(failure: unknown): boolean {
  return failure instanceof SluiceFailure && failure.error.code === 'bug.illegalTransition';
}

/**
 * Like Store.soon, for values that lanes write one by one: values that wait for the same transaction are written by one call of `work`.
 * Resolves when the value is on disk. If the ledger refuses a move, each value is written separately, so that only the refused one rejects.
 * `work` may therefore run twice for a value, so what it changes outside the ledger must allow that.
 */
export function gathered<T>(
  soon: Store['soon'],
  work: (values: readonly T[]) => void,
): (value: T) => Promise<void> {
  let open: { readonly values: T[]; readonly written: Promise<void> } | null = null;

  const begin = (): { readonly values: T[]; readonly written: Promise<void> } => {
    const values: T[] = [];
    const written = soon(() => {
      open = null;
      work(values);
    });
    return { values, written };
  };

  return async (value) => {
    const group = (open ??= begin());
    group.values.push(value);
    try {
      await group.written;
    } catch (failure) {
      if (group.values.length === 1 || !isRefusedMove(failure)) throw failure;
      await soon(() => {
        work([value]);
      });
    }
  };
}
