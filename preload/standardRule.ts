/** The rule a new watch begins with. */
import type { WatchRule } from './watchRule.ts';

/** The rule a new watch begins with. */
export function standardRule(directory: string, name: string): WatchRule {
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
    keepStructure: false,
    settleMs: 5000,
    seal: { quietMinutes: null, items: null, at: null },
    job: null,
    downloadTo: null,
    unpack: false,
    moveTo: null,
  };
}
