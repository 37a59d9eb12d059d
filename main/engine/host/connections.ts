/** The connections of a ledger as the window knows them: which one is looked at, which are gone. */
import { z } from 'zod';
import { readNote, writeNote } from '../settings/keyValue.ts';
import { ensureConnection } from '../store/tables/connections.ts';
import { forgetUnsent } from '../store/queue/forgetting.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { watchesOf } from '../store/tables/watches.ts';

/** A workspace at an address. The key is never kept in the ledger. */
export interface LedgerConnection {
  readonly id: number;
  readonly apiUrl: string;
  readonly projectsUrl: string;
  readonly workspace: string;
}

const noteSchema = z.object({
  hidden: z.boolean(),
  /** Named by the environment of one start: its key was never kept. */
  borrowed: z.boolean().default(false),
});
const SELECTED = 'connection.selected';

function noteKey(id: number): string {
  return `connection.${id}`;
}

/** Every connection that was not removed, oldest first. */
export function ledgerConnections(store: Store): readonly LedgerConnection[] {
  return store
    .all('SELECT id, api_url, projects_url, workspace FROM connections ORDER BY id')
    .flatMap((row) => {
      const id = integer(row, 'id');
      const note = readNote(store, noteKey(id), noteSchema);
      if (note?.hidden === true) return [];
      return [
        {
          id,
          apiUrl: text(row, 'api_url'),
          projectsUrl: text(row, 'projects_url'),
          workspace: text(row, 'workspace'),
        },
      ];
    });
}

/** Adds a connection, or brings a removed one back. Answers its id. */
export function rememberConnection(store: Store, connection: Omit<LedgerConnection, 'id'>): number {
  return store.transaction(() => {
    const id = ensureConnection(store, connection);
    writeNote(store, noteKey(id), { hidden: false, borrowed: false });
    return id;
  });
}

/** Adds a connection that only this start names; one that a person added stays theirs. Answers its id. */
export function borrowConnection(store: Store, connection: Omit<LedgerConnection, 'id'>): number {
  return store.transaction(() => {
    const id = ensureConnection(store, connection);
    const note = readNote(store, noteKey(id), noteSchema);
    const borrowed = note === null || note.hidden || note.borrowed;
    writeNote(store, noteKey(id), { hidden: false, borrowed });
    return id;
  });
}

/**
 * Takes away what earlier starts had borrowed and this one does not name. Where something waits or is watched, the
 * connection stays and asks for its key: nothing may vanish unsent. What the ledger knows stays in any case.
 */
export function returnConnections(store: Store, except: number | null): void {
  store.transaction(() => {
    for (const { id } of ledgerConnections(store)) {
      const note = readNote(store, noteKey(id), noteSchema);
      if (note?.borrowed !== true || id === except || isNeeded(store, id)) continue;
      writeNote(store, noteKey(id), { ...note, hidden: true });
    }
  });
}

/** True while files or watches of a connection wait for it. */
function isNeeded(store: Store, id: number): boolean {
  const waiting = store.get(
    `SELECT 1 AS found FROM item_counts JOIN destinations ON destinations.id = item_counts.destination_id
     WHERE destinations.connection_id = ? AND item_counts.count > 0
       AND item_counts.state NOT IN ('confirmed', 'skipped') LIMIT 1`,
    id,
  );
  return waiting !== null || watchesOf(store, id).some(({ oneOff }) => !oneOff);
}

/**
 * Takes a connection away, to be called when it is off work; `forget` forgets what did not leave yet. What the service may
 * have already stays open, to be asked about when the workspace is connected again. What the ledger knows stays.
 */
export function hideConnection(
  store: Store,
  connection: LedgerConnection,
  queued: 'keep' | 'forget',
  now: number,
): void {
  const { id } = connection;
  store.transaction(() => {
    writeNote(store, noteKey(id), { hidden: true, borrowed: false });
    if (queued === 'keep') return;
    for (const row of store.all('SELECT id FROM destinations WHERE connection_id = ?', id)) {
      forgetUnsent(store, integer(row, 'id'), now);
    }
  });
}

/** The connection that is looked at: the one that was chosen, else the newest; null without any. */
export function selectedConnection(store: Store): LedgerConnection | null {
  const all = ledgerConnections(store);
  const wanted = readNote(store, SELECTED, z.number());
  return all.find(({ id }) => id === wanted) ?? all.at(-1) ?? null;
}

/** Looks at another connection from now on. */
export function selectConnection(store: Store, id: number): void {
  writeNote(store, SELECTED, id);
}
