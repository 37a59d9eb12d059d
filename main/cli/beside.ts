/** The client of a command that runs beside the ledger's owner, with what the ledger remembers of the service. */
import type { Result } from '../../preload/contract/errors.ts';
import { explain } from '../../preload/contract/messages.ts';
import { openBeside, openIfThere } from '../engine/queries/besideLedger.ts';
import {
  connectionRow,
  createClient,
  findConnection,
  type ServiceClient,
} from '../engine/runner/connect.ts';
import type { Engine } from '../engine/host/engine.ts';
import { errorOf, ok } from '../engine/core/errors.ts';
import { openReader } from '../engine/queries/reading.ts';
import { type CommandContext, openClient, resolveWorkspace } from './context.ts';

type Store = Engine['store'];

/** What such a command works with. */
export interface Beside {
  readonly client: ServiceClient;
  readonly workspace: string;
  /** The ledger and the connection's row in it; null when there is no ledger, or none that can be opened. */
  readonly ledger: { readonly store: Store; readonly connectionId: number } | null;
}

/**
 * What becomes of the ledger. read: it is only read, and answers why it cannot be. if-there: it is read, and what is learned of the
 * service is kept in it; make: it is made. Neither of these stops the work when it cannot be opened. needed: it is made, and answers
 * why it cannot be.
 */
export type LedgerUse = 'read' | 'if-there' | 'make' | 'needed';

function openLedger(
  { dataDirectory, output }: CommandContext,
  use: LedgerUse,
): Result<Store | null> {
  if (use === 'read') return openReader(dataDirectory);
  try {
    return ok(use === 'if-there' ? openIfThere(dataDirectory) : openBeside(dataDirectory));
  } catch (thrown) {
    const error = errorOf(thrown);
    if (use === 'needed') return { ok: false, error };
    output.say(`The ledger is left aside. ${explain(error).message}`);
    return ok(null);
  }
}

/**
 * Runs the work with a client that knows the service's dialect from earlier commands. Errors: usage.invalid, auth.rejected,
 * network.*, store.* and disk.* where the ledger is needed, and what the work answers.
 */
export async function withClient(
  context: CommandContext,
  use: LedgerUse,
  work: (beside: Beside) => Promise<Result<number>>,
): Promise<Result<number>> {
  const connected = openClient(context);
  if (!connected.ok) return connected;
  const resolved = await resolveWorkspace(context, connected.value.client);
  if (!resolved.ok) return resolved;
  const workspace = resolved.value;
  const connection = { ...connected.value.connection, workspace };
  const opened = openLedger(context, use);
  if (!opened.ok) return opened;
  const store = opened.value;
  try {
    const connectionId =
      store === null
        ? null
        : use === 'read'
          ? findConnection(store, connection, workspace)
          : connectionRow(store, connection, workspace);
    const ledger = store === null || connectionId === null ? null : { store, connectionId };
    const client = createClient(
      context.ports(),
      connection,
      ledger === null ? null : { ...ledger, readOnly: use === 'read' },
    );
    return await work({ client, workspace, ledger });
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    store?.close();
  }
}
