/**
 * The ledger of one process: the real one, with group commits that take virtual time, a disk that can be full, and no
 * writes by a killed process. A kill can fall between a group commit and its answer.
 */
import { sluiceError, SluiceFailure } from '../../main/engine/core/errors.ts';
import type { Store } from '../../main/engine/store/store.ts';
import type { Dice } from './dice.ts';
import type { Life } from './life.ts';

interface Waiting {
  run(): void;
  settle(failure: unknown): void;
}

export interface SimStore {
  readonly store: Store;
  /** Runs pending work; call it before closing the ledger. */
  end(): void;
}

interface Outcome {
  readonly entry: Waiting;
  readonly failure: unknown;
}

/** Puts a ledger into virtual time. */
export function createSimStore(
  real: Store,
  life: Life,
  dice: Dice,
  isFull: () => boolean,
): SimStore {
  let waiting: Waiting[] = [];
  let isTurning = false;
  const demandLife = (): void => {
    if (!life.alive()) throw new Error('a killed process wrote into its ledger');
    if (isFull()) throw new SluiceFailure(sluiceError('disk.full', { said: 'simulated' }));
  };
  const transaction: Store['transaction'] = (work) => {
    demandLife();
    return real.transaction(work);
  };
  const runOne = (entry: Waiting): Outcome => {
    let failure: unknown;
    real.run('SAVEPOINT one');
    try {
      entry.run();
    } catch (error) {
      failure = error ?? new Error('thrown');
      real.run('ROLLBACK TO one');
    }
    real.run('RELEASE one');
    return { entry, failure };
  };
  // A single entry has no savepoint, as in store/groupCommit.ts.
  const runAlone = (entry: Waiting): readonly Outcome[] => {
    entry.run();
    return [{ entry, failure: undefined }];
  };
  const commit = (): readonly Outcome[] => {
    const batch = waiting;
    waiting = [];
    const [only] = batch;
    if (only === undefined) return [];
    try {
      return transaction(() => (batch.length === 1 ? runAlone(only) : batch.map(runOne)));
    } catch (failure) {
      return batch.map((entry) => ({ entry, failure }));
    }
  };
  const turn = (): void => {
    const outcomes = commit();
    life.after(dice.int(0, 4), () => {
      for (const { entry, failure } of outcomes) entry.settle(failure);
      if (waiting.length > 0) life.after(0, turn);
      else isTurning = false;
    });
  };
  const soon: Store['soon'] = (work) =>
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
      life.after(dice.int(0, 3), turn);
    });
  return {
    store: {
      ...real,
      transaction,
      soon,
      run: (sql, ...values) => {
        demandLife();
        return real.run(sql, ...values);
      },
    },
    end: () => {
      for (const { entry, failure } of commit()) entry.settle(failure);
    },
  };
}
