/** The client of a connection, with what the ledger remembers of it. */
import type { Ports } from './ports.ts';
import { createServiceClient } from './service/client.ts';
import type { Sighting } from './service/sending.ts';
import type { Connection, ServiceClient } from './service/serviceClient.ts';
import {
  connectionByAddress,
  ensureConnection,
  readDialect,
  writeDialect,
} from './store/connections.ts';
import type { Store } from './store/store.ts';

export type { Connection, JobRequest, ServiceClient } from './service/serviceClient.ts';

/** Where a client keeps the spelling it found out: in the ledger once it is open, else for this run. */
export interface Memory {
  readonly store: Store;
  readonly connectionId: number;
}

/** Makes the client of a connection. */
export function createClient(
  ports: Ports,
  connection: Connection,
  memory: Memory | null,
  observe: (sighting: Sighting) => void = () => undefined,
): ServiceClient {
  let dialect: 'spec' | 'live' | null = null;
  return createServiceClient({
    ...ports,
    observe,
    connection,
    dialectMemory: {
      read: () => (memory === null ? dialect : readDialect(memory.store, memory.connectionId)),
      write: (found) => {
        dialect = found;
        if (memory !== null) writeDialect(memory.store, memory.connectionId, found);
      },
    },
  });
}

/** The ledger's row for a connection whose workspace is known. */
export function connectionRow(store: Store, connection: Connection, workspace: string): number {
  const { apiUrl, projectsUrl } = connection;
  return ensureConnection(store, { apiUrl, projectsUrl, workspace });
}

/** The same without writing; null when the ledger does not know it. */
export function findConnection(
  store: Store,
  { apiUrl }: Pick<Connection, 'apiUrl'>,
  workspace: string,
): number | null {
  return connectionByAddress(store, apiUrl, workspace);
}
