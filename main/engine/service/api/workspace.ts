/** Whose workspace the key opens. */
import { fail, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { stagingPlace } from './address.ts';
import { isNotOffered, type Caller, UNCLEAR } from './caller.ts';
import { countAnswer, workspaceAnswer } from '../schemas/staging.ts';
import type { Connection, ServiceClient } from '../serviceClient.ts';

/** A batch that is requested only to learn whether the key works. */
const NO_BATCH = 'sluice-key-check';

/** The error of a service that does not name the workspace of the key. */
const UNTOLD = {
  said: 'the service does not name the workspace of the key: set SLUICE_WORKSPACE',
  untold: true,
  plain: true,
};

export type Root = Pick<ServiceClient, 'checkKey' | 'workspace'>;

export function createWorkspaceClient(caller: Pick<Caller, 'read'>, connection: Connection): Root {
  let found: string | null = connection.workspace;

  /** `GET /` is an extra; without it, one of the 18 operations shows whether the key works. */
  async function checkWithoutRoot(root: SluiceError, signal: AbortSignal): Promise<Result<string>> {
    if (found === null) {
      // Not service.notFound, whose text is about a batch or a job.
      if (!UNCLEAR.includes(root.code)) return fail('usage.invalid', UNTOLD);
      // The answer may come from a proxy, or from a service that does not name the workspace.
      const untold = isNotOffered(root) || Number(root.context['status']) < 300;
      return { ok: false, error: { ...root, context: { ...root.context, untold } } };
    }
    const place = stagingPlace([NO_BATCH, 'count']);
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
  };
}
