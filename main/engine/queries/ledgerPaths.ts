/** Directories that the ledger names: of rules, and of results. */
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { watchesOf } from '../store/tables/watches.ts';

/** Every directory that a rule, a job or a download names. */
export function knownDirectories(store: Store): readonly string[] {
  const rules = watchesOf(store, null).flatMap(({ rule }) => [
    rule.directory,
    rule.downloadTo,
    rule.moveTo,
  ]);
  const results = store
    .all(
      // From one target to the next by the index: there are many files in each.
      `WITH RECURSIVE targets (path) AS (
         SELECT min(target) FROM outputs
         UNION ALL SELECT (SELECT min(target) FROM outputs WHERE target > targets.path)
           FROM targets WHERE targets.path IS NOT NULL)
       SELECT path FROM targets WHERE path IS NOT NULL
       UNION SELECT download_to FROM jobs WHERE download_to IS NOT NULL`,
    )
    .map((row) => text(row, 'path'));
  return [...rules.filter((path) => path !== null), ...results];
}
