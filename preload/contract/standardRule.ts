import { SETTLE_MS, WATCH_NAME_MAX } from './bounds.ts';
import type { WatchRule } from './watchRule.ts';

/**
 * The rule that a new watch starts with. `name` is the name of the folder; it is cut to the length that the name of a watch may have.
 * `settleMs` is the setting "Settle time"; an existing watch keeps its own.
 */
export function standardRule(
  directory: string,
  name: string,
  settleMs: number = SETTLE_MS.standard,
): WatchRule {
  return {
    directory,
    link: null,
    name: name.slice(0, WATCH_NAME_MAX).toWellFormed(),
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
