/** The contract's exit codes and --json output, in this process and, where needed, in a separate one. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { startProcess } from './childCli.ts';
import { type Bench, type CliEnd, createBench, eventsOf } from './cliRun.ts';
import { fastClock } from './ports.ts';

function environmentOf(bench: Bench): Record<string, string> {
  return {
    HOME: bench.directory,
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_DATA_DIR: bench.dataDirectory,
  };
}

async function untilSeen(bench: Bench, path: RegExp): Promise<void> {
  await expect
    .poll(() => bench.service.log.count('*', path), { timeout: 20_000 })
    .toBeGreaterThan(0);
}

/** Runs `sluice …` as a program; `whenSeen` is called once the service has received a request, and may end the program. */
async function program(
  bench: Bench,
  given: readonly string[],
  whenSeen: { readonly path: RegExp; readonly signal: NodeJS.Signals } | null = null,
): Promise<CliEnd> {
  const { process: child, ended } = startProcess(given, environmentOf(bench));
  if (whenSeen !== null) {
    await untilSeen(bench, whenSeen.path);
    child.kill(whenSeen.signal);
  }
  const { exitCode, stdout, stderr } = await ended;
  return { exitCode: exitCode ?? -1, stdout, stderr };
}

describe('as a program', () => {
  test('done is 0, with nothing but JSON events on standard output', async () => {
    const bench = await createBench();
    const end = await program(bench, ['project', 'insights', 'bottle-caps', '--json', '--verbose']);
    expect(end.exitCode).toBe(0);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'result', data: { kept: true } }]);
    expect(end.stdout + end.stderr).not.toContain(bench.service.apiKey);
  });

  test('a command that is none is 2', async () => {
    const bench = await createBench();
    const end = await program(bench, ['constructor', '--json']);
    expect(end.exitCode).toBe(2);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'usage.invalid' }]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s is 130', async (signal) => {
    const bench = await createBench();
    bench.service.faults.always('GET', /\/jobs$/, { kind: 'hang' });
    const given = ['annotation-job', 'list', 'bottle-caps', '--json'];
    const end = await program(bench, given, { path: /\/bottle-caps\/jobs$/, signal });
    expect(end.exitCode).toBe(130);
    expect(eventsOf(end.stdout)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('under nohup, logging out ends nothing', async () => {
    const bench = await createBench();
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    bench.service.faults.next('GET', /\/jobs$/, { kind: 'held', until });
    const given = ['annotation-job', 'list', 'bottle-caps'];
    const { process: child, ended } = startProcess(given, environmentOf(bench));
    await untilSeen(bench, /\/bottle-caps\/jobs$/);
    child.kill('SIGHUP');
    // Another program needs longer than a signal.
    await program(bench, ['--version']);
    answer();
    expect((await ended).exitCode).toBe(0);
  });

  test.skipIf(process.platform === 'win32')('SIGUSR1 opens no debugger', async () => {
    const bench = await createBench();
    bench.service.faults.always('GET', /\/jobs$/, { kind: 'hang' });
    const { process: child, ended } = startProcess(
      ['annotation-job', 'list', 'bottle-caps'],
      environmentOf(bench),
    );
    await untilSeen(bench, /\/bottle-caps\/jobs$/);
    child.kill('SIGUSR1');
    await setTimeout(300);
    child.kill('SIGTERM');
    expect((await ended).stderr).not.toMatch(/debugger/i);
  });
});

/** Commands that contact the service, to read or to write. */
const ASKING = [
  ['batch', 'list'],
  ['batch', 'count', 'b'],
  ['job', 'list'],
  ['folder', 'list'],
  ['folder', 'create', 'X'],
  ['folder', 'move', 'leaf-damage', '--to', 'Quality'],
  ['project', 'list'],
  ['project', 'insights', 'leaf-damage'],
  ['project', 'batches', 'leaf-damage'],
  ['annotation-job', 'list', 'leaf-damage'],
];

test('a job is not started again and again with a key that is refused', async () => {
  const bench = await createBench();
  const end = await bench.sluice(['job', 'start', 'auto', '--batch', 'b', '--workflow', 'w'], {
    environment: { SLUICE_API_KEY: 'not-the-right-key', SLUICE_WORKSPACE: 'demo' },
  });
  expect(end).toMatchObject({ exitCode: 4, stderr: expect.not.stringContaining('tries again') });
});

