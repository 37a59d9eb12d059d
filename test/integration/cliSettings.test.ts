/** `sluice settings`: the webhook options, and the receiver that `sluice watch` starts from them. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { portOf } from '../helpers/listen.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { type Bench, createBench } from './cliRun.ts';

async function change(bench: Bench, ...options: string[]): Promise<unknown> {
  return Object(await bench.result(['settings', ...options])).webhook;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('pausing a batch that the ledger does not have says so', async () => {
  const bench = await createBench();
  const { exitCode, stderr } = await bench.sluice(['pause', '--batch', 'nix']);
  expect([exitCode, stderr]).toEqual([
    3,
    'The ledger has no batch nix. Check the id and the workspace.\n',
  ]);
});

test('showing the settings creates no data folder', async () => {
  const bench = await createBench();
  expect(await bench.result(['settings'])).toMatchObject({ lanesMost: 16, paused: false });
  expect(existsSync(bench.dataDirectory)).toBe(false);
});

describe('the webhook in the settings', () => {
  test('is switched on, shows its address, and is kept when switched off', async () => {
    const bench = await createBench();
    const off = { enabled: false, bind: '127.0.0.1', port: 0, publicUrl: '' };
    expect(await change(bench)).toEqual(off);
    expect(await change(bench, '--webhook', '8765')).toEqual({ ...off, enabled: true, port: 8765 });
    const url = 'https://hooks.example/sluice';
    const reached = { enabled: true, bind: '0.0.0.0', port: 8765, publicUrl: url };
    const options = ['--webhook-url', url, '--webhook-bind', '0.0.0.0'];
    expect(await change(bench, ...options)).toEqual(reached);
    expect((await bench.sluice(['settings'])).stdout).toContain(
      `webhook    port 8765 on 0.0.0.0, ${url}`,
    );
    expect(await change(bench, '--webhook', 'off')).toEqual({ ...reached, enabled: false });
    expect((await bench.sluice(['settings'])).stdout).toContain('webhook    off');
    expect(await change(bench, '--webhook', '8765')).toEqual(reached);
  });

  test.each([
    ['--webhook', 'on'],
    ['--webhook', '-1'],
    ['--webhook', '65536'],
    ['--webhook', '1e3'],
    ['--webhook', 'NaN'],
    ['--webhook-url', 'hooks.example'],
    ['--webhook-url', 'ftp://hooks.example'],
    ['--webhook-url', 'https://a:b@hooks.example'],
    ['--webhook-url', 'https://hooks.example/?key=1'],
  ])('%s %s is refused and changes nothing', async (option, value) => {
    const bench = await createBench();
    const before = await change(bench);
    expect((await bench.sluice(['settings', `${option}=${value}`])).exitCode).toBe(2);
    expect(await change(bench)).toEqual(before);
  });
});

test('a watch gets news through the webhook in the settings', async () => {
  const bench = await createBench();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/hooks`;
  await change(bench, '--webhook', String(port), '--webhook-url', publicUrl);
  const source = join(bench.directory, 'source');
  await mkdir(source);
  await writeFile(join(source, 'a.jpg'), tinyJpeg(1));
  const to = join(bench.directory, 'results');
  const words = ['watch', source, '--batch', 'cam', '--once', '--settle', '1'];
  const end = await bench.sluice([...words, '--workflow', 'wf', '--to', to]);
  expect(end, end.stderr).toMatchObject({ exitCode: 0 });
  expect(end.stderr).toContain(`Webhooks are received at 127.0.0.1, port ${port}.`);
  const { webhooks } = bench.service.state;
  expect(webhooks.length).toBeGreaterThan(0);
  for (const { url, status } of webhooks) {
    expect(url.startsWith(`${publicUrl}/`)).toBe(true);
    expect(status).toBe(204);
    // The secret path is what proves who the sender is.
    expect(bench.said.join('')).not.toContain(url.slice(publicUrl.length + 1));
  }
});

test('a webhook whose port is in use is reported, and the watch continues without it', async () => {
  const bench = await createBench();
  const taken = createServer();
  const port = await portOf(taken);
  try {
    await change(bench, '--webhook', String(port), '--webhook-url', 'https://hooks.example');
    const source = join(bench.directory, 'source');
    await mkdir(source);
    await writeFile(join(source, 'a.jpg'), tinyJpeg(1));
    const end = await bench.sluice(['watch', source, '--batch', 'cam', '--once', '--settle', '1']);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    expect(end.stderr).toContain(
      `Webhooks are not received: port ${port} is taken by another program.`,
    );
    expect(bench.service.state.webhooks).toEqual([]);
  } finally {
    taken.close();
  }
});
