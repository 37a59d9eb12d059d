/** A ledger of the version that identified content by SHA-256: the same files are recognised, and new ones get BLAKE3. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identify } from '../../../../../main/engine/pipeline/identify/identify.ts';
import { inspectFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { migrations } from '../../../../../main/engine/store/migrate.ts';
import { openStore, type Store } from '../../../../../main/engine/store/store.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { tinyJpeg } from '../../../../helpers/media.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';
import { valueOf } from '../../../../helpers/results.ts';

const WITH_SHA256 = 12;
const OPTIONS = { destinationId: 1, isWatched: true };

interface Row {
  readonly name: string;
  readonly state: unknown;
  readonly reason: unknown;
  readonly kind: 'b3' | 'sha256' | null;
}

/** A ledger of that version with confirmed files, migrated to this version. */
function olderLedger(files: ReadonlyMap<string, Buffer>): {
  store: Store;
  directory: string;
  rows: () => readonly Row[];
  look: (...names: readonly string[]) => Promise<void>;
} {
  const directory = scratch();
  mkdirSync(join(directory, 'images'));
  const path = join(directory, 'ledger.db');
  const old = new DatabaseSync(path);
  for (const step of migrations()) if (step.version <= WITH_SHA256) old.exec(step.sql);
  old.exec(`PRAGMA user_version = ${WITH_SHA256};
    INSERT INTO connections (id, api_url, workspace, projects_url) VALUES (1, 'http://127.0.0.1:1', 'demo', 'http://127.0.0.1:1');
    INSERT INTO destinations (id, connection_id, name) VALUES (1, 1, 'cups');`);
  for (const [name, content] of files) {
    const file = join(directory, 'images', name);
    writeFileSync(file, content);
    const { sizeBytes, fingerprint, kind } = valueOf(inspectFile(file, 'sha256'));
    const sha256 = createHash('sha256').update(content).digest('hex');
    old
      .prepare(
        `INSERT INTO items (destination_id, path, relative_path, kind, size_bytes, stamp, fingerprint, sha256, state, found_at, state_at)
         VALUES (1, ?, ?, ?, ?, '1:2:3:4', ?, ?, 'confirmed', 1, 2)`,
      )
      .run(file, name, kind, sizeBytes, fingerprint, sha256);
  }
  old.close();
  const store = openStore(path);
  onTestFinished(() => store.close());
  const pipeline = createTestPipeline({ store, connectionId: 1 });
  return {
    store,
    directory: join(directory, 'images'),
    rows: () =>
      store
        .all('SELECT relative_path, state, reason, fingerprint FROM items ORDER BY id')
        .map((row) => ({
          name: String(row['relative_path']),
          state: row['state'],
          reason: row['reason'],
          kind: String(row['fingerprint']).includes('b3:') ? 'b3' : 'sha256',
        })),
    look: (...names) =>
      identify(
        pipeline,
        OPTIONS,
        names.map((name) => ({
          path: join(directory, 'images', name),
          relativePath: name,
          error: null,
        })),
      ),
  };
}

const LARGE = tinyJpeg(7, 3_000_000);

describe('what an older ledger knows by SHA-256', () => {
  test('is not sent again when its file was only touched, small or large', async () => {
    const files = new Map([
      ['a.jpg', tinyJpeg(1)],
      ['b.jpg', LARGE],
    ]);
    const { rows, look } = olderLedger(files);
    await look('a.jpg', 'b.jpg');
    expect(rows()).toEqual([
      { name: 'a.jpg', state: 'confirmed', reason: null, kind: 'sha256' },
      { name: 'b.jpg', state: 'confirmed', reason: null, kind: 'sha256' },
    ]);
  });

  test('is reported as a duplicate under another name, and of each other', async () => {
    const files = new Map([
      ['a.jpg', tinyJpeg(1)],
      ['b.jpg', LARGE],
    ]);
    const { rows, look, directory } = olderLedger(files);
    writeFileSync(join(directory, 'copy.jpg'), tinyJpeg(1));
    writeFileSync(join(directory, 'copy of b.jpg'), LARGE);
    await look('copy.jpg', 'copy of b.jpg');
    const repeated = { state: 'skipped', reason: 'item.duplicate', kind: 'sha256' };
    expect(rows().slice(2)).toEqual([
      { name: 'copy.jpg', ...repeated },
      { name: 'copy of b.jpg', ...repeated },
    ]);
  });

  test('does not keep other content of the same size from its BLAKE3, and from its duplicates', async () => {
    const { rows, look, directory } = olderLedger(new Map([['a.jpg', tinyJpeg(1)]]));
    expect(tinyJpeg(2)).toHaveLength(tinyJpeg(1).length);
    writeFileSync(join(directory, 'new.jpg'), tinyJpeg(2));
    writeFileSync(join(directory, 'new copy.jpg'), tinyJpeg(2));
    writeFileSync(join(directory, 'a.jpg'), tinyJpeg(3));
    await look('new.jpg', 'new copy.jpg', 'a.jpg');
    expect(rows().slice(1)).toEqual([
      { name: 'new.jpg', state: 'queued', reason: null, kind: 'b3' },
      { name: 'new copy.jpg', state: 'skipped', reason: 'item.duplicate', kind: 'b3' },
      { name: 'a.jpg', state: 'queued', reason: null, kind: 'b3' },
    ]);
  });
});
