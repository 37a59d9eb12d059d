/** why, receipt, connections and doctor: what the command line shows of a ledger while another process owns it, and without a key. */
import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../main/engine/host/engine.ts';
import { systemClock } from '../../main/systemClock.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { createReferenceService } from '../service/referenceService.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';
import { valueOf } from '../helpers/results.ts';

const NO_KEY = { SLUICE_API_KEY: '' };

/** A bench with a directory of two images, a copy of one, an empty file, a text file and half an image. */
async function uploadedBench(): Promise<{ bench: Bench; at: (name: string) => string }> {
  const bench = await createBench();
  const directory = join(bench.directory, 'images');
  await mkdir(directory);
  const at = (name: string): string => join(directory, name);
  await writeFile(at('a.jpg'), tinyJpeg(1));
  await writeFile(at('b, "best".jpg'), tinyJpeg(2));
  await writeFile(at('copy of a.jpg'), tinyJpeg(1));
  await writeFile(at('empty.jpg'), '');
  await writeFile(at('notes.txt'), 'not an image');
  await writeFile(at('half.jpg'), tinyJpeg(3).subarray(0, -2));
  const end = await bench.sluice(['upload', directory, '--batch', 'shelf']);
  expect(end.exitCode, end.stderr).toBe(3);
  return { bench, at };
}

async function headline(bench: Bench, path: string, ...more: string[]): Promise<string> {
  const told = await bench.result(['why', path, ...more], { environment: NO_KEY });
  return String(Object(told).headline);
}

function changeLedger(bench: Bench, sql: string): void {
  const ledger = new DatabaseSync(join(bench.dataDirectory, 'ledger.db'));
  ledger.exec(sql);
  ledger.close();
}

/** Takes ownership of the data folder, like a running upload. */
function own(bench: Bench): void {
  const ports = { clock: systemClock, log: { write: () => undefined } };
  const opened = valueOf(openEngine(bench.dataDirectory, 'pid 1 (sluice upload)', ports));
  onTestFinished(() => opened.close());
}

