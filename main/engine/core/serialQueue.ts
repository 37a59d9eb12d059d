/** Work that must not overlap: under one key, each starts when the one before has ended, successfully or not. */

/** Resolves with what the work returns, and rejects with what it throws. */
export type KeyedQueue<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>;

export function createKeyedQueue<Key>(): KeyedQueue<Key> {
  const last = new Map<Key, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    const forget = (): void => {
      if (last.get(key) === done) last.delete(key);
    };
    last.set(key, done);
    done.then(forget, forget);
    return done;
  };
}

/** The same with a single key. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = createKeyedQueue<null>();
  return (work) => inTurn(null, work);
}
