/** `sluice connections list`: the workspaces that this ledger has worked with. Needs no key. */
import { readConnections } from '../../engine/queries/overview.ts';
import type { Actions } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { formatTable } from '../terminal/format.ts';

export const connections: Actions = {
  list: (context) =>
    readLedger(context, (store) => {
      const known = store === null ? [] : readConnections(store);
      const lines = formatTable(known, 'No connections yet.', [
        ['workspace', (one) => one.workspace],
        ['service', (one) => one.apiUrl],
        ['batches', (one) => one.batches],
        ['files', (one) => one.files],
        ['confirmed', (one) => one.confirmed],
        ['needs attention', (one) => one.attention],
        ['jobs', (one) => one.jobs],
      ]);
      return context.output.result({ connections: known }, lines);
    }),
};