describe('why', () => {
  test('says it for every way in which a file can rest', async () => {
    const { bench, at } = await uploadedBench();
    expect(await headline(bench, at('a.jpg'))).toMatch(/^Uploaded: the service confirmed it at 20/);
    expect(await headline(bench, at('copy of a.jpg'))).toMatch(
      /^Not sent: .* of \/.*a\.jpg, which/,
    );
    expect(await headline(bench, at('empty.jpg'))).toMatch(/^Skipped: The file is empty/);
    expect(await headline(bench, at('notes.txt'))).toMatch(/^Skipped: Not an image/);
    expect(await headline(bench, at('half.jpg'))).toMatch(
      /^Needs attention: The file is incomplete/,
    );
    const half = await bench.result(['why', at('half.jpg')], { environment: NO_KEY });
    const [halfItem] = Object(half).items;
    expect(Object(half).details.at(-1)).toBe(
      `Try again with: sluice problems --retry ${halfItem.id}`,
    );
    expect(await headline(bench, at('nothing.jpg'))).toMatch(/^Nothing is there/);
    expect(await headline(bench, bench.directory)).toBe('This is a directory; name a file in it.');
    expect(bench.service.log.count('*', /jobs/)).toBe(0);
  });

  test('says what keeps a file from being sent', async () => {
    const bench = await createBench();
    const images = join(bench.directory, 'images');
    await mkdir(images);
    for (const seed of [1, 2, 3, 4]) await writeFile(join(images, `${seed}.jpg`), tinyJpeg(seed));
    const refusal = { kind: 'status', status: 400, body: { error: 'no room' } } as const;
    bench.service.faults.always('POST', /\/upload\/image$/, refusal);
    const upload = ['upload', images, '--batch', 'shelf', '--mode', 'single'];
    expect((await bench.sluice(upload)).exitCode).toBe(3);
    const { stdout } = await bench.sluice(['why', join(images, '4.jpg')]);
    expect(stdout).toMatch(
      /Nothing is sent to batch shelf for now: the service refused this \(4 files in a row, such as .*: no room\)/,
    );
  });

  test('says that everything is paused, in whichever workspace of the ledger the file is', async () => {
    const { bench, at } = await uploadedBench();
    changeLedger(
      bench,
      `INSERT INTO connections (id, api_url, projects_url, workspace) VALUES (0, '', '', 'an older one');
       UPDATE items SET state = 'queued'`,
    );
    await bench.sluice(['pause'], { environment: NO_KEY });
    const { stdout } = await bench.sluice(['why', at('a.jpg')], { environment: NO_KEY });
    expect(stdout).toContain('Everything is paused.');
  });

  test('says where, under which name, and with which hash', async () => {
    const { bench, at } = await uploadedBench();
    const { stdout } = await bench.sluice(['why', at('a.jpg')]);
    expect(stdout).toContain('batch shelf, workspace demo');
    expect(stdout).toContain('Name at the service: a.jpg');
    expect(stdout).toMatch(/BLAKE3: [0-9a-f]{64}/);
  });

  test('says what an upload would make of a file that no ledger knows', async () => {
    const bench = await createBench();
    const at = (name: string): string => join(bench.directory, name);
    await writeFile(at('new.jpg'), tinyJpeg(1));
    await writeFile(at('new.jpg.part'), tinyJpeg(1));
    await writeFile(at('empty.png'), '');
    await writeFile(at('half.jpg'), tinyJpeg(1).subarray(0, -2));
    await writeFile(at('vast.jpg'), tinyJpeg(1));
    await truncate(at('vast.jpg'), 21_000_000);
    const unknown = await bench.result(['why', at('new.jpg')], { environment: NO_KEY });
    expect(unknown).toMatchObject({
      headline: 'Sluice hasn’t seen this file: no upload and no watched folder has found it.',
      details: ['It can be uploaded.', 'Upload it with: sluice upload PATH --batch ID'],
    });
    expect(await headline(bench, at('new.jpg.part'))).toContain('Left out by its name');
    expect(await headline(bench, at('empty.png'))).toContain('The file is empty');
    expect(await headline(bench, at('half.jpg'))).toContain(
      'An upload would report it as a problem',
    );
    expect(await headline(bench, at('vast.jpg'))).toContain('larger than the service accepts');
    expect(await readdir(bench.directory)).not.toContain('data');
  });

  test('names the watch that takes a file, and status does not ask for another upload', async () => {
    const bench = await createBench();
    const directory = join(bench.directory, 'camera');
    await mkdir(directory);
    const file = join(directory, 'live.jpg');
    await writeFile(file, tinyJpeg(1));
    const more = ['--exclude', 'other.jpg', '--settle', '7'];
    await bench.result(['watch', 'add', directory, '--batch', 'line', ...more]);
    expect(await headline(bench, file)).toContain('once it has not changed for 7 s');
    await writeFile(join(directory, 'other.jpg'), tinyJpeg(2));
    expect(await headline(bench, join(directory, 'other.jpg'))).toContain('hasn’t seen this file');
    expect((await bench.sluice(['status'])).stdout).toContain('sluice upload');
    own(bench);
    expect((await bench.sluice(['status'])).stdout).toContain('once it has stopped changing');
  });

  test('says that a watch leaves out a file which was there before it', async () => {
    const bench = await createBench();
    const directory = join(bench.directory, 'camera');
    await mkdir(directory);
    const file = join(directory, 'old.jpg');
    await writeFile(file, tinyJpeg(1));
    await bench.result(['watch', 'add', directory, '--batch', 'line', '--new-only']);
    expect(await headline(bench, file)).toContain('takes only new files (--new-only)');
    await writeFile(file, tinyJpeg(2));
    expect(await headline(bench, file)).toContain('Not in the ledger yet');
  });

  test('notices a change and a loss since the upload', async () => {
    const { bench, at } = await uploadedBench();
    await writeFile(at('a.jpg'), tinyJpeg(9));
    await rm(at('b, "best".jpg'));
    const changed = await bench.sluice(['why', at('a.jpg')]);
    expect(changed.stdout).toMatch(/^Uploaded: .*\n.*\n?[^]*The file was touched since \(20/);
    const gone = await bench.sluice(['why', at('b, "best".jpg')]);
    expect(gone.stdout).toContain('The file no longer exists.');
  });

  test('knows the batch, several batches, and a path through a link', async () => {
    const { bench, at } = await uploadedBench();
    await bench.sluice(['upload', at('a.jpg'), '--batch', 'second']);
    const both = await bench.result(['why', at('a.jpg')]);
    expect(Object(both).items).toMatchObject([{ batch: 'second' }, { batch: 'shelf' }]);
    const one = await bench.result(['why', at('a.jpg'), '--batch', 'shelf']);
    expect(Object(one).items).toMatchObject([{ batch: 'shelf' }]);
    expect(await headline(bench, at('a.jpg'), '--batch', 'other')).toContain('no upload');
    const { symlink } = await import('node:fs/promises');
    await symlink(at('.'), join(bench.directory, 'linked'));
    expect(await headline(bench, join(bench.directory, 'linked', 'a.jpg'))).toContain('Uploaded');
  });
});

describe('receipt', () => {
  test('proves every file of the batch as CSV and as JSON', async () => {
    const { bench, at } = await uploadedBench();
    const told = await bench.result(['batch', 'receipt', 'shelf'], { environment: NO_KEY });
    const { lines, ...figures } = Object(told);
    expect(figures).toMatchObject({ files: 3, confirmed: 2, unhashed: 0, workspace: 'demo' });
    expect(lines).toMatchObject([
      {
        path: at('a.jpg'),
        name: 'a.jpg',
        state: 'confirmed',
        sentAs: null,
        proof: ['listed', 'content'],
      },
      { path: at('b, "best".jpg'), batch: 'shelf', sizeBytes: tinyJpeg(2).length },
      {
        path: at('copy of a.jpg'),
        name: 'a.jpg',
        state: 'skipped',
        sentAs: at('a.jpg'),
        proof: ['listed', 'content'],
      },
    ]);
    changeLedger(bench, `UPDATE items SET proof = NULL`);
    changeLedger(bench, `UPDATE transfers SET proof = 'verify'`);
    const sentAsA = `SELECT transfer_id FROM items WHERE name = 'a.jpg'`;
    changeLedger(bench, `UPDATE transfers SET proof = 'checksum' WHERE id IN (${sentAsA})`);
    const again = Object(await bench.result(['batch', 'receipt', 'shelf']));
    expect(again.lines).toMatchObject([
      { proof: ['listed', 'checksum'] },
      { proof: ['listed'] },
      { proof: ['listed', 'checksum'] },
    ]);
    const { stdout } = await bench.sluice(['batch', 'receipt', 'shelf', '--csv']);
    const rows = stdout.split('\r\n');
    expect(rows).toHaveLength(5);
    expect(rows[0]).toBe('path,sha256,bytes,name,batch,state,since,reason,sent_as,proof,hash');
    expect(rows[2]).toContain('b, ""best"".jpg"');
    expect(rows[1]).toMatch(/,[0-9a-f]{64},\d+,a\.jpg,shelf,confirmed,20\d\d-/);
    expect(rows[1]).toMatch(/,b3:[0-9a-f]{64}$/);
  });

  test('makes a missing hash of an untouched file, and leaves it empty otherwise', async () => {
    const { bench, at } = await uploadedBench();
    const { lines } = Object(await bench.result(['batch', 'receipt', 'shelf']));
    changeLedger(bench, `UPDATE items SET content_hash = NULL WHERE state = 'confirmed'`);
    await writeFile(at('b, "best".jpg'), 'changed');
    const end = await bench.sluice(['batch', 'receipt', 'shelf'], { json: true });
    const [event] = eventsOf(end.stdout);
    expect(event?.['data']).toMatchObject({
      hashedNow: 2,
      unhashed: 1,
      lines: [
        { hash: lines[0].hash, sha256: lines[0].sha256, sha256From: 'file' },
        { hash: null, sha256: null, sha256From: null },
        {},
      ],
    });
    expect(end.stderr).toContain('left empty');
  });

  test('shows people the hash of the ledger, and the SHA-256 where it is asked for', async () => {
    const { bench, at } = await uploadedBench();
    const sha256 = createHash('sha256').update(tinyJpeg(1)).digest('hex');
    const { stdout: plain } = await bench.sluice(['batch', 'receipt', 'shelf']);
    expect(plain).toContain('b3:');
    expect(plain).not.toContain(sha256);
    const asked = ['batch', 'receipt', 'shelf', '--sha256'];
    expect((await bench.sluice(asked)).stdout).toContain(sha256);
    // Files that an earlier version sent are known by their SHA-256, even when the file is gone.
    changeLedger(bench, `UPDATE items SET content_hash = '${'c'.repeat(64)}' WHERE name = 'a.jpg'`);
    await rm(at('a.jpg'));
    const [line] = Object(await bench.result(['batch', 'receipt', 'shelf'])).lines;
    expect(line).toMatchObject({ sha256: 'c'.repeat(64), sha256From: 'upload' });
  });

  test('asks which connection is meant, and takes --workspace', async () => {
    const { bench, at } = await uploadedBench();
    const other = await createReferenceService({ apiKey: 'other-key', workspace: 'other' });
    onTestFinished(() => other.close());
    const environment = { SLUICE_API_URL: other.url, SLUICE_API_KEY: 'other-key' };
    expect((await bench.sluice(['status'])).stdout).not.toContain('demo');
    await bench.sluice(['upload', at('a.jpg'), '--batch', 'shelf'], { environment });
    const status = (await bench.sluice(['status'])).stdout;
    expect(status).toMatch(/^batch .* workspace\n.*\nshelf .* demo .*\nshelf .* other /s);
    const anywhere = { SLUICE_API_URL: '' };
    const unclear = await bench.sluice(['batch', 'receipt', 'shelf'], { environment: anywhere });
    expect(unclear).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unclear.stderr).toContain('other at');
    const named = ['batch', 'receipt', 'shelf', '--workspace', 'other'];
    expect(await bench.result(named, { environment: anywhere })).toMatchObject({ files: 1 });
    expect(await bench.result(['connections', 'list'], { environment: NO_KEY })).toMatchObject({
      connections: [
        { workspace: 'demo', batches: 1, files: 6, confirmed: 2, attention: 1 },
        { workspace: 'other', apiUrl: other.url, batches: 1, files: 1, confirmed: 1 },
      ],
    });
  });

  test.each([
    [['batch', 'receipt', 'nope'], 3, 'The ledger has no batch nope. '],
    [['batch', 'receipt'], 2, 'ID'],
    [['batch', 'receipt', 'shelf', '--csv'], 2, '--csv or --json'],
    [['batch', 'receipt', 'shelf', '--against', '.'], 2, '--merge'],
  ] as const)('%j ends with %i', async (given, exitCode, said) => {
    const { bench } = await uploadedBench();
    const end = await bench.sluice(given, { json: true });
    expect(end).toMatchObject({ exitCode });
    expect(end.stderr).toContain(said);
  });
});