describe.each(ASKING)('sluice %s %s', (...given) => {
  const words = given.filter((word) => word !== undefined);

  test('ends with 4 when the key is refused, which is shown nowhere', async () => {
    const bench = await createBench();
    const environment = { SLUICE_API_KEY: 'not-the-right-key' };
    const end = await bench.sluice(words, { json: true, environment });
    expect(end.exitCode).toBe(4);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'auth.rejected' }]);
    expect(end.stdout + end.stderr).not.toContain('not-the-right-key');
  });

  test('ends with 5 when nothing answers, and with 2 without a key', async () => {
    const bench = await createBench();
    await bench.service.unplug();
    const end = await bench.sluice(words, { json: true, wraps: [fastClock(2000)] });
    expect(end.exitCode).toBe(5);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'network.lost' }]);
    const keyless = await bench.sluice(words, { environment: { SLUICE_API_KEY: '' } });
    expect(keyless).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('ends with 5 while the service has an internal error', async () => {
    const bench = await createBench();
    bench.service.faults.always('GET', /./, { kind: 'status', status: 500, body: { error: 'x' } });
    const end = await bench.sluice(words, { json: true, wraps: [fastClock(2000)] });
    expect(end.exitCode).toBe(5);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'service.failed' }]);
  });

  test('reads hostile answers as what they are', async () => {
    const bench = await createBench();
    const hostile = { kind: 'wrongJson', text: '{"workspace":"demo","data":7}' } as const;
    bench.service.faults.always('*', /./, { ...hostile, status: 200 });
    const end = await bench.sluice(words, { json: true });
    expect(end.exitCode).toBe(5);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'network.intercepted' }]);
  });
});

test('names of the service cannot steer a terminal', async () => {
  const bench = await createBench();
  const name = '\u001b[2J\u0007evil\r\n';
  bench.service.state.projects.folders.push({ id: 'f', name, parentId: null, projects: [] });
  const { stdout } = await bench.sluice(['folder', 'list']);
  expect(stdout).toContain('evil');
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('something that needs a person is 3, a ledger of a newer program 1', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, 'half.jpg'), tinyJpeg(1).subarray(0, -2));
  const upload = await bench.sluice(['upload', images, '--batch', 'b'], { json: true });
  expect(upload.exitCode).toBe(3);
  expect(eventsOf(upload.stdout).at(-1)).toMatchObject({ event: 'summary', attention: 1 });
  const ledger = new DatabaseSync(join(bench.dataDirectory, 'ledger.db'));
  ledger.exec('PRAGMA user_version = 9999');
  ledger.close();
  for (const given of [
    ['why', images],
    ['connections', 'list'],
    ['batch', 'receipt', 'b'],
  ]) {
    const end = await bench.sluice(given, { json: true });
    expect(end.exitCode).toBe(1);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'store.newer' }]);
  }
});

test('a key that would go unencrypted to another computer is reported before anything is sent', async () => {
  const bench = await createBench();
  const signal = AbortSignal.abort();
  const plain = await bench.sluice(['batch', 'list'], {
    environment: { SLUICE_API_URL: 'http://pipeline.invalid' },
    signal,
  });
  expect(plain.stderr).toContain('The key goes unencrypted to pipeline.invalid');
  expect((await bench.sluice(['batch', 'list'], { signal })).stderr).not.toContain('unencrypted');
});

test.each(['/?api_key=', '/?note=with-', '/#'])(
  'a key in the address, as in %s, is refused without repeating it, and nothing is stored',
  async (before) => {
    const bench = await createBench();
    const key = 'a-key-of-its-own';
    const images = join(bench.directory, 'images');
    await mkdir(images);
    await writeFile(join(images, 'a.jpg'), tinyJpeg(1));
    const environment = {
      SLUICE_API_KEY: key,
      SLUICE_API_URL: `${bench.service.url}${before}${key}`,
    };
    for (const given of [['upload', images, '--batch', 'b'], ['doctor']]) {
      const end = await bench.sluice(given, { environment, json: true });
      expect(end.exitCode).toBe(2);
      expect(end.stdout + end.stderr).not.toContain(key);
      expect(end.stdout).not.toContain(bench.service.url);
      expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error', code: 'usage.invalid' }]);
      expect(end.stdout).toContain('leave the key or password out of the address');
      expect(end.stdout).toContain('pass the key by SLUICE_API_KEY or --api-key-file');
    }
    expect(existsSync(join(bench.dataDirectory, 'ledger.db'))).toBe(false);
  },
);

test('white space around the address is left out', async () => {
  const bench = await createBench();
  const environment = { SLUICE_API_URL: ` ${bench.service.url}/\r` };
  const end = await bench.sluice(['batch', 'list'], { environment });
  expect(end.exitCode, end.stderr).toBe(0);
});

test('other parameters in the address are allowed, and an address with a key in the ledger is only hidden', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  await writeFile(join(images, 'a.jpg'), tinyJpeg(1));
  const environment = { SLUICE_API_URL: `${bench.service.url}/?x=1&y=a b#frag` };
  const end = await bench.sluice(['upload', images, '--batch', 'b'], { environment });
  expect(end.exitCode, end.stderr).toBe(0);
  const ledger = new DatabaseSync(join(bench.dataDirectory, 'ledger.db'));
  const stored = bench.service.url.replace('//', '//ann:stored-key@');
  ledger.prepare('UPDATE connections SET api_url = ?').run(`${stored}/?api_key=stored-key`);
  ledger.close();
  for (const given of [['status'], ['connections', 'list'], ['upload', images, '--batch', 'b']]) {
    const shown = await bench.sluice(given);
    expect(shown.exitCode, shown.stderr).toBe(0);
    expect(shown.stdout + shown.stderr).not.toContain('stored-key');
  }
});
