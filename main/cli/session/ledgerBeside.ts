/** The ledger of a connection for a command that writes into it beside its owner. */
import type { Result } from '../../../preload/errorCodes.ts';
import type { ServiceClient } from '../../engine/connect.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail } from '../../engine/errors.ts';
import { withClient } from './beside.ts';
import type { CommandContext } from './context.ts';

/** What such a command works with. */
export interface LedgerBeside {
  readonly store: Engine['store'];
  readonly connectionId: number;
  readonly client: ServiceClient;
}

/** Runs the work with the ledger as it is, or with null where it knows nothing of this connection. Writes nothing. Errors as withClient. */
export function withLedgerToRead(
  context: CommandContext,
  work: (ledger: Omit<LedgerBeside, 'client'> | null) => Promise<Result<number>>,
): Promise<Result<number>> {
  return withClient(context, 'read', ({ ledger }) => work(ledger));
}

/** Runs the work with the ledger, which is made when it is not there. Errors as withClient. */
export function withLedgerBeside(
  context: CommandContext,
  work: (beside: LedgerBeside) => Promise<Result<number>>,
): Promise<Result<number>> {
  return withClient(context, 'needed', ({ client, ledger }) =>
    ledger === null
      ? Promise.resolve(fail('store.corrupt', { path: context.dataDirectory }))
      : work({ ...ledger, client }),
  );
}