test('everything that only reads works while another process owns the data folder', async () => {
  const { bench, at } = await uploadedBench();
  own(bench);
  for (const given of [
    ['why', at('a.jpg')],
    ['batch', 'receipt', 'shelf'],
    ['connections', 'list'],
    ['project', 'insights', 'bottle-caps'],
    ['folder', 'list'],
    ['status'],
  ]) {
    expect(await bench.result(given), given.join(' ')).toBeTruthy();
  }
  const { checks } = Object(await bench.result(['doctor']));
  expect(checks).toContainEqual({
    name: 'owner',
    state: 'ok',
    said: 'The data folder is in use by pid 1 (sluice upload); commands that only read still work.',
    todo: null,
  });
  const unknown = await bench.sluice(['job', 'status', 'nix']);
  expect(unknown.stderr).toContain('(job nix)');
  const second = await bench.sluice(['upload', at('a.jpg'), '--batch', 'shelf'], { json: true });
  expect(second.exitCode).toBe(6);
  const message = expect.stringContaining('is using this data folder (pid ');
  expect(eventsOf(second.stdout)).toMatchObject([{ event: 'error', code: 'store.owned', message }]);
});

test('a ledger that this user cannot read does not look as if there was nothing: 3', async () => {
  const bench = await createBench();
  await mkdir(bench.dataDirectory);
  // Permissions do not stop root; a link to itself stops everyone.
  await symlink('ledger.db', join(bench.dataDirectory, 'ledger.db'));
  for (const given of [
    ['status'],
    ['problems'],
    ['problems', '--ignore', 'all'],
    ['metrics'],
    ['watch', 'list'],
    ['watch', 'pause', '1'],
    ['watch', 'undo-moves', '1'],
    ['why', bench.directory],
  ]) {
    const end = await bench.sluice(given);
    expect(end, given.join(' ')).toMatchObject({ exitCode: 3, stdout: '' });
    expect(end.stderr).toContain('ledger.db');
  }
  const doctor = await bench.sluice(['doctor']);
  expect(doctor).toMatchObject({ exitCode: 3 });
  expect(doctor.stdout).toContain('This user cannot read the ledger.');
});

