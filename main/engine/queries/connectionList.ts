import { integer, text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Every connection of the ledger with its counts, oldest first. */
export function readConnections(store: Store) {
  const sql = `SELECT connections.*,
         (SELECT count(*) FROM batches WHERE batches.connection_id = connections.id) AS batches,
         (SELECT count(*) FROM jobs WHERE jobs.connection_id = connections.id) AS jobs,
         coalesce(sum(item_counts.count), 0) AS files,
         coalesce(sum(item_counts.count) FILTER (WHERE item_counts.state = 'confirmed'), 0) AS confirmed,
         coalesce(sum(item_counts.count) FILTER (WHERE item_counts.state = 'parked'), 0) AS attention
       FROM connections
       LEFT JOIN destinations ON destinations.connection_id = connections.id
       LEFT JOIN item_counts ON item_counts.destination_id = destinations.id
       GROUP BY connections.id ORDER BY connections.id`;
  return store.all(sql).map((row) => ({
    apiUrl: text(row, 'api_url'),
    projectsUrl: text(row, 'projects_url'),
    workspace: text(row, 'workspace'),
    /** The spelling of the project paths that it was seen to use; null when unknown. */
    dialect: textOrNull(row, 'dialect'),
    batches: integer(row, 'batches'),
    files: integer(row, 'files'),
    confirmed: integer(row, 'confirmed'),
    attention: integer(row, 'attention'),
    jobs: integer(row, 'jobs'),
  }));
}
