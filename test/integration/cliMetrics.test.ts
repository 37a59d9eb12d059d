/** What a monitoring system sees: `sluice metrics`, `watch --metrics`, and the documented shape of `status --json`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { tinyImages, tinyJpeg } from '../helpers/media.ts';
import { startProcess } from './childCli.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';

const LIMIT = { timeout: 20_000, interval: 50 };

const SAMPLE = /^(sluice_[a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})? (-?[0-9.e+]+)$/;

/**
 * The samples of a page; fails if it is not OpenMetrics: each family once, its samples after its header, no sample twice. The node exporter
 * knows no other types than these two.
 */
function samplesOf(page: string): ReadonlyMap<string, number> {
  const lines = page.trimEnd().split('\n');
  expect(lines.at(-1)).toBe('# EOF');
  const samples = new Map<string, number>();
  const families = new Set<string>();
  let family = '';
  for (const line of lines.slice(0, -1)) {
    const head = /^# (TYPE|UNIT|HELP) (\S+) (.+)$/.exec(line);
    if (head !== null) {
      const [, word, name = ''] = head;
      if (word === 'TYPE') {
        expect(families.has(name), `${name} once`).toBe(false);
        families.add(name);
        family = name;
        expect(head[3]).toMatch(/^(gauge|counter)$/);
      }
      expect(name).toBe(family);
      continue;
    }
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? [];
    expect(name.replace(/_total$/, ''), line).toBe(family);
    expect(samples.has(name + labels), line).toBe(false);
    samples.set(name + labels, Number(value));
  }
  return samples;
}

async function benchWithImages(count: number): Promise<{ bench: Bench; source: string }> {
  const bench = await createBench();
  const source = join(bench.directory, 'source');
  await mkdir(source);
  for (const { name, content } of tinyImages(count)) await writeFile(join(source, name), content);
  return { bench, source };
}

function valueOf(samples: ReadonlyMap<string, number>, name: RegExp): number | undefined {
  return [...samples].find(([key]) => name.test(key))?.[1];
}

test('counts what was confirmed and what needs a person, without paths and keys', async () => {
  const { bench, source } = await benchWithImages(5);
  await writeFile(join(source, 'broken.jpg'), tinyJpeg(9).subarray(0, 40));
  await bench.sluice(['upload', source, '--batch', 'cups']);
  await bench.sluice(['watch', source, '--batch', 'line-{host}', '--once', '--exclude', 'broken*']);
  const { stdout, exitCode } = await bench.sluice(['metrics']);
  expect(exitCode).toBe(0);
  const samples = samplesOf(stdout);
  expect(samples.get('sluice_running')).toBe(0);
  expect(valueOf(samples, /^sluice_items\{.*"cups".*"confirmed"/)).toBe(5);
  expect(valueOf(samples, /^sluice_items\{.*"source → line-\{host\}".*"confirmed"/)).toBe(5);
  const attention = valueOf(samples, /^sluice_items\{.*"attention"/) ?? 0;
  const skipped = valueOf(samples, /^sluice_items\{.*"skipped"/) ?? 0;
  expect(attention + skipped).toBe(1);
  expect(stdout).not.toContain(bench.service.apiKey);
  expect(stdout).not.toContain(source);
});

test('without a ledger there are no items, and no error', async () => {
  const bench = await createBench();
  const { stdout, exitCode } = await bench.sluice(['metrics']);
  expect(exitCode).toBe(0);
  expect(valueOf(samplesOf(stdout), /^sluice_items/)).toBeUndefined();
});

test('a watch serves its metrics on this computer alone, and stops with the watch', async () => {
  const { bench, source } = await benchWithImages(3);
  const watch = startProcess(
    ['watch', source, '--batch', 'cups', '--settle', '1', '--metrics', '0'],
    {
      SLUICE_API_URL: bench.service.url,
      SLUICE_API_KEY: bench.service.apiKey,
      SLUICE_DATA_DIR: bench.dataDirectory,
    },
  );
  let said = '';
  watch.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const address = await vi.waitUntil(() => /http:\S+\/metrics/.exec(said)?.[0], LIMIT);
  expect(new URL(address).hostname).toBe('127.0.0.1');
  const page = async (): Promise<ReadonlyMap<string, number>> => {
    const answer = await fetch(address);
    expect(answer.headers.get('content-type')).toContain('application/openmetrics-text');
    return samplesOf(await answer.text());
  };
  await vi.waitUntil(
    async () => valueOf(await page(), /^sluice_items\{.*"confirmed"/) === 3,
    LIMIT,
  );
  expect(valueOf(await page(), /^sluice_sent_bytes_total/)).toBeGreaterThan(0);
  expect((await page()).get('sluice_running')).toBe(1);
  expect((await fetch(address.replace('/metrics', '/'))).status).toBe(404);
  expect((await fetch(address, { method: 'POST' })).status).toBe(404);
  watch.process.kill('SIGTERM');
  await watch.ended;
  await expect(fetch(address)).rejects.toThrow();
});

test('a port in use is reported, and the watch does not start', async () => {
  const { bench, source } = await benchWithImages(1);
  const taken = new URL(bench.service.url).port;
  const end = await bench.sluice(['watch', source, '--batch', 'cups', '--metrics', taken]);
  expect(end.exitCode).toBe(2);
  expect(end.stderr).toContain('taken by another program');
});

test('an address that this computer does not have yet is waited for, so it is no wrong usage', async () => {
  const { bench, source } = await benchWithImages(1);
  const at = ['--metrics', '192.0.2.1:9464'];
  const end = await bench.sluice(['watch', source, '--batch', 'cups', ...at, '--once']);
  expect(end.exitCode).toBe(5);
  expect(end.stderr).toContain('192.0.2.1 is not an address of this computer');
});

test('status --json is as docs/status.schema.json says', async () => {
  const { bench, source } = await benchWithImages(4);
  await writeFile(join(source, 'broken.jpg'), tinyJpeg(9).subarray(0, 40));
  await bench.sluice(['upload', source, '--batch', 'cups']);
  const url = new URL('../../docs/status.schema.json', import.meta.url);
  const schema = z.fromJSONSchema(JSON.parse(await readFile(url, 'utf8')));
  for (const data of [bench.dataDirectory, join(bench.directory, 'nothing')]) {
    const { stdout } = await bench.sluice(['status'], {
      json: true,
      environment: { SLUICE_DATA_DIR: data },
    });
    expect(schema.safeParse(eventsOf(stdout)[0])).toMatchObject({ success: true });
  }
});
