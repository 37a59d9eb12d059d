/** From when on the files of a watch that leaves out existing ones count as new. */
import type { Pipeline } from '../pipeline/context.ts';
import { setAddedAt, type Watch } from '../store/tables/watches.ts';

/** Creates the limit. It begins as the time at which the watch was added, by this computer's clock. */
export function createNewSince(
  { store, ports: { clock } }: Pick<Pipeline, 'store' | 'ports'>,
  { id, rule, addedAt }: Watch,
) {
  let since = rule.existing ? 0 : addedAt;
  return {
    /** Epoch ms; 0 when existing files count, too. */
    since: () => since,
    /**
     * To be called often: if the clock was ahead when the watch was added, and has been set back, files from now on must count, not only
     * files after that time.
     */
    check: (): void => {
      const now = clock.now();
      if (since <= now) return;
      since = now;
      store.transaction(() => setAddedAt(store, id, now));
    },
  };
}
