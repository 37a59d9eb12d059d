/** The rule a new watch begins with. */
import type { WatchRule } from './watchRule.ts';

/** How long a file must be at rest where no setting says otherwise, ms. */
export const STANDARD_SETTLE_MS = 5_000;

/** The rule a new watch begins with. `settleMs` is the setting "Settle time"; an existing watch keeps its own. */
export function standardRule(
  directory: string,
  name: string,
  settleMs = STANDARD_SETTLE_MS,
): WatchRule {
  return {
    directory,
    name,
    batch: '{watch}-{host}-{date}',
    itemsPerBatch: null,
    displayName: null,
    include: [],
    exclude: [],
    kinds: 'both',
    existing: true,
    mode: 'auto',
    followLinks: true,
    settleMs,
    seal: { quietMinutes: null, items: null, at: null },
    job: null,
    downloadTo: null,
    unpack: false,
    moveTo: null,
  };
}
