/** Connections at startup: those with a readable key and, in development, the one that the environment names. */
import {
  addConnection,
  dropUnusedEnvironmentConnections,
  selectConnection,
} from '../engine/host/connections.ts';
import { registerSecret } from '../engine/core/redact.ts';
import type { EngineHost } from '../engine/host/host.ts';
import type { AppContext } from './appContext.ts';
import { addressesOf, checkConnection, type ConnectionInput } from './ipc/connections.ts';

const RETRY_MS = 5_000;
/** A slow proxy lookup must not delay the window. */
const PROXY_MS = 2_000;

/** Starts every connection whose key can be decrypted, once `mayWork` resolves; the others stay locked and keep their queue. */
export async function unlockConnections(
  context: AppContext,
  lookUpProxy: (origin: string) => Promise<void>,
  mayWork: Promise<void>,
): Promise<void> {
  const { host, secrets } = context;
  for (const row of host.connections()) {
    const apiKey = await secrets.read(row.id);
    if (apiKey === null) continue;
    const timeout = host.ports.clock.sleep(PROXY_MS, host.signal);
    await Promise.race([lookUpProxy(new URL(row.apiUrl).origin), timeout]);
    await mayWork;
    await host.startConnection(row.id, apiKey);
  }
}

/** The workspace of a connection. Asks the service until it answers; null when it refuses the key, or when Sluice stops. */
async function askForWorkspace(host: EngineHost, input: ConnectionInput): Promise<string | null> {
  if (input.workspace !== null) return input.workspace;
  while (!host.signal.aborted) {
    const checked = await checkConnection(host, input);
    if (checked.ok) return checked.value;
    if (checked.error.code === 'auth.rejected' || checked.error.next === 'stop') return null;
    await host.ports.clock.sleep(RETRY_MS, host.signal);
  }
  return null;
}

/**
 * Adds the connection that the environment names, and starts it once `mayWork` resolves; its key is not stored. Unused connections of
 * earlier environments are removed: they would only ask for a key. If the environment names none, a working one is selected after
 * `unlocking`.
 */
export async function connectFromEnvironment(
  { host }: AppContext,
  input: ConnectionInput | null,
  { mayWork, unlocking }: { readonly mayWork: Promise<void>; readonly unlocking: Promise<void> },
): Promise<void> {
  if (input !== null) registerSecret(input.apiKey);
  const workspace = input === null ? null : await askForWorkspace(host, input);
  if (input === null || workspace === null) {
    await unlocking;
    return connectWithoutEnvironment(host);
  }
  const id = addConnection(host.store, { ...addressesOf(input), workspace }, 'environment');
  selectConnection(host.store, id);
  dropUnusedEnvironmentConnections(host.store, id);
  await mayWork;
  await host.startConnection(id, input.apiKey);
}

/** Selects a connection that works rather than one that waits for its key. */
function connectWithoutEnvironment(host: EngineHost): void {
  if (host.signal.aborted) return;
  dropUnusedEnvironmentConnections(host.store, null);
  const selected = host.selected();
  if (selected === null || host.workingConnection(selected.id) !== null) return;
  const working = host.connections().find(({ id }) => host.workingConnection(id) !== null);
  if (working !== undefined) selectConnection(host.store, working.id);
}
