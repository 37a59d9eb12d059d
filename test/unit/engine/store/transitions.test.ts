/** Every legal state change works; every other one throws and writes nothing. */
import { describe, expect, test } from 'vitest';
import { SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { addJob } from '../../../../main/engine/store/tables/jobs.ts';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import { addOutput } from '../../../../main/engine/store/tables/outputs.ts';
import type { Store } from '../../../../main/engine/store/store.ts';
import {
  confirmItems,
  MOVES,
  move,
  moveItem,
  moveItemsOf,
  moveToPlaces,
  moveTransfers,
} from '../../../../main/engine/store/transitions.ts';
import { thrownCode } from '../../../helpers/results.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';

/** Tables, and how a row of each is created; a watch needs more than a row and has its own tests. */
const MAKERS = {
  items: (ledger: TestLedger) => ledger.item('a.jpg'),
  transfers: (ledger: TestLedger) => ledger.transfer(ledger.batch(), ['a.jpg']).id,
  batches: (ledger: TestLedger) => ledger.batch().id,
  jobs: ({ store, connectionId }: TestLedger) => {
    const jobId = jobIdFrom('a-job');
    if (jobId === null) throw new Error('a legal id');
    const job = { connectionId, batchId: 'b', jobId, name: null, body: {}, downloadTo: null };
    return addJob(store, job, 1).id;
  },
  outputs: ({ store, connectionId }: TestLedger) => {
    const key = {
      connectionId,
      batchId: 'b',
      part: '',
      fileName: 'f',
      occurrence: 0,
      target: '/t',
    };
    return addOutput(store, { ...key, path: '/t/files/f', unpack: false, object: null }, 1).id;
  },
} as const;

type Tested = keyof typeof MAKERS;
const TABLES: readonly Tested[] = ['items', 'transfers', 'batches', 'jobs', 'outputs'];

function stateOf(store: Store, table: string, id: number): readonly unknown[] {
  const row = store.get(`SELECT state, state_at FROM ${table} WHERE id = ?`, id);
  return [row?.['state'], row?.['state_at']];
}

describe.each(TABLES)('%s', (table) => {
  const moves: Readonly<Record<string, readonly string[]>> = MOVES[table];
  const states = Object.keys(moves);

  test('move as the table says, and in no other way', () => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const id = MAKERS[table](ledger);
    const attempt: (to: string) => string | null = (to) =>
      thrownCode(() =>
        store.transaction(() => Reflect.apply(move, null, [store, table, id, to, 77])),
      );
    for (const from of states) {
      for (const to of states) {
        store.run(`UPDATE ${table} SET state = ?, state_at = 5 WHERE id = ?`, from, id);
        const isLegal = moves[from]?.includes(to) === true;
        expect(attempt(to), `${from} → ${to}`).toBe(isLegal ? null : 'bug.illegalTransition');
        expect(stateOf(store, table, id), `${from} → ${to}`).toEqual(
          isLegal ? [to, 77] : [from, 5],
        );
      }
    }
  });

  test('an unknown state means a damaged ledger', () => {
    const ledger = createTestLedger();
    const id = MAKERS[table](ledger);
    // Some tables check the state themselves; a damaged file checks nothing.
    ledger.store.get('PRAGMA ignore_check_constraints = ON');
    ledger.store.run(`UPDATE ${table} SET state = 'somewhere' WHERE id = ?`, id);
    const to = states[0] ?? '';
    const act = (): unknown => Reflect.apply(move, null, [ledger.store, table, id, to, 77]);
    expect(thrownCode(act)).toBe('store.corrupt');
  });

  test('a missing row means a damaged ledger', () => {
    const { store } = createTestLedger();
    const to = states[0] ?? '';
    expect(thrownCode(() => Reflect.apply(move, null, [store, table, 4711, to, 1]))).toBe(
      'store.corrupt',
    );
  });
});

test('each state can be reached from the first, and resting states end there', () => {
  for (const table of TABLES) {
    const moves: Readonly<Record<string, readonly string[]>> = MOVES[table];
    const [first = ''] = Object.keys(moves);
    const reached = new Set([first]);
    for (const state of reached) for (const next of moves[state] ?? []) reached.add(next);
    expect([...reached].sort()).toEqual(Object.keys(moves).sort());
  }
  // Only another computer's file with the same name revokes a confirmation, or the person who gave it.
  expect(MOVES.items.confirmed).toEqual(['sent', 'queued', 'parked']);
});

