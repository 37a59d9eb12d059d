/** One commit for many lanes: functions that wait at the same moment run in one transaction, each in its own savepoint. */
import type { DatabaseSync } from 'node:sqlite';

interface Waiting {
  run(): void;
  settle(failure: unknown): void;
}

export interface SharedTransactions {
  /** See Store.soon. */
  soon<T>(work: () => T): Promise<T>;
  /** Runs what waits now. */
  flush(): void;
}

/** Runs the entries, each in a savepoint; answers which failed and why. Throws what the transaction as a whole throws. */
function runEach(database: DatabaseSync, batch: readonly Waiting[]): ReadonlyMap<Waiting, unknown> {
  const failures = new Map<Waiting, unknown>();
  for (const entry of batch) {
    database.exec('SAVEPOINT one');
    try {
      entry.run();
    } catch (error) {
      failures.set(entry, error);
      database.exec('ROLLBACK TO one');
    }
    database.exec('RELEASE one');
  }
  return failures;
}

/** Shares the transactions of a database. */
export function shareTransactions(
  database: DatabaseSync,
  transaction: <T>(work: () => T) => T,
): SharedTransactions {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    try {
      const failures = transaction(() => runEach(database, batch));
      for (const entry of batch) entry.settle(failures.get(entry));
    } catch (error) {
      for (const entry of batch) entry.settle(error);
    }
  };
  const soon = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let outcome: { readonly value: T } | null = null;
      waiting.push({
        run: () => {
          outcome = { value: work() };
        },
        settle: (failure) => {
          if (failure !== undefined || outcome === null) reject(failure);
          else resolve(outcome.value);
        },
      });
      if (waiting.length === 1) setImmediate(flush);
    });
  return { soon, flush };
}
