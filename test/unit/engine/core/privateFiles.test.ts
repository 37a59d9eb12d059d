/** Whatever Sluice stores about a person's files and secrets is readable only by its owner, whatever was there before. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../../../main/engine/host/engine.ts';
import { openShared } from '../../../../main/engine/host/openLedger.ts';
import { isOpen, makePrivateFile } from '../../../../main/engine/core/privateFiles.ts';
import { openStore } from '../../../../main/engine/store/store.ts';
import { openLogFile } from '../../../../main/logFile.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { valueOf } from '../../../helpers/results.ts';

const ports = { clock: createManualClock(), log: { write: () => undefined } };

/** Every file under a directory to which others than the owner have access. */
function open(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
}

function sharedDirectory(): string {
  const directory = join(scratch(), 'data');
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  return directory;
}

let umask = 0;
beforeAll(() => (umask = process.umask(0o000)));
afterAll(() => void process.umask(umask));

describe.skipIf(process.platform === 'win32')('in a folder that others may read', () => {
  test('everything that an engine makes is private while it works and afterwards', () => {
    const directory = sharedDirectory();
    const opened = valueOf(openEngine(directory, 'a test', ports));
    opened.store.run(`INSERT INTO settings VALUES ('webhook.secret', '"x"')`);
    const log = openLogFile(directory, 'info', null);
    log.write('info', 'test');
    log.flush();
    expect(readdirSync(directory)).toEqual(
      expect.arrayContaining(['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'lock.db', 'logs']),
    );
    expect(open(directory)).toEqual([]);
    opened.close();
    expect(open(directory)).toEqual([]);
  });

  test('a command that creates the ledger next to an owner keeps it private', () => {
    const directory = sharedDirectory();
    const store = openShared(directory);
    onTestFinished(() => store.close());
    store.run(`INSERT INTO settings VALUES ('a', '1')`);
    expect(open(directory)).toEqual([]);
  });

  test('files of an earlier start that others could read are closed', () => {
    const directory = sharedDirectory();
    openStore(join(directory, 'ledger.db')).close();
    mkdirSync(join(directory, 'logs'));
    const names = ['lock.db', 'owner.txt', 'ledger.db.damaged-5', 'logs/sluice.log'];
    for (const name of [...names, 'logs/sluice.log.1', 'mine.txt']) {
      writeFileSync(join(directory, name), '');
    }
    for (const path of ['ledger.db', ...names]) chmodSync(join(directory, path), 0o644);
    const opened = valueOf(openEngine(directory, 'a test', ports));
    onTestFinished(() => opened.close());
    // A file that Sluice did not create keeps its permissions.
    expect(open(directory)).toEqual([join(directory, 'mine.txt')]);
  });

  test('the engine says so at its start, and not of a private folder', () => {
    const directory = sharedDirectory();
    expect(isOpen(directory)).toBe(true);
    const opened = valueOf(openEngine(directory, 'a test', ports));
    expect(opened.folderIsOpen).toBe(true);
    opened.close();
    const own = valueOf(openEngine(join(directory, 'below'), 'a test', ports));
    expect(own.folderIsOpen).toBe(false);
    own.close();
  });
});

test('a private file is never there with wider rights, and keeps its content', () => {
  const path = join(scratch(), 'one');
  makePrivateFile(path);
  expect(statSync(path).size).toBe(0);
  writeFileSync(path, 'kept');
  makePrivateFile(path);
  expect(statSync(path).size).toBe(4);
});

test.skipIf(process.platform === 'win32')(
  'a file that cannot be looked at does not keep an engine from opening',
  () => {
    const directory = sharedDirectory();
    symlinkSync('window.json', join(directory, 'window.json'));
    valueOf(openEngine(directory, 'a test', ports)).close();
    expect(isOpen(join(directory, 'window.json'))).toBe(false);
  },
);

test.skipIf(process.platform === 'win32')(
  'a disk that fails while an engine opens is called that',
  () => {
    const directory = join(scratch(), 'data');
    mkdirSync(directory);
    const failing = {
      now: () => {
        statSync(join(directory, 'none'));
        return 0;
      },
    };
    const clock = { ...createManualClock(), ...failing };
    expect(openEngine(directory, 'a test', { ...ports, clock })).toMatchObject({
      ok: false,
      error: { code: 'disk.failed' },
    });
  },
);
