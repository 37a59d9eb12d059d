/** Keeps the running watches of a connection as the ledger has them, whichever program changed it. */
import type { Store } from '../store/store.ts';
import { type Watch, watchesOf } from '../store/tables/watches.ts';
import type { Watching } from './watching.ts';

/** Creates a function that starts, changes and ends watches to match the ledger, and returns those that now run. */
export function createWatchUpdater(
  store: Store,
  connectionId: number,
  watching: Watching,
): () => readonly Watch[] {
  const started = new Map<number, string>();
  return () => {
    const wanted = watchesOf(store, connectionId).filter(
      (watch) => watch.state === 'active' && !watch.oneOff,
    );
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of [...started.keys()].filter((one) => !ids.has(one))) {
      started.delete(id);
      void watching.end(id);
    }
    for (const watch of wanted) {
      const rule = JSON.stringify(watch.rule);
      if (started.get(watch.id) === rule) continue;
      started.set(watch.id, rule);
      watching.start(watch);
    }
    return wanted;
  };
}
