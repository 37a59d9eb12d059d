import { SETTLE_MS } from './bounds.ts';
import type { WatchRule } from './watchRule.ts';

/** The rule that a new watch starts with. `settleMs` is the setting "Settle time"; an existing watch keeps its own. */
export function standardRule(
  directory: string,
  name: string,
  settleMs: number = SETTLE_MS.standard,
): WatchRule {
  return {
    directory,
    link: null,
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
    part: null,
    settleMs,
    seal: { quietMinutes: null, items: null, at: null },
    job: null,
    downloadTo: null,
    unpack: false,
    moveTo: null,
  };
}
