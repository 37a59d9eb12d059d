/** The client of the service, assembled from its parts. */
import { registerSecret } from '../../core/redact.ts';
import { createCaller } from './caller.ts';
import { createJobs } from './processing.ts';
import { createFolders, createProjects } from './projects.ts';
import { createSignedReads } from './signedReads.ts';
import type { ServiceClient } from '../serviceClient.ts';
import type { CallerPorts } from './sending.ts';
import { createBatches, createContents, createUploads } from './staging.ts';
import { createWorkspaceClient, type Root } from './workspace.ts';

/**
 * Makes the client of one connection. Reads are tried up to three times. Uploads and changes that may have arrived are sent
 * only once, because only the caller knows what was sent. The key goes only to the connection's two addresses.
 */
export function createServiceClient(options: CallerPorts): ServiceClient {
  const { connection, dialectMemory, carrierMemory } = options;
  registerSecret(connection.apiKey);
  const caller = createCaller({ ports: options, workspace: (signal) => root.workspace(signal) });
  const root: Root = createWorkspaceClient(caller, connection);
  const projects = createProjects(caller, dialectMemory);
  return {
    ...root,
    ...createUploads(caller),
    ...createContents(caller, carrierMemory),
    ...createBatches(caller),
    ...createSignedReads(caller),
    ...createJobs(caller),
    ...createFolders(caller, options, projects),
    ...projects,
  };
}
