/**
 * One commit, and one disk sync, for many lanes: functions that wait at the same time run in one transaction, each in its own
 * savepoint. The disk is synced off the main thread; what arrives meanwhile makes up the next transaction.
 */
import type { DatabaseSync } from 'node:sqlite';

interface Waiting {
  run(): void;
  settle(failure: unknown): void;
}

export interface SharedTransactions {
  /** See Store.soon. */
  soon<T>(work: () => T): Promise<T>;
  /** Runs what is waiting; on disk when this returns. Nothing may be called afterwards. */
  end(): void;
}

/** What shared transactions need from their ledger. */
export interface CommitDeps {
  readonly database: DatabaseSync;
  /** Runs the function in a transaction that is on disk when it returns. */
  readonly transaction: <T>(work: () => T) => T;
  /** Runs it in a transaction that is on disk only after a sync; null when syncing is not possible. */
  readonly unsynced: (<T>(work: () => T) => T) | null;
  /** Resolves when everything committed before the call is on disk. */
  readonly sync: () => Promise<void>;
  /** The same, blocking the caller. */
  readonly syncNow: () => void;
}

interface Outcome {
  readonly entry: Waiting;
  readonly failure: unknown;
}

/**
 * Runs the entries, each in a savepoint; the failure of one is its outcome. A single one needs none, and throws: SQLite keeps a
 * copy of every page that changes in a savepoint.
 */
function runEach(database: DatabaseSync, batch: readonly Waiting[]): readonly Outcome[] {
  const [only] = batch;
  if (only !== undefined && batch.length === 1) {
    only.run();
    return [{ entry: only, failure: undefined }];
  }
  return batch.map((entry) => {
    let failure: unknown;
    database.exec('SAVEPOINT one');
    try {
      entry.run();
    } catch (error) {
      failure = error;
      database.exec('ROLLBACK TO one');
    }
    database.exec('RELEASE one');
    return { entry, failure };
  });
}

function settleAll(outcomes: readonly Outcome[]): void {
  for (const { entry, failure } of outcomes) entry.settle(failure);
}

export function shareTransactions(ground: CommitDeps): SharedTransactions {
  const { database } = ground;
  let waiting: Waiting[] = [];
  /** Committed, but not yet on disk. */
  let syncing: readonly Outcome[] = [];
  let isTurning = false;

  const commit = (transaction: CommitDeps['transaction']): readonly Outcome[] => {
    const batch = waiting;
    waiting = [];
    try {
      return batch.length === 0 ? [] : transaction(() => runEach(database, batch));
    } catch (failure) {
      for (const entry of batch) entry.settle(failure);
      return [];
    }
  };

  /** Runs transactions, each followed by its sync, as long as something waits. */
  const turn = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (ground.unsynced === null) {
        settleAll(commit(ground.transaction));
        continue;
      }
      syncing = commit(ground.unsynced);
      try {
        if (syncing.length > 0) await ground.sync();
        settleAll(syncing);
      } catch (failure) {
        settleAll(syncing.map(({ entry }) => ({ entry, failure })));
      }
      syncing = [];
      // Callers whose writes just ended may write more: it goes into the same transaction.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isTurning = false;
  };

  return {
    soon: (work) =>
      new Promise((resolve, reject) => {
        let outcome: { readonly value: ReturnType<typeof work> } | null = null;
        waiting.push({
          run: () => {
            outcome = { value: work() };
          },
          settle: (failure) => {
            if (failure !== undefined || outcome === null) reject(failure);
            else resolve(outcome.value);
          },
        });
        if (isTurning) return;
        isTurning = true;
        setImmediate(() => void turn());
      }),
    end: () => {
      const last = commit(ground.transaction);
      if (syncing.length > 0) ground.syncNow();
      settleAll([...syncing, ...last]);
    },
  };
}
