/** What is written together is told of together, and not before it is on disk. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { shareTransactions } from '../../../main/engine/store/sharedTransactions.ts';

function createScene() {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE rows (value TEXT)');
  const commits: number[] = [];
  const syncs: PromiseWithResolvers<void>[] = [];
  const count = (): number =>
    Number(database.prepare('SELECT count(*) AS n FROM rows').get()?.['n']);
  const transaction = <T>(work: () => T): T => {
    database.exec('BEGIN');
    const value = work();
    database.exec('COMMIT');
    commits.push(count());
    return value;
  };
  const shared = shareTransactions({
    database,
    transaction,
    unsynced: transaction,
    sync: () => {
      const made = Promise.withResolvers<void>();
      syncs.push(made);
      return made.promise;
    },
    syncNow: () => syncs.at(-1)?.resolve(),
  });
  const told: string[] = [];
  const write = (value: string): Promise<void> =>
    shared
      .soon(() => database.prepare('INSERT INTO rows VALUES (?)').run(value))
      .then(() => void told.push(value));
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { shared, commits, syncs, told, write, turns };
}

describe('shared transactions', () => {
  test('tell nobody before the disk has it', async () => {
    const { write, turns, syncs, told, commits } = createScene();
    const both = Promise.all([write('a'), write('b')]);
    await turns();
    expect(commits).toEqual([2]);
    expect(told).toEqual([]);
    syncs[0]?.resolve();
    await both;
    expect(told).toEqual(['a', 'b']);
  });

  test('gather what comes while the disk works into the next one', async () => {
    const { write, turns, syncs, told, commits } = createScene();
    const first = write('a');
    await turns();
    const rest = Promise.all([write('b'), write('c')]);
    await turns();
    expect(commits).toEqual([1]);
    syncs[0]?.resolve();
    await first;
    await turns();
    expect(commits).toEqual([1, 3]);
    expect(told).toEqual(['a']);
    syncs[1]?.resolve();
    await rest;
    expect(syncs).toHaveLength(2);
  });

  test('fail when the disk does, and go on with the next', async () => {
    const { write, turns, syncs, told } = createScene();
    const lost = write('a').catch((error: unknown) => error);
    await turns();
    syncs[0]?.reject(new Error('disk'));
    expect(await lost).toMatchObject({ message: 'disk' });
    const next = write('b');
    await turns();
    syncs[1]?.resolve();
    await next;
    expect(told).toEqual(['b']);
  });

  test('are on disk when the ledger ends, those under way included', async () => {
    const { shared, write, turns, told, commits } = createScene();
    const first = write('a');
    await turns();
    const second = write('b');
    shared.end();
    await Promise.all([first, second]);
    expect(told).toEqual(['a', 'b']);
    expect(commits).toEqual([1, 2]);
  });
});
