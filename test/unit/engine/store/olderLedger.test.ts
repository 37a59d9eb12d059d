/** A ledger of an older version: read as it is, and not written while an older program uses it. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openShared, openIfExists, openReader } from '../../../../main/engine/host/openLedger.ts';
import { openEngine } from '../../../../main/engine/host/engine.ts';
import { SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { readProblems, readStatus } from '../../../../main/engine/queries/overview.ts';
import { migrations, newestVersion } from '../../../../main/engine/store/migrate.ts';
import { tallyBatch } from '../../../../main/engine/store/queue/confirmation.ts';
import { lostIn } from '../../../../main/engine/store/queue/lost.ts';
import { openLedger } from '../../../../main/engine/store/ledger.ts';
import { takeOwnership } from '../../../../main/engine/store/ownership.ts';
import { openStore, type Store } from '../../../../main/engine/store/store.ts';
import { itemById } from '../../../../main/engine/store/tables/items.ts';
import { outputPages } from '../../../../main/engine/store/tables/outputs.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { valueOf } from '../../../helpers/results.ts';

/** A data directory with a ledger of an earlier version: one parked file. */
function olderDirectory(version: number): string {
  const directory = scratch();
  const old = new DatabaseSync(join(directory, 'ledger.db'));
  old.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  for (const step of migrations()) if (step.version <= version) old.exec(step.sql);
  old.exec(`PRAGMA user_version = ${version};
    INSERT INTO connections (id, api_url, workspace, projects_url) VALUES (1, 'http://127.0.0.1:1', 'demo', 'http://127.0.0.1:1');
    INSERT INTO destinations (id, connection_id, name) VALUES (1, 1, 'cups');
    INSERT INTO items (id, destination_id, path, relative_path, size_bytes, stamp, state, reason, found_at, state_at)
      VALUES (7, 1, '/camera/a.jpg', 'a.jpg', 5, '1:2:3:4', 'parked', 'item.unreadable', 1, 2);`);
  old.close();
  return directory;
}

function versionIn(directory: string): unknown {
  const database = new DatabaseSync(join(directory, 'ledger.db'), { readOnly: true });
  const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
  database.close();
  return version;
}

function fileHash(directory: string): string {
  return createHash('sha256')
    .update(readFileSync(join(directory, 'ledger.db')))
    .digest('hex');
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error instanceof SluiceFailure ? error.error.code : error;
  }
  return null;
}

function kept(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}

function readerOf(directory: string): Store {
  const reader = openReader(directory);
  if (!reader.ok || reader.value === null) throw new Error('it can be read');
  return kept(reader.value);
}

const older = migrations()
  .map(({ version }) => version)
  .slice(0, -1);

describe('reading', () => {
  test('a ledger without tables changes nothing in it', () => {
    const directory = scratch();
    new DatabaseSync(join(directory, 'ledger.db')).close();
    const before = fileHash(directory);
    const store = readerOf(directory);
    expect([...readProblems(store)]).toEqual([]);
    expect(readStatus(store, 0)).toEqual([]);
    expect(versionIn(directory)).toBe(0);
    expect(fileHash(directory)).toBe(before);
  });

  test('a ledger of this version cannot write', () => {
    const directory = scratch();
    openStore(join(directory, 'ledger.db')).close();
    const store = kept(openStore(join(directory, 'ledger.db'), 'read'));
    expect(failureOf(() => store.run(`INSERT INTO settings VALUES ('a', '1')`))).toBe(
      'disk.failed',
    );
  });

  test('sees what an owner of the older version writes meanwhile', () => {
    const directory = olderDirectory(5);
    const owner = new DatabaseSync(join(directory, 'ledger.db'));
    onTestFinished(() => owner.close());
    owner.exec(`BEGIN IMMEDIATE; UPDATE items SET state = 'queued', reason = NULL`);
    const during = kept(openStore(join(directory, 'ledger.db'), 'read'));
    expect([...readProblems(during)].flat()).toHaveLength(1);
    owner.exec('COMMIT');
    const after = kept(openStore(join(directory, 'ledger.db'), 'read'));
    expect([...readProblems(after)].flat()).toHaveLength(0);
  });
});

