/** The command `npm run service`: its first line, its log, its end. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { tinyPng } from '../helpers/media.ts';
import { batchPath, call, textIn, uploadImage } from './testRequests.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
let child: ChildProcess | null = null;

afterEach(() => {
  child?.kill('SIGKILL');
  child = null;
});

async function start(...words: readonly string[]) {
  const started = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  const url = textIn(JSON.parse(await next()), 'url');
  const stop = (): Promise<number | null> =>
    new Promise((resolve) => {
      started.on('exit', resolve);
      started.kill('SIGTERM');
    });
  return { target: { url, apiKey: 'secret-key', workspace: 'demo' }, next, stop };
}

test('says where it is, logs requests without the key, and ends cleanly', async () => {
  const { target, next, stop } = await start('--port', '0', '--key', 'secret-key');
  expect(target.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await uploadImage(target, 'b', 'a.png', tinyPng(1));
  const line = await next();
  expect(line).toMatch(/^POST \/data-staging\/\S+\/upload\/image \?fileName,api_key → 200 /);
  expect(line).not.toContain('secret-key');
  expect(await stop()).toBe(0);
});

test('knows --dialect and --spec-only', async () => {
  const { target, stop } = await start('--key', 'secret-key', '--dialect', 'live', '--quiet');
  expect((await call(target, 'GET', '/demo/groups')).status).toBe(200);
  expect(await stop()).toBe(0);
  const strict = await start('--key', 'secret-key', '--spec-only', '--latency', '1');
  expect((await call(strict.target, 'GET', '/')).status).toBe(404);
  expect(await strict.stop()).toBe(0);
});

test('knows --character and --set', async () => {
  const words = ['--character', 'slowToList', '--set', 'listingDelayMs=3600000'];
  const { target, stop } = await start('--key', 'secret-key', '--quiet', ...words);
  const settings = ['--set', 'statesTimes=false', '--set', 'unknownBatch=zero'];
  await uploadImage(target, 'b', 'a.png', tinyPng(1));
  const delayed = await call(target, 'GET', batchPath(target, 'b', 'count'));
  expect(delayed.json).toMatchObject({ count: 0 });
  expect(await stop()).toBe(0);
  const other = await start('--key', 'secret-key', '--quiet', ...settings);
  const count = await call(other.target, 'GET', batchPath(other.target, 'b', 'count'));
  expect(count.json).toMatchObject({ count: 0 });
  expect(count.headers['date']).toBeUndefined();
  expect(await other.stop()).toBe(0);
});

test.each([
  ['--port', 'x'],
  ['--dialect', 'other'],
  ['--character', 'other'],
  ['--set', 'nothing=1'],
  ['--set', 'dropEvery=often'],
  ['--unknown'],
])('refuses %s %s', async (...words) => {
  const run = promisify(execFile)(process.execPath, [MAIN, ...words]);
  await expect(run).rejects.toMatchObject({ code: 2 });
});