describe('items of a transfer', () => {
  test('move together, and those in other states stay', () => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const { id, itemIds } = ledger.transfer(ledger.batch(), ['a.jpg', 'b.jpg', 'c.jpg']);
    const [, second = 0] = itemIds;
    moveItem(store, second, 'skipped', 2, { code: 'item.gone', detail: null });
    expect(moveItemsOf(store, [id], ['planned'], 'sending', 3)).toBe(2);
    const states = itemIds.map((item) => stateOf(store, 'items', item)[0]);
    expect(states).toEqual(['sending', 'skipped', 'sending']);
  });

  test('a move that is illegal from one of the states moves none of them', () => {
    const ledger = createTestLedger();
    const { id, itemIds } = ledger.transfer(ledger.batch(), ['a.jpg', 'b.jpg']);
    const act = (): unknown =>
      moveItemsOf(ledger.store, [id], ['planned', 'confirmed'], 'sending', 3);
    expect(thrownCode(act)).toBe('bug.illegalTransition');
    expect(itemIds.map((item) => stateOf(ledger.store, 'items', item)[0])).toEqual([
      'planned',
      'planned',
    ]);
  });

  test('only a queued item takes a place in a manifest', () => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const batch = ledger.batch();
    const { id: transferId } = ledger.transfer(batch, []);
    const id = ledger.item('b.jpg');
    const [first, second] = [id, ledger.item('c.jpg')].map((itemId, index) => {
      const name = index === 0 ? 'b.jpg' : 'c.jpg';
      return { itemId, name, nameKey: name };
    });
    if (first === undefined || second === undefined) throw new Error('both are there');
    moveToPlaces(store, batch.id, [{ transferId, members: [first] }], 7);
    const row = (): unknown =>
      store.get('SELECT state, name, position FROM items WHERE id = ?', id);
    expect(row()).toMatchObject({ state: 'planned', name: 'b.jpg', position: 0 });
    const again = { ...first, name: 'd.jpg' };
    const both = [{ transferId, members: [second, again] }];
    expect(() => moveToPlaces(store, batch.id, both, 8)).toThrow(SluiceFailure);
    expect(row()).toMatchObject({ state: 'planned', name: 'b.jpg' });
  });

  test('only what is sent is confirmed with its batch', () => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const batch = ledger.batch();
    const sent = ledger.transfer(batch, ['a.jpg']);
    const unknown = ledger.transfer(batch, ['b.jpg']);
    for (const { id } of [sent, unknown]) {
      move(store, 'transfers', id, 'sending', 1);
      moveItemsOf(store, [id], ['planned'], 'sending', 1);
    }
    move(store, 'transfers', sent.id, 'sent', 2);
    moveItemsOf(store, [sent.id], ['sending'], 'sent', 2);
    move(store, 'transfers', unknown.id, 'unknown', 2);
    moveItemsOf(store, [unknown.id], ['sending'], 'unknown', 2);
    expect(confirmItems(store, [...sent.itemIds, ...unknown.itemIds], 3)).toBe(1);
    expect(stateOf(store, 'items', sent.itemIds[0] ?? 0)).toEqual(['confirmed', 3]);
    expect(stateOf(store, 'items', unknown.itemIds[0] ?? 0)).toEqual(['unknown', 2]);
    expect(stateOf(store, 'transfers', unknown.id)).toEqual(['unknown', 2]);
  });

  test('a reason is kept when an item rests, and forgotten when it moves on', () => {
    const ledger = createTestLedger();
    const id = ledger.item('a.jpg');
    const reason = (): unknown =>
      ledger.store.get('SELECT reason, detail FROM items WHERE id = ?', id);
    moveItem(ledger.store, id, 'parked', 2, { code: 'item.truncated', detail: '{"bytes":1}' });
    expect(reason()).toEqual({ reason: 'item.truncated', detail: '{"bytes":1}' });
    moveItem(ledger.store, id, 'queued', 3);
    expect(reason()).toEqual({ reason: null, detail: null });
  });
});

test('many rows move by their ids, however many others are in the same state', () => {
  const ledger = createTestLedger();
  const said: string[] = [];
  const store: Store = {
    ...ledger.store,
    run: (sql, ...values) => {
      said.push(sql);
      return ledger.store.run(sql, ...values);
    },
  };
  const { id } = ledger.transfer(ledger.batch(), ['a.jpg']);
  moveTransfers(store, [id], 'sending', 2, 'attempts = attempts + 1');
  expect(stateOf(store, 'transfers', id)).toEqual(['sending', 2]);
  const plan = store.all(`EXPLAIN QUERY PLAN ${said.join(' ')}`).map(({ detail }) => detail);
  expect(plan[0]).toMatch(/^SEARCH transfers USING INTEGER PRIMARY KEY/);
  // One that may not move keeps all of them where they are.
  expect(() => moveTransfers(store, [id], 'sending', 3)).toThrow(SluiceFailure);
});
