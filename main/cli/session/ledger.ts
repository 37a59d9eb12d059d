/** The ledger for commands that need neither the service nor a key. It may have an owner, which notices what they write. */
import type { Result } from '../../../preload/contract/errors.ts';
import { openShared, openReader } from '../../engine/host/openLedger.ts';
import { type Store } from '../../engine/queries/overview.ts';
import type { CommandContext, End } from './context.ts';

/** Runs the work with the ledger, or with null when there is none. Writes nothing. Errors: store.*, disk.*, and those of the work. */
export async function readLedger<T>(
  { dataDirectory }: CommandContext,
  work: (store: Store | null) => Result<T> | Promise<Result<T>>,
): Promise<Result<T>> {
  const reader = openReader(dataDirectory);
  if (!reader.ok) return reader;
  try {
    return await work(reader.value);
  } finally {
    reader.value?.close();
  }
}

/** Runs the work with the ledger, created if there is none. Errors: those of the work. Throws what openShared throws. */
export async function writeLedger(
  { dataDirectory }: CommandContext,
  work: (store: Store) => End,
): Promise<Result<number>> {
  const store = openShared(dataDirectory);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
