/** Rows that are written together are reported together, and not before they are on disk. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { shareTransactions } from '../../../../main/engine/store/groupCommit.ts';
import { openSyncer } from '../../../../main/engine/store/walSync.ts';
import { scratch } from '../../../helpers/scratch.ts';

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
  test('report nothing before the disk has it', async () => {
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

  test('fail when the disk does, and continue with the next', async () => {
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

test.skipIf(process.platform !== 'linux')(
  'a log that cannot be synced is a failure of the disk',
  async () => {
    // The system does not sync this one: EINVAL.
    const syncer = openSyncer('/dev/null');
    const failed = {
      error: { code: 'disk.failed', context: { said: '/dev/null: EINVAL' } },
    };
    await expect(syncer?.sync()).rejects.toMatchObject(failed);
    await expect(Promise.resolve().then(() => syncer?.syncNow())).rejects.toMatchObject(failed);
    syncer?.close();
  },
);

describe('a power cut', () => {
  /** A ledger on disk whose log is safe up to the bytes that it had when the last sync began. */
  function createDisk() {
    const directory = scratch();
    const path = join(directory, 'ledger.db');
    const log = `${path}-wal`;
    const database = new DatabaseSync(path);
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (value)',
    );
    const syncer = openSyncer(log);
    if (syncer === null) throw new Error('no log to sync');
    let safeBytes = statSync(log).size;
    const inTransaction = <T>(work: () => T): T => {
      database.exec('BEGIN IMMEDIATE');
      const value = work();
      database.exec('COMMIT');
      return value;
    };
    const shared = shareTransactions({
      database,
      transaction: inTransaction,
      unsynced: (work) => {
        database.exec('PRAGMA synchronous = NORMAL');
        const value = inTransaction(work);
        database.exec('PRAGMA synchronous = FULL');
        return value;
      },
      sync: async () => {
        const written = statSync(log).size;
        await syncer.sync();
        safeBytes = written;
      },
      syncNow: () => syncer.syncNow(),
    });
    let cuts = 0;
    /** What a machine would read after a restart if it lost power now. */
    const rowsAfterCut = (): readonly unknown[] => {
      cuts += 1;
      const left = join(directory, `cut-${cuts}.db`);
      copyFileSync(path, left);
      writeFileSync(`${left}-wal`, readFileSync(log).subarray(0, safeBytes));
      const found = new DatabaseSync(left);
      try {
        return found
          .prepare('SELECT value FROM rows')
          .all()
          .map(({ value }) => value);
      } finally {
        found.close();
      }
    };
    const close = (): void => {
      shared.end();
      syncer.close();
      database.close();
    };
    return { database, shared, rowsAfterCut, close };
  }

  test('at any moment loses nothing that was reported', async () => {
    const { database, shared, rowsAfterCut, close } = createDisk();
    const told: number[] = [];
    const lane = async (first: number): Promise<void> => {
      for (let value = first; value < first + 10; value += 1) {
        await shared.soon(() => database.prepare('INSERT INTO rows VALUES (?)').run(value));
        told.push(value);
        expect(rowsAfterCut()).toEqual(expect.arrayContaining(told));
      }
    };
    await Promise.all([0, 100, 200, 300].map(lane));
    expect(told).toHaveLength(40);
    close();
  });

  test('before the sync loses what was not reported: the test above can fail', async () => {
    const { database, shared, rowsAfterCut, close } = createDisk();
    let isTold = false;
    const written = shared
      .soon(() => database.prepare('INSERT INTO rows VALUES (1)').run())
      .then(() => {
        isTold = true;
      });
    while (database.prepare('SELECT 1 FROM rows').get() === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([isTold, rowsAfterCut()]).toEqual([false, []]);
    await written;
    expect(rowsAfterCut()).toEqual([1]);
    close();
  });
});
