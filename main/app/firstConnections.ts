/** The connections at the start: those whose key can be read go to work, and in development the one that the environment names. */
import { rememberConnection, selectConnection } from '../engine/stationConnections.ts';
import { registerSecret } from '../engine/redact.ts';
import type { AppContext } from './appContext.ts';
import { checkWish } from './handleConnections.ts';

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

/** Puts the connection to work that SLUICE_API_URL, SLUICE_API_KEY and SLUICE_WORKSPACE name. Its key is not kept. */
export async function connectFromEnvironment(
  { station }: AppContext,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const apiKey = environment['SLUICE_API_KEY']?.trim() ?? '';
  if (apiKey === '') return;
  registerSecret(apiKey);
  const named = environment['SLUICE_API_URL']?.trim() ?? '';
  const apiUrl = (named === '' ? STANDARD_URL : named).replace(/\/+$/, '');
  if (!/^https?:/.test(apiUrl) || !URL.canParse(apiUrl)) return;
  const projectsUrl = environment['SLUICE_PROJECTS_URL']?.trim().replace(/\/+$/, '') ?? apiUrl;
  const keyCarrier = environment['SLUICE_KEY_CARRIER'] === 'header' ? 'header' : 'query';
  let workspace = environment['SLUICE_WORKSPACE']?.trim() ?? '';
  while (workspace === '' && !station.signal.aborted) {
    const wish = { apiUrl, projectsUrl, apiKey, workspace: null, keyCarrier } as const;
    const checked = await checkWish(station, wish);
    if (checked.ok) workspace = checked.value;
    else if (checked.error.code === 'auth.rejected' || checked.error.next === 'stop') return;
    else await station.ports.clock.sleep(AGAIN_MS, station.signal);
  }
  if (station.signal.aborted) return;
  const id = rememberConnection(station.store, { apiUrl, projectsUrl, workspace, keyCarrier });
  selectConnection(station.store, id);
  await station.start(id, apiKey);
}