describe('doctor', () => {
  const states = (told: unknown): Readonly<Record<string, string>> => {
    const checks: readonly { name: string; state: string }[] = Object(told).checks;
    return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
  };

  test('finds nothing wrong, and leaves no trace', async () => {
    const bench = await createBench();
    const told = await bench.result(['doctor']);
    expect(states(told)).toMatchObject({ address: 'ok', key: 'ok', workspace: 'ok', clock: 'ok' });
    expect(await readdir(bench.directory)).toEqual([]);
  });

  test('calls a ledger without content empty', async () => {
    const bench = await createBench();
    await mkdir(bench.dataDirectory, { mode: 0o700 });
    await writeFile(join(bench.dataDirectory, 'ledger.db'), '', { mode: 0o600 });
    const { stdout } = await bench.sluice(['doctor']);
    expect(stdout).toContain('The ledger is empty; the first upload fills it.');
  });

  test('leaves a data folder as it is', async () => {
    const { bench } = await uploadedBench();
    const look = async (): Promise<unknown> => {
      const names = (await readdir(bench.dataDirectory)).sort();
      const times = names.map(
        async (name) => (await stat(join(bench.dataDirectory, name))).mtimeMs,
      );
      return [names, await Promise.all(times)];
    };
    const before = await look();
    expect(states(await bench.result(['doctor']))).toMatchObject({ ledger: 'ok', owner: 'ok' });
    expect(await look()).toEqual(before);
  });

  test('works without a key, and says so', async () => {
    const bench = await createBench();
    const told = await bench.result(['doctor'], { environment: NO_KEY });
    expect(states(told)).toMatchObject({ address: 'ok', key: 'warn' });
  });

  test('says that a key is refused: 4', async () => {
    const bench = await createBench();
    const environment = { SLUICE_API_KEY: 'another-key' };
    const end = await bench.sluice(['doctor'], { environment });
    expect(end.exitCode).toBe(4);
    expect(end.stdout).toContain(
      'BAD   key: The service refused the key (The API key is not valid).',
    );
    expect(end.stdout + end.stderr).not.toContain('another-key');
  });

  test('says that nothing answers: 5', async () => {
    const bench = await createBench();
    await bench.service.unplug();
    const end = await bench.sluice(['doctor']);
    expect(end.exitCode).toBe(5);
    expect(end.stdout).toContain('Nothing answers at this address.');
    expect(end.stdout).toContain('note  key: Not checked');
  });

  test('says that another workspace is named, and that a service does not tell: 3', async () => {
    const bench = await createBench();
    const environment = { SLUICE_WORKSPACE: 'elsewhere' };
    const end = await bench.sluice(['doctor'], { environment });
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toContain('The key opens the workspace demo, but elsewhere is named.');
    const bare = await createBench({ specOnly: true });
    expect(states(await bare.result(['doctor']))).toMatchObject({ key: 'ok', workspace: 'ok' });
    const untold = await bare.sluice(['doctor'], { environment: { SLUICE_WORKSPACE: '' } });
    expect(untold.exitCode).toBe(3);
    expect(untold.stdout).toContain('Set SLUICE_WORKSPACE.');
  });

  test('says that the ledger is damaged or newer, and touches neither: 3', async () => {
    const { bench } = await uploadedBench();
    changeLedger(bench, 'PRAGMA user_version = 9999');
    const newer = await bench.sluice(['doctor']);
    expect(newer).toMatchObject({ exitCode: 3 });
    expect(newer.stdout).toContain('version 9999');
    const ledger = join(bench.dataDirectory, 'ledger.db');
    await rename(ledger, `${ledger}.kept`);
    await writeFile(
      ledger,
      'SQLite format 3\0 and then nothing that it should be'.padEnd(5000, '#'),
    );
    const damaged = await bench.sluice(['doctor']);
    expect(damaged).toMatchObject({ exitCode: 3 });
    expect(damaged.stdout).toContain('BAD   ledger:');
    const status = await bench.sluice(['status']);
    expect(status).toMatchObject({ exitCode: 3, stdout: '' });
    expect(status.stderr).toContain('Run an upload or a watch');
    expect((await stat(ledger)).size).toBe(5000);
  });

  test('sees open rights, and a file where the folder should be', async () => {
    const { bench } = await uploadedBench();
    await chmod(bench.dataDirectory, 0o755);
    const open = await bench.sluice(['doctor']);
    expect(open.stdout).toContain('chmod 700');
    await rm(bench.dataDirectory, { recursive: true });
    await writeFile(bench.dataDirectory, '');
    const file = await bench.sluice(['doctor']);
    expect(file).toMatchObject({ exitCode: 3 });
    expect(file.stdout).toContain('is a file, not a folder');
  });

  test('an unreadable key file is a finding, not the end', async () => {
    const bench = await createBench();
    const end = await bench.sluice(['doctor', '--api-key-file', join(bench.directory, 'none')]);
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toContain('the key file cannot be read: there is no such file');
  });
});
