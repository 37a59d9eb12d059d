/** Requests about connections. A key goes in once and never comes back. */
import type { Result } from '../../../preload/contract/errors.ts';
import { createClient } from '../../engine/runner/connect.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { registerSecret } from '../../engine/core/redact.ts';
import {
  hideConnection,
  rememberConnection,
  selectConnection,
} from '../../engine/host/connections.ts';
import type { Station } from '../../engine/host/host.ts';
import type { AppContext } from '../appContext.ts';
import { askToKeep, refuseCancelled } from '../system/keepKey.ts';
import type { Handlers } from './requestTypes.ts';

/** What a person enters to connect. */
export interface ConnectionWish {
  readonly apiUrl: string;
  readonly projectsUrl: string | null;
  readonly apiKey: string;
  readonly workspace: string | null;
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Asks the service whether the key is good, and whose it is. Errors: auth.rejected, network.*, usage.invalid. */
export async function checkWish(station: Station, wish: ConnectionWish): Promise<Result<string>> {
  registerSecret(wish.apiKey);
  const apiUrl = trimmed(wish.apiUrl);
  const projectsUrl = wish.projectsUrl === null ? apiUrl : trimmed(wish.projectsUrl);
  const { apiKey, workspace } = wish;
  const connection = { apiUrl, projectsUrl, apiKey, workspace };
  const answer = await createClient(station.ports, connection, null).checkKey(station.signal);
  if (answer.ok) return answer;
  const { code } = answer.error;
  if (code === 'service.notFound' || code === 'service.unexpectedAnswer') {
    // A service that offers no more than it must does not tell whose key this is.
    if (workspace !== null) return ok(workspace);
    return fail('usage.invalid', { said: 'the service does not name the workspace: enter it' });
  }
  return answer;
}

/** Adds a connection that was checked and puts it to work. Error: usage.invalid when the person does not agree to how the key is kept. */
async function addConnection(
  context: AppContext,
  wish: ConnectionWish,
  workspace: string,
): Promise<Result<{ id: number }>> {
  const { station, secrets } = context;
  const keeping = await askToKeep(context);
  const agreed = refuseCancelled(keeping);
  if (!agreed.ok) return agreed;
  const apiUrl = trimmed(wish.apiUrl);
  const projectsUrl = wish.projectsUrl === null ? apiUrl : trimmed(wish.projectsUrl);
  const id = rememberConnection(station.store, { apiUrl, projectsUrl, workspace });
  if (keeping === 'keep') await secrets.write(id, wish.apiKey);
  selectConnection(station.store, id);
  await station.start(id, wish.apiKey);
  return ok({ id });
}

type Family = Pick<
  Handlers,
  | 'connection.check'
  | 'connection.add'
  | 'connection.giveKey'
  | 'connection.select'
  | 'connection.remove'
>;

/** Handlers of connections. */
export function connectionHandlers(context: AppContext): Family {
  const { station, secrets } = context;
  const find = (id: number) => station.connections().find((one) => one.id === id) ?? null;
  const unknown = (): Result<never> => fail('usage.invalid', { said: 'no such connection' });
  return {
    'connection.check': async (wish) => {
      const checked = await checkWish(station, wish);
      return checked.ok ? ok({ workspace: checked.value }) : checked;
    },
    'connection.add': async (wish) => {
      const checked = await checkWish(station, wish);
      if (!checked.ok) return checked;
      return addConnection(context, wish, checked.value);
    },
    'connection.giveKey': async ({ id, apiKey }) => {
      const row = find(id);
      if (row === null) return unknown();
      const checked = await checkWish(station, { ...row, apiKey });
      if (!checked.ok) return checked;
      if (checked.value !== row.workspace) {
        return fail('usage.invalid', {
          said: `this key belongs to the workspace ${checked.value}, not to ${row.workspace}`,
        });
      }
      const keeping = await askToKeep(context);
      const agreed = refuseCancelled(keeping);
      if (!agreed.ok) return agreed;
      if (keeping === 'keep') await secrets.write(id, apiKey);
      else secrets.forget(id);
      rememberConnection(station.store, row);
      await station.start(id, apiKey);
      return ok(null);
    },
    'connection.select': async ({ id }) => {
      if (find(id) === null) return unknown();
      selectConnection(station.store, id);
      return ok(null);
    },
    'connection.remove': async ({ id, queued }) => {
      const row = find(id);
      if (row === null) return unknown();
      await station.end(id);
      secrets.forget(id);
      hideConnection(station.store, row, queued, station.ports.clock.now());
      return ok(null);
    },
  };
}
