/** Whose workspace the key opens. */
import { fail, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { stagingPlace, type Place } from './address.ts';
import { isNotOffered, type Caller, UNCLEAR } from './caller.ts';
import type { Schema } from './sending.ts';
import { countAnswer, workspaceAnswer } from '../schemas/staging.ts';
import type { Connection, ServiceClient } from '../serviceClient.ts';

/** A batch that is requested only to learn whether the key works. */
const NO_BATCH = 'sluice-key-check';

/** What knows the workspace of the key. */
export type Root = Pick<ServiceClient, 'workspace'>;

/** Runs an operation with the workspace, or returns why it is not known. */
export async function inWorkspace<T>(
  client: Root,
  signal: AbortSignal,
  operation: (workspace: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const workspace = await client.workspace(signal);
  return workspace.ok ? operation(workspace.value) : workspace;
}

/** Makes the reader for one family of resources in the key's workspace. */
export function createRead(
  caller: Caller,
  root: Root,
  placeIn: (workspace: string, rest: readonly string[], query?: Place['query']) => Place,
) {
  return <T>(
    operation: string,
    rest: readonly string[],
    query: Place['query'],
    schema: Schema<T>,
    signal: AbortSignal,
  ): Promise<Result<T>> =>
    inWorkspace(root, signal, (workspace) =>
      caller.read(operation, placeIn(workspace, rest, query), schema, signal),
    );
}

export function createWorkspaceClient(caller: Caller, connection: Connection) {
  let found: string | null = connection.workspace;

  /** `GET /` is an extra; without it, one of the 18 operations shows whether the key works. */
  async function checkWithoutRoot(root: SluiceError, signal: AbortSignal): Promise<Result<string>> {
    if (found === null) {
      if (!UNCLEAR.includes(root.code))
        return fail('service.notFound', { reason: 'workspace not stated' });
      // It may come from a proxy, or from a service that does not name the workspace.
      const untold = isNotOffered(root) || Number(root.context['status']) < 300;
      return { ok: false, error: { ...root, context: { ...root.context, untold } } };
    }
    const place = stagingPlace(found, [NO_BATCH, 'count']);
    const asked = await caller.read('checkKey', place, countAnswer, signal);
    return asked.ok || isNotOffered(asked.error) ? ok(found) : asked;
  }

  async function checkKey(signal: AbortSignal): Promise<Result<string>> {
    const place = { family: 'pipeline', segments: [] } as const;
    const asked = await caller.read('checkKey', place, workspaceAnswer, signal);
    if (asked.ok) {
      found ??= asked.value;
      return asked;
    }
    // A page at the root may be the service's own: if the workspace is known, an operation shows who answers.
    const isUnclear = UNCLEAR.includes(asked.error.code);
    return isUnclear || isNotOffered(asked.error) ? checkWithoutRoot(asked.error, signal) : asked;
  }

  return {
    checkKey,
    workspace: async (signal) => (found === null ? checkKey(signal) : ok(found)),
  } satisfies Partial<ServiceClient>;
}
