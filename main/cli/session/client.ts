/** Commands that work while another process owns the ledger: their client, and the ledger itself. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { openShared, openIfExists } from '../../engine/host/openLedger.ts';
import {
  connectionByAddress,
  createClient,
  ensureConnection,
  type ServiceClient,
} from '../../engine/runner/connect.ts';
import { errorOf, fail, ok } from '../../engine/core/errors.ts';
import { type Store } from '../../engine/queries/overview.ts';
import { projectFrom } from '../terminal/oneOf.ts';
import {
  type CommandContext,
  type Connected,
  type End,
  openClient,
  resolveWorkspace,
} from './context.ts';
import { readLedger } from './ledger.ts';

export interface ClientAccess {
  readonly client: ServiceClient;
  readonly workspace: string;
  /** The ledger and the connection's row in it; null when there is no ledger, or it cannot be opened. */
  readonly ledger: { readonly store: Store; readonly connectionId: number } | null;
}

/** How a command uses the ledger. if-exists: only one that is there. create: makes one. needed: as `create`; others work without it if it cannot be opened. */
export type LedgerUse = 'if-exists' | 'create' | 'needed';

function openLedger(
  { dataDirectory, output }: CommandContext,
  use: LedgerUse,
): Result<Store | null> {
  try {
    return ok(use === 'if-exists' ? openIfExists(dataDirectory) : openShared(dataDirectory));
  } catch (thrown) {
    const error = errorOf(thrown);
    if (use === 'needed') return { ok: false, error };
    output.say(`Continuing without the local ledger. ${explain(error).message}`);
    return ok(null);
  }
}

/** Runs the work with what the ledger has of a connection; null when it has nothing. Writes nothing. Errors: as readLedger. */
export async function readOwn(
  context: CommandContext,
  { client, connection }: Connected,
  work: (ledger: ClientAccess['ledger']) => End,
): Promise<Result<number>> {
  const workspace = await resolveWorkspace(context, client);
  if (!workspace.ok) return workspace;
  return readLedger(context, (store) => {
    if (store === null) return work(null);
    const connectionId = connectionByAddress(store, connection.apiUrl, workspace.value);
    return work(connectionId === null ? null : { store, connectionId });
  });
}

/**
 * Runs the work with a client that knows the service's dialect from earlier commands. Errors: usage.invalid, auth.rejected, network.*,
 * store.* and disk.* when the ledger is needed, and those of the work.
 */
export async function withClient(
  context: CommandContext,
  use: LedgerUse,
  work: (access: ClientAccess) => End,
): Promise<Result<number>> {
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const resolved = await resolveWorkspace(context, connected.value.client);
  if (!resolved.ok) return resolved;
  const workspace = resolved.value;
  const connection = { ...connected.value.connection, workspace };
  const opened = openLedger(context, use);
  if (!opened.ok) return opened;
  const store = opened.value;
  try {
    const ledger = store && { store, connectionId: ensureConnection(store, connection) };
    const client = createClient(await context.ports(), connection, ledger);
    return await work({ client, workspace, ledger });
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    store?.close();
  }
}

/** For a command that writes to the ledger while another process may own it. */
type LedgerAccess = Omit<ClientAccess, 'ledger'> & NonNullable<ClientAccess['ledger']>;

/** Runs the work with the ledger, created if there is none. Errors: as withClient. */
export function withClientAndLedger(
  context: CommandContext,
  work: (access: LedgerAccess) => End,
): Promise<Result<number>> {
  return withClient(context, 'needed', ({ client, workspace, ledger }) =>
    ledger === null
      ? fail('store.corrupt', { path: context.dataDirectory })
      : work({ ...ledger, client, workspace }),
  );
}

/** Runs the work for the project that a word names: `slug` or `workspace/slug`. Errors: usage.invalid, and as withClient. */
export async function withProject(
  context: CommandContext,
  use: LedgerUse,
  word: string,
  work: (project: string, access: ClientAccess) => End,
): Promise<Result<number>> {
  // Errors that can be found without the service are reported first.
  const early = projectFrom(word, null);
  if (!early.ok) return early;
  return withClient(context, use, async (access) => {
    const project = projectFrom(word, access.workspace);
    if (!project.ok) return project;
    const done = await work(project.value, access);
    if (done.ok || done.error.code !== 'service.notFound') return done;
    // The service may say only that something is missing, or nothing at all.
    const { context } = done.error;
    const reason = context['said'] ?? context['reason'];
    const said = `project ${project.value}${reason === undefined ? '' : `: ${reason}`}`;
    return fail('service.notFound', { ...context, said });
  });
}
