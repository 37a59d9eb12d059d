/** The workflows: none has more rights than it needs. actionlint finds all other mistakes (build/stages.ts). */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const files = globSync('.github/workflows/*.yml', { cwd: ROOT });

test('there is a check and a release', () => {
  expect(files.sort()).toEqual(['.github/workflows/check.yml', '.github/workflows/release.yml']);
});

describe.each(files)('%s', (path) => {
  test('starts with read permission only, and puts no foreign text into a script', async () => {
    const text = await readFile(join(ROOT, path), 'utf8');
    expect(text).toContain('\npermissions:\n  contents: read\n');
    expect(text).not.toContain('pull_request_target');
    const scripts = text.match(/run: \|\n(?: {10}.*\n|\n)+|run: [^|\n].*/g) ?? [];
    expect(scripts.length).toBeGreaterThan(5);
    for (const script of scripts) expect(script).not.toContain('${{');
    const checkouts = text.split('actions/checkout@').slice(1);
    for (const one of checkouts) expect(one.slice(0, 80)).toContain('persist-credentials: false');
    for (const job of text.split(/\n {2}(?=[\w-]+:\n)/).slice(1)) {
      if (job.includes('runs-on:')) expect(job).toContain('timeout-minutes:');
    }
  });
});

test('three systems run the same tests, in Electron itself', async () => {
  const text = await readFile(join(ROOT, '.github/workflows/check.yml'), 'utf8');
  expect(text).toContain('SLUICE_RUNTIME: electron');
  for (const system of ['ubuntu', 'macos', 'windows'])
    expect(text).toMatch(new RegExp(`system: .*${system}-`));
});
