/** The connections of a ledger as the window shows them: which one is selected, and which were removed. */
import { z } from 'zod';
import { once } from '../core/contract.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { ensureConnection } from '../store/tables/connections.ts';
import { forgetUnsent } from '../store/queue/forgetting.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { watchesOf } from '../store/tables/watches.ts';

const noteSchema = once(() =>
  z.object({
    hidden: z.boolean(),
    /** `borrowed`: from the environment of one start, so its key was never stored. Older ledgers have the field under this name. */
    borrowed: z.boolean().default(false),
  }),
);
const SELECTED = 'connection.selected';

function settingKeyOf(id: number): string {
  return `connection.${id}`;
}

/** Every connection that was not removed, oldest first. */
export function ledgerConnections(store: Store) {
  return store
    .all('SELECT id, api_url, projects_url, workspace FROM connections ORDER BY id')
    .map((row) => ({
      id: integer(row, 'id'),
      apiUrl: text(row, 'api_url'),
      projectsUrl: text(row, 'projects_url'),
      workspace: text(row, 'workspace'),
    }))
    .filter(({ id }) => readValue(store, settingKeyOf(id), noteSchema)?.hidden !== true);
}

/** A workspace at an address. The key is never kept in the ledger. */
export type LedgerConnection = Readonly<ReturnType<typeof ledgerConnections>[number]>;

/**
 * Adds a connection, or restores a removed one. Returns its id. `from`: where it comes from. If a person had added it before, it stays
 * marked as theirs, even if it now comes from environment variables.
 */
export function addConnection(
  store: Store,
  connection: Omit<LedgerConnection, 'id'>,
  from: 'person' | 'environment',
): number {
  return store.transaction(() => {
    const id = ensureConnection(store, connection);
    const note = readValue(store, settingKeyOf(id), noteSchema);
    const isTheirs = note !== null && !note.hidden && !note.borrowed;
    const borrowed = from === 'environment' && !isTheirs;
    writeValue(store, settingKeyOf(id), { hidden: false, borrowed });
    return id;
  });
}

/**
 * Removes connections that came from the environment of an earlier start and are not in this one. A connection with unsent files
 * or watches stays and asks for its key, so that nothing disappears unsent. Its history in the ledger stays in any case.
 */
export function dropUnusedEnvironmentConnections(store: Store, except: number | null): void {
  store.transaction(() => {
    for (const { id } of ledgerConnections(store)) {
      const note = readValue(store, settingKeyOf(id), noteSchema);
      if (note?.borrowed !== true || id === except || isNeeded(store, id)) continue;
      writeValue(store, settingKeyOf(id), { ...note, hidden: true });
    }
  });
}

/** True while a connection has unsent files or watches. */
function isNeeded(store: Store, id: number): boolean {
  const sql = `SELECT 1 FROM item_counts JOIN destinations ON destinations.id = item_counts.destination_id
     WHERE destinations.connection_id = ? AND item_counts.count > 0
       AND item_counts.state NOT IN ('confirmed', 'skipped') LIMIT 1`;
  const isWaiting = store.has(sql, id);
  return isWaiting || watchesOf(store, id).some(({ oneOff }) => !oneOff);
}

/**
 * Removes a stopped connection; `forget` also drops files that were not sent yet. Transfers that the service may have received
 * stay open and are checked when the workspace is connected again. The history in the ledger stays.
 */
export function removeConnection(
  store: Store,
  connection: LedgerConnection,
  queued: 'keep' | 'forget',
  now: number,
): void {
  const { id } = connection;
  store.transaction(() => {
    writeValue(store, settingKeyOf(id), { hidden: true, borrowed: false });
    if (queued === 'keep') return;
    for (const destination of store.ids('SELECT id FROM destinations WHERE connection_id = ?', id))
      forgetUnsent(store, destination, now);
  });
}

/** The selected connection: the chosen one, else the newest; null without any. */
export function selectedConnection(store: Store): LedgerConnection | null {
  const all = ledgerConnections(store);
  const wanted = readValue(store, SELECTED, () => z.number());
  return all.find(({ id }) => id === wanted) ?? all.at(-1) ?? null;
}

export function selectConnection(store: Store, id: number): void {
  writeValue(store, SELECTED, id);
}
