/** `sluice connections list`: the workspaces that this ledger has worked with. Needs no key. */
import { readConnections } from '../../engine/queries/connectionList.ts';
import type { Actions } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { formatTable } from '../terminal/format.ts';

export const connections: Actions = {
  list: (context) =>
    readLedger(context, (store) => {
      const known = store === null ? [] : readConnections(store);
      const rows = known.map((one) => [
        one.workspace,
        one.apiUrl,
        String(one.batches),
        String(one.files),
        String(one.confirmed),
        String(one.attention),
        String(one.jobs),
      ]);
      const columns = [
        'workspace',
        'service',
        'batches',
        'files',
        'confirmed',
        'needs you',
        'jobs',
      ];
      const lines = formatTable([columns, ...rows], 'No connections yet.');
      return context.output.result({ connections: known }, lines);
    }),
};
