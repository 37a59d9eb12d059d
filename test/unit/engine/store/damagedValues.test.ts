/** Damage that SQLite's own check does not see: a word in a row that is none of ours costs this row, or less, and nothing else. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { standardRule } from '../../../../main/engine/core/contract.ts';
import { readWaits } from '../../../../main/engine/status/waits.ts';
import { openLedger } from '../../../../main/engine/store/ledger.ts';
import { itemById } from '../../../../main/engine/store/tables/items.ts';
import { openStore } from '../../../../main/engine/store/store.ts';
import { readMeta } from '../../../../main/engine/store/meta.ts';
import { watchesOf } from '../../../../main/engine/store/tables/watches.ts';
import { SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { transferById } from '../../../../main/engine/store/tables/transfers.ts';
import { scratch } from '../../../helpers/scratch.ts';

/** Two rows in each table that has a state. */
const ROWS = `
  INSERT INTO connections (id, api_url, workspace, projects_url)
    VALUES (1, 'http://127.0.0.1:1', 'demo', 'http://127.0.0.1:1');
  INSERT INTO destinations (id, connection_id, name) VALUES (1, 1, 'cups');
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO batches (id, connection_id, base_id, generation, batch_id, kind, mode, state, created_here, created_at, state_at)
    SELECT id, 1, 'cups', id, 'cups-' || id, 'image', 'bulk', 'open', 1, 1, 1 FROM ids;
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO watches (id, connection_id, destination_id, directory, rule, state, added_at, state_at)
    SELECT id, 1, 1, '/camera', '${JSON.stringify(standardRule('/camera', 'cups'))}', 'active', 1, 1 FROM ids;
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO transfers (id, batch_row, kind, state, size_bytes, state_at)
    SELECT id, id, 'image', 'sending', 5, 1 FROM ids;
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO items (id, destination_id, path, relative_path, size_bytes, stamp, state, batch_row, transfer_id, found_at, state_at)
    SELECT id, 1, '/camera/' || id, id, 5, '5:-2:3:4', 'sending', id, id, 1, 1 FROM ids;
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO jobs (id, connection_id, batch_id, job_id, body, state, created_at, state_at)
    SELECT id, 1, 'cups', 'job-' || id, '{}', 'planned', 1, 1 FROM ids;
  WITH ids (id) AS (VALUES (1), (2))
    INSERT INTO outputs (id, connection_id, batch_id, part, file_name, occurrence, target, path, unpack, state, state_at)
    SELECT id, 1, 'out', '', 'a.csv', id, '/t', '/t/a.csv', 0, 'listed', 1 FROM ids;
`;

/** The path of a ledger with these rows, and with what this changes. */
function ledgerWith(sql: string): string {
  const path = join(scratch(), 'ledger.db');
  openStore(path).close();
  write(path, `${ROWS}; ${sql}`);
  return path;
}

function opened(path: string): ReturnType<typeof openLedger> {
  const ledger = openLedger(path, 1);
  onTestFinished(() => ledger.store.close());
  return ledger;
}

/** Writes to a closed ledger. */
function write(path: string, sql: string): void {
  const ledger = new DatabaseSync(path);
  ledger.exec(sql);
  ledger.close();
}

test.each(['watches', 'transfers', 'items', 'jobs', 'outputs'])(
  'a damaged word in %s costs this row',
  (table) => {
    const path = ledgerWith('');
    const whole = openLedger(path, 1);
    whole.store.close();
    expect(whole.salvage).toBeNull();
    write(path, `UPDATE ${table} SET state = 'damaged' WHERE id = 1`);
    const { store, salvage } = opened(path);
    expect(salvage).not.toBeNull();
    expect(store.ids(`SELECT id FROM ${table} ORDER BY id`)).toEqual([2]);
    // Nothing waits for the transfer of a lost file.
    if (table === 'items') expect(store.ids('SELECT id FROM transfers')).toEqual([2]);
  },
);

test.each(['damaged', '5::2:3:4', '5:2:3'])(
  'of an item with the stamp %s only the stamp is lost',
  (stamp) => {
    const change = `UPDATE items SET stamp = '${stamp}' WHERE id = 1`;
    const { store, salvage } = opened(ledgerWith(change));
    expect(salvage).toBeNull();
    expect(itemById(store, 1)).toMatchObject({ state: 'sending', stamp: '' });
    expect(itemById(store, 2)).toMatchObject({ stamp: '5:-2:3:4' });
  },
);

test.each([
  ['watches', `rule = '{"directory"'`],
  ['jobs', `job_id = '?'`],
  ['jobs', `body = '{'`],
])('in %s, %s costs this row', (table, change) => {
  const path = ledgerWith(`UPDATE ${table} SET ${change} WHERE id = 1`);
  const { store, salvage } = opened(path);
  expect(salvage).not.toBeNull();
  expect(store.ids(`SELECT id FROM ${table} ORDER BY id`)).toEqual([2]);
});

test('a command that only reads names a damaged rule as damage of the ledger, not as a bug', () => {
  const store = openStore(ledgerWith(`UPDATE watches SET rule = '{"directory"' WHERE id = 1`));
  onTestFinished(() => store.close());
  expect(() => watchesOf(store, null)).toThrow(SluiceFailure);
});

test('a lost watch or transfer takes neither its batch nor its confirmed files along', () => {
  const path = ledgerWith(
    `UPDATE batches SET watch_id = 1; UPDATE items SET state = 'confirmed';
     UPDATE watches SET state = 'damaged' WHERE id = 1; UPDATE transfers SET state = 'damaged' WHERE id = 1;
     INSERT INTO meta VALUES ('drive:/media/card', '')`,
  );
  const { store } = opened(path);
  expect(store.ids('SELECT id FROM batches ORDER BY id')).toEqual([1, 2]);
  expect(store.all('SELECT id, transfer_id FROM items ORDER BY id')).toEqual([
    { id: 1, transfer_id: null },
    { id: 2, transfer_id: 2 },
  ]);
  // Without it, what is written to the drive's empty directory would be hidden once the drive is back.
  expect(readMeta(store, 'drive:/media/card')).toBe('');
});

test('an error code that is none of ours costs only the explanation', () => {
  const path = ledgerWith(
    `UPDATE items SET state = 'parked', reason = 'item.damageb'; UPDATE transfers SET last_code = 'network.lo5t';
     UPDATE batches SET hold_code = '?'; UPDATE jobs SET last_code = '?'; UPDATE outputs SET last_code = '?';
     INSERT INTO waits (connection_id, subject, code, since) VALUES (1, 'send', '?', 1)`,
  );
  const { store, salvage } = opened(path);
  expect(salvage).toBeNull();
  expect(itemById(store, 1)).toMatchObject({ state: 'parked', reason: null });
  expect(transferById(store, 1)).toMatchObject({ lastCode: null });
  expect(readWaits(store, 1, true).length).toBeGreaterThan(1);
});
