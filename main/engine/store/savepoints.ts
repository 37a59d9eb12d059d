/** Functions that wait for one transaction together, each with its own savepoint in it. */

/** A function that waits for its turn in a transaction. */
export interface Waiting {
  run(): void;
  /** Settles the caller's promise; `failure` is undefined when the function has succeeded. */
  settle(failure: unknown): void;
}

/** How the turn of a function ended. */
export interface Outcome {
  readonly entry: Waiting;
  readonly failure: unknown;
}

/** A function as it waits, and the promise of what it returns. */
export function waitingFor<T>(work: () => T): { entry: Waiting; done: Promise<T> } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let outcome: { readonly value: T } | null = null;
  const entry: Waiting = {
    run: () => {
      outcome = { value: work() };
    },
    settle: (failure) => {
      if (failure !== undefined || outcome === null) reject(failure);
      else resolve(outcome.value);
    },
  };
  return { entry, done: promise };
}

/**
 * Runs the entries, each in a savepoint; if one fails, its failure is its outcome. A single entry runs without a savepoint, and its failure
 * is thrown: SQLite keeps a copy of every page that changes within a savepoint.
 */
export function runEach(
  execute: (sql: string) => void,
  batch: readonly Waiting[],
): readonly Outcome[] {
  const [only] = batch;
  if (only !== undefined && batch.length === 1) {
    only.run();
    return [{ entry: only, failure: undefined }];
  }
  return batch.map((entry) => {
    let failure: unknown;
    execute('SAVEPOINT one');
    try {
      entry.run();
    } catch (error) {
      failure = error;
      execute('ROLLBACK TO one');
    }
    execute('RELEASE one');
    return { entry, failure };
  });
}

export function settleAll(outcomes: readonly Outcome[]): void {
  for (const { entry, failure } of outcomes) entry.settle(failure);
}
