/** The client of a connection, with what the ledger knows about it. */
import type { Ports } from '../core/ports.ts';
import { createServiceClient } from '../service/api/client.ts';
import type { RequestEnd } from '../service/api/sending.ts';
import type { Connection, ServiceClient } from '../service/serviceClient.ts';
import { learned, type Memory } from '../store/tables/connections.ts';

export { connectionByAddress, ensureConnection } from '../store/tables/connections.ts';
export type {
  AnnotationJobRequest,
  Connection,
  JobRequest,
  ServiceClient,
} from '../service/serviceClient.ts';

export function createClient(
  ports: Ports,
  connection: Connection,
  memory: Memory | null,
  observe: (sighting: RequestEnd) => void = () => undefined,
): ServiceClient {
  return createServiceClient({
    ...ports,
    observe,
    connection,
    dialectMemory: learned(memory, 'dialect', ['spec', 'live']),
    carrierMemory: learned(memory, 'key_carrier', ['query', 'header']),
  });
}
