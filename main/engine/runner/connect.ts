/** The client of a connection, with what the ledger knows about it. */
import type { Ports } from '../core/ports.ts';
import { createServiceClient } from '../service/api/client.ts';
import type { RequestEnd } from '../service/api/sending.ts';
import type { Connection, ServiceClient } from '../service/serviceClient.ts';
import {
  ensureConnection,
  readDialect,
  readKeyCarrier,
  writeDialect,
  writeKeyCarrier,
} from '../store/tables/connections.ts';
import type { Store } from '../store/store.ts';

export { connectionByAddress } from '../store/tables/connections.ts';
export type {
  AnnotationJobRequest,
  Connection,
  JobRequest,
  ServiceClient,
} from '../service/serviceClient.ts';

/** Where a client saves what it learns about the service: in the ledger once that is open, else only for this run. */
export interface Memory {
  readonly store: Store;
  readonly connectionId: number;
  /** True to use what is known without writing anything. */
  readonly readOnly?: boolean;
}

export function createClient(
  ports: Ports,
  connection: Connection,
  memory: Memory | null,
  observe: (sighting: RequestEnd) => void = () => undefined,
): ServiceClient {
  const writable = memory === null || memory.readOnly === true ? null : memory;
  let dialect = memory === null ? null : readDialect(memory.store, memory.connectionId);
  let carrier = memory === null ? null : readKeyCarrier(memory.store, memory.connectionId);
  return createServiceClient({
    ...ports,
    observe,
    connection,
    dialectMemory: {
      read: () => dialect,
      write: (found) => {
        dialect = found;
        if (writable !== null) writeDialect(writable.store, writable.connectionId, found);
      },
    },
    carrierMemory: {
      isKnown: () => carrier !== null,
      read: () => carrier ?? 'query',
      write: (found) => {
        carrier = found;
        if (writable !== null) writeKeyCarrier(writable.store, writable.connectionId, found);
      },
    },
  });
}

/** The ledger's row for a connection whose workspace is known. */
export function connectionRow(store: Store, connection: Connection, workspace: string): number {
  const { apiUrl, projectsUrl } = connection;
  return ensureConnection(store, { apiUrl, projectsUrl, workspace });
}
