/** Requests about connections. A key comes in once and is never sent back to the window. */
import type { InputOf } from '../../../preload/contract/requests.ts';
import type { Result } from '../../../preload/contract/errors.ts';
import { hasKeyInAddress } from '../../../preload/contract/serviceAddress.ts';
import { createClient } from '../../engine/runner/connect.ts';
import { ok, usage } from '../../engine/core/errors.ts';
import { registerSecret } from '../../engine/core/redact.ts';
import {
  removeConnection,
  addConnection,
  selectConnection,
} from '../../engine/host/connections.ts';
import type { EngineHost } from '../../engine/host/host.ts';
import type { AppContext } from '../appContext.ts';
import { askHowToKeepKey } from '../system/keyConsent.ts';
import type { Handlers } from './ipcServer.ts';

export type ConnectionInput = InputOf<'connection.add'>;

/** The addresses without a trailing slash; projects are at the first one unless the user says otherwise. */
export function addressesOf(input: ConnectionInput): { apiUrl: string; projectsUrl: string } {
  const plain = (url: string): string => url.replace(/\/+$/, '');
  return { apiUrl: plain(input.apiUrl), projectsUrl: plain(input.projectsUrl ?? input.apiUrl) };
}

/** Checks the key with the service; returns the workspace it belongs to. Errors: auth.rejected, network.*, usage.invalid. */
export async function checkConnection(
  host: EngineHost,
  input: ConnectionInput,
): Promise<Result<string>> {
  registerSecret(input.apiKey);
  const { apiKey, workspace } = input;
  const connection = { ...addressesOf(input), apiKey, workspace };
  const answer = await createClient(host.ports, connection, null).checkKey(host.signal);
  if (answer.ok) return answer;
  const { code, context } = answer.error;
  // It may be a service that cannot name the workspace; the user who connects can check and enter it.
  const isUntold = context['untold'] === true;
  if (code === 'service.unexpectedAnswer' || isUntold) {
    // Not every service offers the request that names the key's workspace.
    if (workspace !== null) return ok(workspace);
    return usage('the service does not name the workspace: enter it');
  }
  return answer;
}

/** As checkConnection, for a connection that is not stored yet: its addresses may not contain a key. */
async function checkNew(host: EngineHost, input: ConnectionInput): Promise<Result<string>> {
  const { apiUrl, projectsUrl } = addressesOf(input);
  if ([apiUrl, projectsUrl].some((address) => hasKeyInAddress(address, input.apiKey))) {
    return usage(
      'leave the key or password out of the address, and enter the key in its own field',
    );
  }
  return checkConnection(host, input);
}

/** Adds a checked connection and starts it. Error: usage.invalid when the user does not agree to how the key is stored. */
async function addAndStart(
  context: AppContext,
  input: ConnectionInput,
  workspace: string,
): Promise<Result<{ id: number }>> {
  const { host, secrets } = context;
  const storage = await askHowToKeepKey(context);
  if (!storage.ok) return storage;
  const id = addConnection(host.store, { ...addressesOf(input), workspace }, 'person');
  if (storage.value === 'keep') await secrets.write(id, input.apiKey);
  selectConnection(host.store, id);
  await host.startConnection(id, input.apiKey);
  return ok({ id });
}

export function connectionHandlers(context: AppContext) {
  const { host, secrets } = context;
  const find = (id: number) => host.connections().find((one) => one.id === id) ?? null;
  const unknown = (): Result<never> => usage('no such connection');
  return {
    'connection.check': async (input) => {
      const checked = await checkNew(host, input);
      return checked.ok ? ok({ workspace: checked.value }) : checked;
    },
    'connection.add': async (input) => {
      const checked = await checkNew(host, input);
      if (!checked.ok) return checked;
      return addAndStart(context, input, checked.value);
    },
    'connection.giveKey': async ({ id, apiKey }) => {
      const row = find(id);
      if (row === null) return unknown();
      const checked = await checkConnection(host, { ...row, apiKey });
      if (!checked.ok) return checked;
      if (checked.value !== row.workspace) {
        return usage(`this key belongs to the workspace ${checked.value}, not to ${row.workspace}`);
      }
      const storage = await askHowToKeepKey(context);
      if (!storage.ok) return storage;
      if (storage.value === 'keep') await secrets.write(id, apiKey);
      else secrets.forget(id);
      addConnection(host.store, row, 'person');
      await host.startConnection(id, apiKey);
      return ok(null);
    },
    'connection.select': async ({ id }) => {
      if (find(id) === null) return unknown();
      selectConnection(host.store, id);
      return ok(null);
    },
    'connection.remove': async ({ id, queued }) => {
      const row = find(id);
      if (row === null) return unknown();
      await host.stopConnection(id);
      secrets.forget(id);
      removeConnection(host.store, row, queued, host.ports.clock.now());
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}
