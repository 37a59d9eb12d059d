/** The connections at the start: those whose key can be read go to work, and in development the one that the environment names. */
import {
  borrowConnection,
  returnConnections,
  selectConnection,
} from '../engine/host/connections.ts';
import { registerSecret } from '../engine/core/redact.ts';
import type { Station } from '../engine/host/host.ts';
import type { AppContext } from './appContext.ts';
import { checkWish, type ConnectionWish } from './ipc/connections.ts';

const AGAIN_MS = 5_000;
/** A slow answer about proxies must not hold up the window. */
const PROXY_MS = 2_000;
const STANDARD_URL = 'https://api.roboflow.com';

/** Puts every connection to work whose key can be decrypted; the others are locked and keep their queue. */
export async function unlockConnections(
  context: AppContext,
  learnProxy: (origin: string) => Promise<void>,
): Promise<void> {
  const { station, secrets } = context;
  for (const row of station.connections()) {
    const apiKey = await secrets.read(row.id);
    if (apiKey === null) continue;
    const waited = station.ports.clock.sleep(PROXY_MS, station.signal);
    await Promise.race([learnProxy(new URL(row.apiUrl).origin), waited]);
    await station.start(row.id, apiKey);
  }
}

/** What SLUICE_API_URL, SLUICE_API_KEY and their like name; null without a key. Pure. */
function wishOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionWish | null {
  const named = (name: string): string => environment[`SLUICE_${name}`]?.trim() ?? '';
  const address = (name: string, otherwise: string): string =>
    (named(name) === '' ? otherwise : named(name)).replace(/\/+$/, '');
  const [apiKey, workspace] = [named('API_KEY'), named('WORKSPACE')];
  const apiUrl = address('API_URL', STANDARD_URL);
  if (apiKey === '' || !/^https?:/.test(apiUrl) || !URL.canParse(apiUrl)) return null;
  return {
    apiUrl,
    projectsUrl: address('PROJECTS_URL', apiUrl),
    apiKey,
    workspace: workspace === '' ? null : workspace,
  };
}

/** The workspace of the wish, asked of the service until it answers; null when it refuses, or Sluice stops. */
async function workspaceOf(station: Station, wish: ConnectionWish): Promise<string | null> {
  if (wish.workspace !== null) return wish.workspace;
  while (!station.signal.aborted) {
    const checked = await checkWish(station, wish);
    if (checked.ok) return checked.value;
    if (checked.error.code === 'auth.rejected' || checked.error.next === 'stop') return null;
    await station.ports.clock.sleep(AGAIN_MS, station.signal);
  }
  return null;
}

/**
 * Puts the connection to work that the environment names; its key is not kept. What earlier starts had borrowed and
 * this one does not name is returned: it would only stand there and ask for a key.
 */
export async function connectFromEnvironment(
  { station }: AppContext,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const wish = wishOfEnvironment(environment);
  if (wish === null) return leaveBorrowed(station);
  registerSecret(wish.apiKey);
  const workspace = await workspaceOf(station, wish);
  if (workspace === null) return leaveBorrowed(station);
  const { apiUrl } = wish;
  const projectsUrl = wish.projectsUrl ?? apiUrl;
  const id = borrowConnection(station.store, { apiUrl, projectsUrl, workspace });
  selectConnection(station.store, id);
  returnConnections(station.store, id);
  await station.start(id, wish.apiKey);
}

/** Without the environment's connection: the others are looked at, one that works before one that waits for its key. */
function leaveBorrowed(station: Station): void {
  if (station.signal.aborted) return;
  returnConnections(station.store, null);
  const selected = station.selected();
  if (selected === null || station.line(selected.id) !== null) return;
  const working = station.connections().find(({ id }) => station.line(id) !== null);
  if (working !== undefined) selectConnection(station.store, working.id);
}
