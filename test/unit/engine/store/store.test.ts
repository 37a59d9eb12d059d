/** The ledger's file: transactions, migrations, what it refuses, and who owns it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { openLedger } from '../../../../main/engine/store/ledger.ts';
import { readMeta, writeMeta } from '../../../../main/engine/store/meta.ts';
import { takeOwnership } from '../../../../main/engine/store/ownership.ts';
import { migrations } from '../../../../main/engine/store/migrate.ts';
import { openStore, type Store } from '../../../../main/engine/store/store.ts';
import { storeFailure } from '../../../../main/engine/store/storeFailure.ts';
import { addWatch, watchesOf } from '../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { thrownCode } from '../../../helpers/results.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

function opened(path: string): Store {
  const store = openStore(path);
  onTestFinished(() => store.close());
  return store;
}

const NEWEST = migrations().at(-1)?.version;

const alive = (store: Store): string | null => readMeta(store, 'serviceClock:1');

describe('transactions', () => {
  test('that throw write nothing, nested ones included', () => {
    const { store } = createTestLedger();
    const act = (): void =>
      store.transaction(() => {
        writeMeta(store, 'serviceClock:1', '1');
        store.transaction(() => writeMeta(store, 'serviceClock:1', '2'));
        throw new Error('no');
      });
    expect(act).toThrow('no');
    expect(alive(store)).toBeNull();
    store.transaction(() => writeMeta(store, 'serviceClock:1', '3'));
    expect(alive(store)).toBe('3');
  });

  test('that wait together are one, and one that throws takes only its own back', async () => {
    const { store } = createTestLedger();
    const results = await Promise.allSettled([
      store.soon(() => writeMeta(store, 'serviceClock:1', '1')),
      store.soon(() => {
        writeMeta(store, 'cleanStop', 'x');
        throw new Error('mine');
      }),
      store.soon(() => alive(store)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[2]).toMatchObject({ value: '1' });
    expect(readMeta(store, 'cleanStop')).toBeNull();
  });

  test('that still wait when the ledger closes are written', async () => {
    const path = join(scratch(), 'ledger.db');
    const store = openStore(path);
    const waiting = store.soon(() => writeMeta(store, 'serviceClock:1', '9'));
    store.close();
    await waiting;
    expect(alive(opened(path))).toBe('9');
  });
});

describe('what SQLite says', () => {
  test.each([
    [13, 'disk.full'],
    [13 | (3 << 8), 'disk.full'],
    [10 | (19 << 8), 'disk.full'],
    [10, 'disk.failed'],
    [8, 'disk.failed'],
    [14, 'disk.failed'],
    [11, 'store.corrupt'],
    [26, 'store.corrupt'],
  ])('%i is %s', (errcode, code) => {
    const named = storeFailure(Object.assign(new Error('x'), { errcode }));
    expect(named).toBeInstanceOf(SluiceFailure);
    expect(named).toMatchObject({ error: { code } });
  });
  test('a file that cannot be opened where no more can be made is a full disk', () => {
    const failed = Object.assign(new Error('x'), { errcode: 14 });
    expect(storeFailure(failed, '/data/ledger.db', () => 0)).toMatchObject({
      error: { code: 'disk.full', context: { said: 'no more files can be made in /data' } },
    });
  });
  test('anything else stays what it is', () => {
    const other = Object.assign(new Error('constraint'), { errcode: 19 });
    expect(storeFailure(other)).toBe(other);
    expect(storeFailure('text')).toBe('text');
  });
  test('of a single statement leaves with its name', () => {
    const path = join(scratch(), 'ledger.db');
    opened(path);
    const reader = openStore(path, 'read');
    onTestFinished(() => reader.close());
    expect(thrownCode(() => reader.run(`INSERT INTO meta VALUES ('a', 'b')`))).toBe('disk.failed');
  });
});

test('a file that another program overwrites while it is open is a damaged ledger, whatever is asked first', () => {
  const path = join(scratch(), 'ledger.db');
  const store = opened(path);
  const other = openStore(path, 'shared');
  onTestFinished(() => other.close());
  // Otherwise what is in memory still counts.
  other.transaction(() => writeMeta(other, 'serviceClock:1', '1'));
  other.get('PRAGMA wal_checkpoint(TRUNCATE)');
  writeFileSync(path, 'x'.repeat(8192));
  expect(thrownCode(() => store.changeMark())).toBe('store.corrupt');
  expect(store.damaged()).toBe(true);
});

describe('a ledger file', () => {
  test('is made with every migration, and opened again without any', () => {
    const path = join(scratch(), 'ledger.db');
    const versions = migrations().map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    const version = (): unknown => opened(path).get('PRAGMA user_version')?.['user_version'];
    expect(version()).toBe(NEWEST);
    expect(version()).toBe(NEWEST);
  });

  test('that is new has what all migrations make, and nothing else', async () => {
    const migrated = new DatabaseSync(':memory:');
    onTestFinished(() => migrated.close());
    for (const { sql } of migrations()) migrated.exec(sql);
    const schema = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid';
    const parts = migrated.prepare(schema).all();
    const lines = parts.flatMap(({ sql }) => (typeof sql === 'string' ? [`${sql};\n`] : []));
    const about =
      '-- What a new ledger is made of: the result of all migrations. Written by the test (vitest -u).\n';
    await expect([about, ...lines].join('\n')).toMatchFileSnapshot(
      '../../../../main/engine/store/migrations/newest.sql',
    );
    expect(opened(join(scratch(), 'ledger.db')).all(schema)).toEqual(parts);
    const tables = parts.filter(({ type }) => type === 'table');
    for (const { name } of tables)
      expect(migrated.prepare(`SELECT * FROM ${String(name)}`).all()).toEqual([]);
  });

  test('made while step 4 still made the planning index has it already', () => {
    const path = join(scratch(), 'ledger.db');
    const old = new DatabaseSync(path);
    for (const { version, sql } of migrations()) if (version <= 5) old.exec(sql);
    old.exec('PRAGMA user_version = 4');
    old.close();
    expect(opened(path).get('PRAGMA user_version')?.['user_version']).toBe(NEWEST);
  });

  test('of a later program is refused and left as it is', () => {
    const path = join(scratch(), 'ledger.db');
    openStore(path).close();
    const later = new DatabaseSync(path);
    later.exec('PRAGMA user_version = 999');
    later.close();
    const before = readFileSync(path);
    expect(thrownCode(() => openStore(path))).toBe('store.newer');
    expect(thrownCode(() => openLedger(path, 1))).toBe('store.newer');
    expect(thrownCode(() => openStore(path, 'read'))).toBe('store.newer');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is read where readers can make no file next to it, as on a read-only disk', () => {
    const path = join(scratch(), 'ledger.db');
    const store = openStore(path);
    store.run(`INSERT INTO meta VALUES ('a', 'b')`);
    store.close();
    mkdirSync(`${path}-shm`);
    const reader = openStore(path, 'read');
    onTestFinished(() => reader.close());
    expect(reader.get(`SELECT value FROM meta WHERE key = 'a'`)).toEqual({ value: 'b' });
  });

  test('is read in a folder in which this user may make no files', () => {
    const directory = scratch();
    const path = join(directory, 'ledger.db');
    openStore(path).close();
    chmodSync(path, 0o444);
    chmodSync(directory, 0o555);
    // Root may write everywhere.
    const user = process.getuid?.() ?? 1;
    if (user === 0) process.seteuid?.(65_534);
    onTestFinished(() => {
      if (user === 0) process.seteuid?.(user);
      chmodSync(directory, 0o755);
    });
    const reader = openStore(path, 'read');
    expect(reader.get('SELECT count(*) AS n FROM items')).toEqual({ n: 0 });
    reader.close();
  });

  test('that was moved away or replaced is noticed: another program may work in its place', () => {
    const [directory, other] = [join(scratch(), 'data'), join(scratch(), 'other')];
    mkdirSync(directory);
    const store = openStore(join(directory, 'ledger.db'));
    onTestFinished(() => store.close());
    const check = (): string | null => thrownCode(() => store.checkPlace());
    expect(check()).toBeNull();
    renameSync(directory, other);
    expect(check()).toBe('disk.missing');
    cpSync(other, directory, { recursive: true });
    expect(check()).toBe('disk.missing');
    rmSync(directory, { recursive: true });
    renameSync(other, directory);
    expect(check()).toBeNull();
  });

  test('that is not a ledger is moved aside, never deleted', () => {
    const path = join(scratch(), 'ledger.db');
    const garbage = Buffer.alloc(9000, 'garbage');
    writeFileSync(path, garbage);
    const { store, salvage } = openLedger(path, 1234);
    onTestFinished(() => store.close());
    expect(salvage).toEqual({ setAside: `${path}.damaged-1234`, rowsSaved: 0 });
    expect(readFileSync(`${path}.damaged-1234`).equals(garbage)).toBe(true);
  });

  test.each([
    ['a crash', '0'],
    ['a clean stop', '1'],
  ])(
    'that is damaged after %s gives back the rows that can be read, and no batch counts as created here',
    (_when, clean) => {
      const ledger = createTestLedger();
      const batch = ledger.batch();
      // A watch that a person set up, and a batch that belongs to it.
      const rule = standardRule('/camera', 'camera');
      const watch = addWatch(ledger.store, ledger.connectionId, rule, 'camera', false, 1);
      ledger.store.run('UPDATE batches SET watch_id = ?', watch.id);
      for (const key of ['a', 'b']) ledger.store.run('INSERT INTO settings VALUES (?, 1)', key);
      for (let number = 0; number < 600; number += 1)
        ledger.item(`/some/long/path/number-${number}.jpg`);
      ledger.store.get('PRAGMA wal_checkpoint(TRUNCATE)');
      const path = join(ledger.directory, 'copy.db');
      copyFileSync(join(ledger.directory, 'ledger.db'), path);
      const bytes = readFileSync(path);
      // Damage in the middle, after the schema's pages.
      const page = 4096 * Math.floor(statSync(path).size / 4096 / 2);
      bytes.fill(0xff, page, page + 4096);
      writeFileSync(path, bytes);
      const damaged = new DatabaseSync(path);
      damaged.exec(`INSERT OR REPLACE INTO meta VALUES ('cleanStop', '${clean}')`);
      damaged.close();
      const { store, salvage } = openLedger(path, 1);
      onTestFinished(() => store.close());
      expect(salvage).not.toBeNull();
      expect(salvage?.rowsSaved).toBeGreaterThan(100);
      expect(store.get('SELECT created_here FROM batches WHERE id = ?', batch.id)).toEqual({
        created_here: 0,
      });
      expect(watchesOf(store, ledger.connectionId).map((one) => one.rule)).toEqual([rule]);
      expect(store.all('SELECT key FROM settings ORDER BY key')).toHaveLength(2);
      expect(store.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok');
    },
  );
});

describe('ownership', () => {
  test('has one owner at a time, which is named to the second', () => {
    const directory = scratch();
    const first = takeOwnership(directory, 'pid 1 (first)');
    const second = takeOwnership(directory, 'pid 2 (second)');
    expect(second).toMatchObject({
      ok: false,
      error: { code: 'store.owned', context: { said: 'pid 1 (first)' } },
    });
    if (first.ok) first.value.release();
    const third = takeOwnership(directory, 'pid 3 (third)');
    expect(third.ok).toBe(true);
    if (third.ok) third.value.release();
  });

  test.each([
    ['is no database', Buffer.from('not a lock '.repeat(500))],
    ['is cut off', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(3000, 7)])],
  ])('is taken when the file of the lock %s', (_, damage) => {
    const directory = scratch();
    writeFileSync(join(directory, 'lock.db'), damage);
    const first = takeOwnership(directory, 'pid 1 (first)');
    expect(first.ok).toBe(true);
    expect(takeOwnership(directory, 'pid 2 (second)')).toMatchObject({
      ok: false,
      error: { code: 'store.owned', context: { said: 'pid 1 (first)' } },
    });
    if (first.ok) first.value.release();
  });

  test('is freed by the kernel when the owner dies', async () => {
    const directory = scratch();
    const module = new URL('../../../../main/engine/store/ownership.ts', import.meta.url).href;
    const code = `const { takeOwnership } = await import(${JSON.stringify(module)});
      const taken = takeOwnership(${JSON.stringify(directory)}, 'a child');
      process.stdout.write(taken.ok ? 'taken' : 'refused');
      setInterval(() => taken, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('taken');
    expect(takeOwnership(directory, 'a test')).toMatchObject({
      ok: false,
      error: { context: { said: 'a child' } },
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const freed = takeOwnership(directory, 'a test');
    expect(freed.ok).toBe(true);
    if (freed.ok) freed.value.release();
  });
});
