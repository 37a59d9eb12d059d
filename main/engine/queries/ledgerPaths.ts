import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { watchesOf } from '../store/tables/watches.ts';

/** Every directory mentioned by a rule, a job or a download. */
export function knownDirectories(store: Store): readonly string[] {
  const rules = watchesOf(store, null).flatMap(({ rule }) => [
    rule.directory,
    rule.link,
    rule.downloadTo,
    rule.moveTo,
  ]);
  const sql = `WITH RECURSIVE targets (path) AS (
         SELECT min(target) FROM outputs
         UNION ALL SELECT (SELECT min(target) FROM outputs WHERE target > targets.path)
           FROM targets WHERE targets.path IS NOT NULL)
       SELECT path FROM targets WHERE path IS NOT NULL
       UNION SELECT download_to FROM jobs WHERE download_to IS NOT NULL`;
  const results = store.list((row) => text(row, 'path'), sql);
  return [...rules.filter((path) => path !== null), ...results];
}
