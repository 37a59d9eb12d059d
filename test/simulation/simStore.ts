/**
 * The ledger of one process: the real one, with group commits that take virtual time, a disk that can be full, and no
 * writes by a killed process. A kill can fall between a group commit and its answer.
 */
import { sluiceError, SluiceFailure } from '../../main/engine/core/errors.ts';
import {
  type Outcome,
  runEach,
  settleAll,
  type Waiting,
  waitingFor,
} from '../../main/engine/store/savepoints.ts';
import type { Store } from '../../main/engine/store/store.ts';
import type { Dice } from './dice.ts';
import type { Life } from './life.ts';

export interface SimStore {
  readonly store: Store;
  /** Runs pending work; call it before closing the ledger. */
  end(): void;
}

/** Puts a ledger into virtual time. */
export function createSimStore(
  real: Store,
  life: Life,
  dice: Dice,
  { isFull, onCommit }: { readonly isFull: () => boolean; readonly onCommit: () => void },
): SimStore {
  let waiting: Waiting[] = [];
  let isTurning = false;
  const demandLife = (): void => {
    if (!life.alive()) throw new Error('a killed process wrote into its ledger');
    if (isFull()) throw new SluiceFailure(sluiceError('disk.full', { said: 'simulated' }));
  };
  const transaction: Store['transaction'] = (work) => {
    demandLife();
    const done = real.transaction(work);
    onCommit();
    return done;
  };
  const commit = (): readonly Outcome[] => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return [];
    try {
      return transaction(() => runEach((sql) => void real.run(sql), batch));
    } catch (failure) {
      return batch.map((entry) => ({ entry, failure }));
    }
  };
  const turn = (): void => {
    const outcomes = commit();
    life.after(dice.int(0, 4), () => {
      settleAll(outcomes);
      if (waiting.length > 0) life.after(0, turn);
      else isTurning = false;
    });
  };
  const soon: Store['soon'] = (work) => {
    const { entry, done } = waitingFor(work);
    waiting.push(entry);
    if (!isTurning) {
      isTurning = true;
      life.after(dice.int(0, 3), turn);
    }
    return done;
  };
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
    end: () => settleAll(commit()),
  };
}
