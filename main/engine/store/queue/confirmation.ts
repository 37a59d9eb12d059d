/** What waits for the service's word, read from and written to the ledger for the step confirm. */
import { integer, oneOf, text, type Row } from '../rows.ts';
import type { Store } from '../store.ts';
import { move } from '../transitions.ts';

/** Rows of the batches that have something sent and not confirmed. */
export function batchesToConfirm(store: Store, connectionId: number): readonly number[] {
  return store
    .all(
      `SELECT id FROM batches WHERE connection_id = ?
         AND EXISTS (SELECT 1 FROM transfers WHERE transfers.batch_row = batches.id AND state = 'sent') ORDER BY id`,
      connectionId,
    )
    .map((row) => integer(row, 'id'));
}

/** How many items of a batch are in each state that matters for the service's count. */
export interface BatchTally {
  readonly sending: number;
  readonly sent: number;
  readonly unknown: number;
  readonly confirmed: number;
}

/** Counts the items of a batch. */
export function tallyBatch(store: Store, batchRow: number): BatchTally {
  const counts = new Map(
    store
      .all(
        'SELECT state, count(*) AS count FROM items WHERE batch_row = ? GROUP BY state',
        batchRow,
      )
      .map((row) => [text(row, 'state'), integer(row, 'count')]),
  );
  const of = (state: string): number => counts.get(state) ?? 0;
  return {
    sending: of('sending'),
    sent: of('sent'),
    unknown: of('unknown'),
    confirmed: of('confirmed'),
  };
}

/** True while an item of the batch is being sent, or nobody knows whether it arrived. Quick, however large the batch. */
export function somethingOnItsWay(store: Store, batchRow: number): boolean {
  return (
    store.get(
      `SELECT 1 AS moving FROM items WHERE batch_row = ? AND state IN ('sending', 'unknown') LIMIT 1`,
      batchRow,
    ) !== null
  );
}

const KINDS = ['image', 'video', 'shard'] as const;

interface Member {
  readonly transferId: number;
  readonly itemId: number;
  readonly key: string;
  readonly kind: (typeof KINDS)[number];
  readonly settled: boolean;
}

function toMember(row: Row): Member {
  return {
    transferId: integer(row, 'transfer_id'),
    itemId: integer(row, 'id'),
    key: text(row, 'name_key'),
    kind: oneOf(row, 'kind', KINDS),
    settled: text(row, 'state') !== 'sent',
  };
}

/** Every sent transfer of a batch with its members, the unsettled apart from the confirmed. */
export function awaitedTransfers(
  store: Store,
  batchRow: number,
): readonly {
  transferId: number;
  kind: 'image' | 'video' | 'shard';
  members: readonly { itemId: number; key: string }[];
  settledKeys: readonly string[];
}[] {
  const found = new Map<
    number,
    {
      transferId: number;
      kind: Member['kind'];
      members: { itemId: number; key: string }[];
      settledKeys: string[];
    }
  >();
  const rows = store.all(
    `SELECT items.id, items.transfer_id, items.name_key, items.state, transfers.kind FROM transfers
     JOIN items ON items.transfer_id = transfers.id
     WHERE transfers.batch_row = ? AND transfers.state = 'sent' ORDER BY items.transfer_id, items.position`,
    batchRow,
  );
  for (const { transferId, itemId, key, kind, settled } of rows.map(toMember)) {
    const transfer = found.get(transferId) ?? { transferId, kind, members: [], settledKeys: [] };
    found.set(transferId, transfer);
    if (settled) transfer.settledKeys.push(key);
    else transfer.members.push({ itemId, key });
  }
  return [...found.values()];
}

/** Ends the sent transfers of a batch that have no unsettled member left. */
export function closeTransfers(store: Store, batchRow: number, now: number): void {
  const rows = store.all(
    `SELECT id FROM transfers WHERE batch_row = ? AND state = 'sent'
       AND NOT EXISTS (SELECT 1 FROM items WHERE items.transfer_id = transfers.id AND items.state = 'sent')`,
    batchRow,
  );
  for (const row of rows) move(store, 'transfers', integer(row, 'id'), 'confirmed', now);
}

/**
 * True when the service must know a batch: something was listed there, or it took something since this instant (engine time).
 * What is only in doubt may never have arrived. Quick, however large the batch is.
 */
export function mustBeKnown(store: Store, batchRow: number, takenSince: number): boolean {
  return (
    store.get(
      `SELECT 1 AS known WHERE EXISTS (SELECT 1 FROM items WHERE batch_row = ?1 AND state = 'confirmed')
         OR EXISTS (SELECT 1 FROM transfers WHERE batch_row = ?1 AND state = 'sent' AND sent_at > ?2)`,
      batchRow,
      takenSince,
    ) !== null
  );
}
