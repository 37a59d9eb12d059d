/** Service addresses with their workspace, and what was learned about them. Keys are never kept here. */
import { integer, integerOrNull, oneOfOrNull, text } from '../rows.ts';
import type { Store } from '../store.ts';

/** Finds or adds the connection to a workspace at an address, and returns its id. */
export function ensureConnection(
  store: Store,
  connection: { apiUrl: string; projectsUrl: string; workspace: string },
): number {
  // `list` instead of `get`, which would not notice that the commit failed on a full disk: then everything that refers to the connection
  // would fail.
  const sql = `INSERT INTO connections (api_url, workspace, projects_url) VALUES (?1, ?2, ?3)
     ON CONFLICT (api_url, workspace) DO UPDATE SET projects_url = ?3 RETURNING id`;
  const [row] = store.all(sql, connection.apiUrl, connection.workspace, connection.projectsUrl);
  return integer(row ?? {}, 'id');
}

/** The id of a workspace at an address; null when the ledger does not know it. */
export function connectionByAddress(
  store: Store,
  apiUrl: string,
  workspace: string,
): number | null {
  const sql = 'SELECT id FROM connections WHERE api_url = ? AND workspace = ?';
  return integerOrNull(store.get(sql, apiUrl, workspace) ?? {}, 'id');
}

/** Where a client saves what it learns about the service: in the ledger once that is open, else only for this run. */
export interface Memory {
  readonly store: Store;
  readonly connectionId: number;
}

/** What was learned about the service: which form of project paths it uses, or where it accepts the key. null while it is not known. */
export function learned<T extends string>(
  memory: Memory | null,
  column: 'dialect' | 'key_carrier',
  words: readonly T[],
) {
  const sql = `SELECT ${column} FROM connections WHERE id = ?`;
  let known = oneOfOrNull(memory?.store.get(sql, memory.connectionId) ?? {}, column, words);
  return {
    read: () => known,
    write: (found: T) => {
      known = found;
      const noting = `UPDATE connections SET ${column} = ? WHERE id = ?`;
      memory?.store.run(noting, found, memory.connectionId);
    },
  };
}

/** The limits of a shard that this service has stated; null where it stated none. */
export function statedLimits(store: Store, connectionId: number) {
  const sql = 'SELECT max_shard_members, max_shard_bytes FROM connections WHERE id = ?';
  const row = store.get(sql, connectionId) ?? {};
  return {
    maxMembers: integerOrNull(row, 'max_shard_members'),
    maxBytes: integerOrNull(row, 'max_shard_bytes'),
  };
}

export type StatedLimits = Readonly<ReturnType<typeof statedLimits>>;
export function rememberLimits(store: Store, connectionId: number, limits: StatedLimits): void {
  const sql = `UPDATE connections SET max_shard_members = coalesce(?, max_shard_members),
       max_shard_bytes = coalesce(?, max_shard_bytes) WHERE id = ?`;
  store.run(sql, limits.maxMembers, limits.maxBytes, connectionId);
}

/** Finds or adds the scope within which content is unique: a requested batch or a watch. Returns its id. */
export function ensureDestination(store: Store, connectionId: number, name: string): number {
  const add = 'INSERT OR IGNORE INTO destinations (connection_id, name) VALUES (?, ?)';
  store.run(add, connectionId, name);
  const sql = 'SELECT id FROM destinations WHERE connection_id = ? AND name = ?';
  const row = store.get(sql, connectionId, name);
  return integer(row ?? {}, 'id');
}

/** The name of a destination: the requested batch id, or the name of the watch. */
export function destinationName(store: Store, id: number): string {
  const row = store.get('SELECT name FROM destinations WHERE id = ?', id);
  return text(row ?? {}, 'name');
}
