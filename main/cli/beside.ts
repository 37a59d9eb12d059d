/** The client of a command that runs beside the ledger's owner, with what the ledger remembers of the service. */
import type { Result } from '../../preload/errorCodes.ts';
import { explain } from '../../preload/errorText.ts';
import { connectionRow, createClient, type ServiceClient } from '../engine/connect.ts';
import type { Engine } from '../engine/engine.ts';
import { errorOf } from '../engine/errorOf.ts';
import { openBeside } from '../engine/plainLine.ts';
import { openReader } from '../engine/reading.ts';
import { type CommandContext, openClient, resolveWorkspace } from './context.ts';

type Store = Engine['store'];

/** What such a command works with. */
export interface Beside {
  readonly client: ServiceClient;
  readonly workspace: string;
  /** The ledger and the connection's row in it; null when there is no ledger, or none that can be opened. */
  readonly ledger: { readonly store: Store; readonly connectionId: number } | null;
}

function openLedger(context: CommandContext, make: boolean): Store | null {
  try {
    if (make) return openBeside(context.dataDirectory);
    const reader = openReader(context.dataDirectory);
    if (reader.ok) return reader.value;
    context.output.say(`The ledger is left aside. ${explain(reader.error).message}`);
  } catch (thrown) {
    context.output.say(`The ledger is left aside. ${explain(errorOf(thrown)).message}`);
  }
  return null;
}

/**
 * Runs the work with a client that knows the service's dialect from earlier commands. A ledger is made only when
 * `make`; one that cannot be opened does not stop the work. Errors: usage.invalid, auth.rejected, network.*, and what
 * the work answers.
 */
export async function withClient(
  context: CommandContext,
  make: boolean,
  work: (beside: Beside) => Promise<Result<number>>,
): Promise<Result<number>> {
  const connected = openClient(context);
  if (!connected.ok) return connected;
  const resolved = await resolveWorkspace(context, connected.value.client);
  if (!resolved.ok) return resolved;
  const workspace = resolved.value;
  const connection = { ...connected.value.connection, workspace };
  const store = openLedger(context, make);
  try {
    const ledger =
      store === null ? null : { store, connectionId: connectionRow(store, connection, workspace) };
    const client = createClient(context.ports(), connection, ledger);
    return await work({ client, workspace, ledger });
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    store?.close();
  }
}