test.each(older)('what a ledger of version %i knows is read, and kept', (version) => {
  const directory = olderDirectory(version);
  const path = join(directory, 'ledger.db');
  const old = new DatabaseSync(path);
  const column = version < 16 ? 'sha256' : 'content_hash';
  old.exec(`INSERT INTO batches (id, connection_id, base_id, generation, batch_id, kind, mode, state, created_here, created_at, state_at)
      VALUES (3, 1, 'cups', 1, 'cups', 'image', 'bulk', 'open', 1, 1, 1);
    INSERT INTO items (destination_id, batch_row, path, relative_path, size_bytes, stamp, state, found_at, state_at)
      VALUES (1, 3, '/b', 'b', 5, '1:2:3:4', 'confirmed', 1, 2), (1, 3, '/c', 'c', 5, '1:2:3:5', 'confirmed', 1, 2),
        (1, 3, '/d', 'd', 5, '1:2:3:6', 'sent', 1, 2);
    UPDATE items SET ${column} = 'c0ffee' WHERE id = 7;
    INSERT INTO outputs (connection_id, batch_id, part, file_name, occurrence, target, path, unpack, state, state_at)
      VALUES (1, 'out', '', 'a.csv', 0, '/t', '/t/a.csv', 0, '${version < 15 ? 'downloading' : 'listed'}', 1)`);
  old.close();
  const before = fileHash(directory);

  const reader = readerOf(directory);
  expect([...readProblems(reader)].flat().map(({ id }) => id)).toEqual([7]);
  expect(readStatus(reader, 0)).toHaveLength(2);
  expect(itemById(reader, 7)?.contentHash).toBe('c0ffee');
  // Tables that only the newest version has can be queried, too.
  expect(reader.all('SELECT * FROM waits')).toEqual([]);
  expect(versionIn(directory)).toBe(version);
  expect(fileHash(directory)).toBe(before);

  const store = kept(openStore(path));
  expect(store.get('PRAGMA user_version')?.['user_version']).toBe(newestVersion());
  expect(store.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok');
  expect(itemById(store, 7)?.contentHash).toBe('c0ffee');
  expect([...outputPages(store, '/t')]).toMatchObject([[{ path: '/t/a.csv', state: 'listed' }]]);
  // Counts by batch, and for items without one; a state without items so far counts correctly when an item enters it.
  expect(tallyBatch(store, 3)).toMatchObject({ confirmed: 2, sent: 1 });
  expect(readStatus(store, 0)).toMatchObject([
    { batch: null, queued: 0, sending: 0, confirmed: 0 },
    { batch: 'cups', queued: 0, sending: 1, confirmed: 2 },
  ]);
  store.run(`UPDATE items SET state = 'unknown' WHERE state = 'sent'`);
  store.run(`UPDATE items SET batch_row = 3, state = 'queued', reason = NULL WHERE id = 7`);
  expect(tallyBatch(store, 3)).toMatchObject({ sent: 0, unknown: 1 });
  expect(readStatus(store, 0)).toMatchObject([
    { batch: 'cups', queued: 1, sending: 1, confirmed: 2 },
  ]);
});

// Version 9 was the first that counted how often a file vanished.
test.each(older.filter((version) => version >= 9 && version < 19))(
  'what counted as lost in a ledger of version %i is looked for before it is sent again',
  (version) => {
    const path = join(olderDirectory(version), 'ledger.db');
    const old = new DatabaseSync(path);
    old.exec(`INSERT INTO batches (id, connection_id, base_id, generation, batch_id, kind, mode, state, created_here, created_at, state_at)
        VALUES (3, 1, 'cups', 1, 'cups', 'image', 'single', 'open', 1, 1, 1);
      INSERT INTO transfers (id, batch_row, kind, state, size_bytes, last_byte_at, state_at)
        VALUES (1, 3, 'image', 'planned', 5, 77, 1), (2, 3, 'image', 'planned', 5, NULL, 1), (4, 3, 'image', 'planned', 5, NULL, 1);
      INSERT INTO items (destination_id, batch_row, transfer_id, path, relative_path, size_bytes, stamp, state, vanished, found_at, state_at)
        VALUES (1, 3, 1, '/b', 'b', 5, '1:2:3:4', 'planned', 0, 1, 2), (1, 3, 2, '/c', 'c', 5, '1:2:3:5', 'planned', 1, 1, 2),
          (1, 3, 4, '/d', 'd', 5, '1:2:3:6', 'planned', 0, 1, 2)`);
    old.close();
    expect(lostIn(kept(openStore(path)), 3)).toEqual([1, 2]);
  },
);

// The oldest, the last and the first with each name of the content's hash, and the last before this one.
test.each([1, 15, 16, newestVersion() - 1])(
  'of a damaged ledger of version %i most files are saved',
  (version) => {
    const path = join(olderDirectory(version), 'ledger.db');
    const old = new DatabaseSync(path);
    const column = version < 16 ? 'sha256' : 'content_hash';
    old.exec(`WITH RECURSIVE counted (i) AS (SELECT 8 UNION ALL SELECT i + 1 FROM counted WHERE i < 3000)
    INSERT INTO items (id, destination_id, path, relative_path, size_bytes, stamp, ${column}, state, found_at, state_at)
    SELECT i, 1, '/camera/' || i || '.jpg', i || '.jpg', 5, '1:2:3:4', 'hash of ' || i, 'skipped', 1, 2 FROM counted`);
    old.close();
    const bytes = readFileSync(path);
    // The page of the table with this row: what is before and behind it can be read.
    const at = bytes.indexOf('hash of 1500');
    bytes.fill(0xff, at - (at % 4096), at - (at % 4096) + 4096);
    writeFileSync(path, bytes);
    const { store, salvage } = openLedger(path, 1);
    kept(store);
    expect(salvage).not.toBeNull();
    for (const id of [8, 3000]) expect(itemById(store, id)?.contentHash).toBe(`hash of ${id}`);
    expect(itemById(store, 1500)).toBeNull();
    expect(store.all('SELECT id FROM items').length).toBeGreaterThan(2900);
  },
);

describe('writing while another process owns it', () => {
  test('an older owner is refused, and leaves the version as it is', () => {
    const directory = olderDirectory(5);
    const owner = valueOf(takeOwnership(directory, 'pid 1 (an older window)'));
    onTestFinished(() => owner.release());
    expect(failureOf(() => openShared(directory))).toBe('store.older');
    expect(versionIn(directory)).toBe(5);
    // A command that mostly reads works on a copy.
    const store = openIfExists(directory);
    if (store === null) throw new Error('there is one');
    expect([...readProblems(kept(store))].flat()).toHaveLength(1);
    expect(versionIn(directory)).toBe(5);
  });

  test('no owner brings the ledger to the newest version, and leaves the directory free', () => {
    const directory = olderDirectory(5);
    kept(openShared(directory)).run(`INSERT INTO settings VALUES ('a', '1')`);
    expect(versionIn(directory)).toBe(newestVersion());
    const owner = takeOwnership(directory, 'next');
    expect(owner.ok).toBe(true);
    if (owner.ok) owner.value.release();
  });

  test('an owner of this version works, and makes nothing where there is none', () => {
    const directory = scratch();
    expect(openIfExists(directory)).toBeNull();
    const owner = valueOf(
      openEngine(directory, 'pid 1 (the window)', {
        clock: createManualClock(),
        log: { write: () => undefined },
      }),
    );
    onTestFinished(() => owner.close());
    kept(openShared(directory)).run(`INSERT INTO settings VALUES ('a', '1')`);
    expect(owner.store.all('SELECT key FROM settings')).toHaveLength(1);
  });
});

test.each(['own', 'shared', 'read'] as const)(
  'a directory in the place of the ledger is said with its path (%s)',
  (mode) => {
    const path = join(scratch(), 'ledger.db');
    mkdirSync(path);
    const thrown: unknown = (() => {
      try {
        return openStore(path, mode);
      } catch (error) {
        return error;
      }
    })();
    if (!(thrown instanceof SluiceFailure)) throw new Error(String(thrown));
    expect(thrown.error.code).toBe('disk.failed');
    expect(String(thrown.error.context['said'])).toContain('ledger.db');
  },
);
