/** The client of the service, put together from its parts. */
import { registerSecret } from '../redact.ts';
import { createCaller } from './caller.ts';
import { createJobs } from './processing.ts';
import { createFolders, createProjects, learnFromInsights } from './projects.ts';
import type { DialectMemory, ServiceClient } from './serviceClient.ts';
import type { CallerPorts } from './sending.ts';
import { createBatches, createUploads } from './staging.ts';
import { createWorkspaceClient } from './workspace.ts';

/** What the client needs: the ports it uses, the connection it speaks for, and where to keep the dialect. */
export interface ServiceClientOptions extends CallerPorts {
  readonly dialectMemory: DialectMemory;
}

/**
 * Makes the client of one connection. Reads are tried up to three times; uploads and changes are sent once, because
 * their repetition belongs to whoever knows what was sent. The key goes to the connection's two addresses alone.
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { connection, dialectMemory } = options;
  registerSecret(connection.apiKey);
  const caller = createCaller(options);
  const root = createWorkspaceClient(caller, connection);
  const projects = createProjects(caller, root, dialectMemory);
  const learn = (signal: AbortSignal): Promise<void> =>
    learnFromInsights(projects, options.clock.now(), signal);
  return {
    ...root,
    ...createUploads(caller, root, connection),
    ...createBatches(caller, root),
    ...createJobs(caller, root),
    ...createFolders(caller, root, dialectMemory, learn),
    ...projects,
  };
}
