/** Directories that the ledger names: of rules, and of results. */
import { text } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { watchesOf } from './store/watches.ts';

/** Every directory that a rule, a job or a download names. */
export function knownDirectories(store: Store): readonly string[] {
  const rules = watchesOf(store, null).flatMap(({ rule }) => [
    rule.directory,
    rule.downloadTo,
    rule.moveTo,
  ]);
  const results = store
    .all(
      `SELECT DISTINCT target AS path FROM outputs
       UNION SELECT DISTINCT download_to FROM jobs WHERE download_to IS NOT NULL`,
    )
    .map((row) => text(row, 'path'));
  return [...rules.filter((path) => path !== null), ...results];
}
