/**
 * One commit, and one disk sync, for many lanes: functions that wait at the same time run in one transaction, each in its own
 * savepoint. The disk is synced off the main thread; what arrives meanwhile makes up the next transaction.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Outcome, runEach, settleAll, type Waiting, waitingFor } from './savepoints.ts';

/** What shared transactions need from their ledger. */
export interface CommitDeps {
  readonly database: DatabaseSync;
  /** Runs the function in a transaction that is on disk when it returns. */
  readonly transaction: <T>(work: () => T) => T;
  /** Runs the function in a transaction that is on disk only after a sync; null when syncing is not possible. */
  readonly unsynced: (<T>(work: () => T) => T) | null;
  /** Resolves when everything committed before the call is on disk. */
  readonly sync: () => Promise<void>;
  /** The same, blocking the caller. */
  readonly syncNow: () => void;
}

export function shareTransactions(ground: CommitDeps) {
  const execute = (sql: string): void => ground.database.exec(sql);
  let waiting: Waiting[] = [];
  /** Committed, but not yet on disk. */
  let syncing: readonly Outcome[] = [];
  let isTurning = false;

  const commit = (transaction: CommitDeps['transaction']): readonly Outcome[] => {
    const batch = waiting;
    waiting = [];
    try {
      return batch.length === 0 ? [] : transaction(() => runEach(execute, batch));
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
      // Callers whose writes have just ended may write more: that goes into the same transaction.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isTurning = false;
  };

  return {
    /** See Store.soon. */
    soon: <T>(work: () => T): Promise<T> => {
      const { entry, done } = waitingFor(work);
      waiting.push(entry);
      if (!isTurning) {
        isTurning = true;
        setImmediate(() => void turn());
      }
      return done;
    },
    /** Runs what is waiting; it is on disk when this returns. Nothing may be called afterwards. */
    end: () => {
      const last = commit(ground.transaction);
      if (syncing.length > 0) ground.syncNow();
      settleAll([...syncing, ...last]);
    },
  };
}
