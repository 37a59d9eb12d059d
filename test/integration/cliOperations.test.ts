/** Each of the specification's 18 operations works from the command line alone, in either dialect. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newKey } from './apiKey.ts';
import { sample, tinyImages } from '../helpers/media.ts';
import { OPERATIONS, timesDone } from '../helpers/operations.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';

const PEOPLE = ['--labeler', 'labeler@example.com', '--reviewer', 'reviewer@example.com'];
const NEW_JOB = ['--name', 'Second half', '--batch', 'Day shift', '--images', '10', ...PEOPLE];

/** Ordered so that each finds what it needs; IMAGES and CLIPS are directories. */
const COMMANDS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['Upload video', ['upload', 'CLIPS', '--batch', 'clips']],
  ['Upload image', ['upload', 'IMAGES', '--batch', 'few', '--mode', 'single']],
  ['Bulk upload images', ['upload', 'IMAGES', '--batch', 'many', '--mode', 'bulk']],
  ['Get batch item count', ['batch', 'count', 'many']],
  ['Get shard upload details', ['batch', 'shards', 'many']],
  ['Start job', ['job', 'start', 'night-1', '--batch', 'many', '--workflow', 'find-caps']],
  ['Get job status', ['job', 'status', 'night-1']],
  ['List job stages', ['job', 'follow', 'night-1']],
  ['List stage tasks', ['job', 'tasks', 'night-1', 'processing']],
  ['List output parts', ['batch', 'parts', 'night-1-export']],
  ['List download URLs', ['batch', 'files', 'night-1-export']],
  ['List folders', ['folder', 'list']],
  ['Create folder', ['folder', 'create', 'Night shift', '--parent', 'folder-quality']],
  [
    'Move project to folder',
    ['folder', 'move', 'demo/street-signs', 'leaf-damage', '--to', 'Night shift'],
  ],
  ['Annotation insights', ['project', 'insights', 'bottle-caps']],
  ['List image batches', ['project', 'batches', 'bottle-caps', '--sort', 'created']],
  ['List annotation jobs', ['annotation-job', 'list', 'bottle-caps']],
  ['Create annotation job', ['annotation-job', 'create', 'bottle-caps', ...NEW_JOB]],
];

async function writeMedia(bench: Bench): Promise<ReadonlyMap<string, string>> {
  const places = new Map([
    ['IMAGES', join(bench.directory, 'images')],
    ['CLIPS', join(bench.directory, 'clips')],
  ]);
  for (const place of places.values()) await mkdir(place);
  for (const { name, content } of tinyImages(5)) {
    await writeFile(join(bench.directory, 'images', name), content);
  }
  await writeFile(join(bench.directory, 'clips', 'belt.mp4'), await sample('mp4'));
  return places;
}

const SERVICES: readonly (readonly [string, ServiceOptions])[] = [
  ['in the spelling of the specification', { dialect: 'spec' }],
  ['in the live spelling', { dialect: 'live' }],
  ['of a service that has nothing else', { dialect: 'spec', specOnly: true }],
];

test.each(['shards', 'parts', 'files'])(
  'a batch without %s is reported in words',
  async (things) => {
    const bench = await createBench();
    const { exitCode, stdout } = await bench.sluice(['batch', things, 'mistyped']);
    const said = `No ${things}: batch mistyped has none, or the service does not know it.`;
    expect([exitCode, stdout.trim()]).toEqual([0, said]);
  },
);

test('a workspace without batches is reported in words', async () => {
  const bench = await createBench();
  expect((await bench.sluice(['batch', 'list'])).stdout).toMatch(/^No batches yet\./);
});

test('a job is followed in lines that are said once; its end goes to standard output', async () => {
  const bench = await createBench({ settings: { queueMs: 3_000 } });
  const places = await writeMedia(bench);
  const images = places.get('IMAGES') ?? '';
  await bench.sluice(['upload', images, '--batch', 'many', '--mode', 'bulk']);
  await bench.sluice(['job', 'start', 'night-1', '--batch', 'many', '--workflow', 'find-caps']);
  bench.service.log.clear();
  const { stdout, stderr } = await bench.sluice(['job', 'follow', 'night-1']);
  expect(bench.service.log.count('GET', /\/jobs\/night-1$/)).toBeGreaterThan(3);
  const lines = stderr.trim().split('\n');
  expect(lines).toEqual([...new Set(lines)]);
  expect([stdout, lines.includes('Job night-1 is done.')]).toEqual([
    'Job night-1 is done.\n',
    false,
  ]);
});

describe.each(SERVICES)('all 18 operations %s', (_, options) => {
  test('are done by commands, and reach the service', async () => {
    const bench = await createBench({ ...options, apiKey: newKey() });
    const places = await writeMedia(bench);
    const seen: string[] = [];
    const live = options.dialect === 'live';
    for (const [name, words] of COMMANDS) {
      const operation = OPERATIONS.find((candidate) => candidate.name === name);
      if (operation === undefined) throw new Error(`no such operation: ${name}`);
      const before = timesDone(bench.service, operation, live);
      const command = words.map((word) => places.get(word) ?? word);
      const end = await bench.sluice(command, { json: true });
      expect(end.exitCode, `${name}: ${end.stderr}`).toBe(0);
      expect(eventsOf(end.stdout).length, name).toBeGreaterThan(0);
      if (timesDone(bench.service, operation, live) > before) seen.push(name);
    }
    expect(OPERATIONS).toHaveLength(18);
    expect(seen).toEqual(OPERATIONS.map(({ name }) => name));
    expect(bench.service.state.violations).toEqual([]);
    const all = bench.said.join('');
    expect(all).not.toContain(bench.service.apiKey);
    expect(all).not.toMatch(/X-Goog-Signature/i);
  });
});

test('a definition that does not exist is not said to be no JSON', async () => {
  const bench = await createBench();
  const missing = join(bench.directory, 'definition.json');
  const start = ['job', 'start', 'auto', '--batch', 'cups', '--definition', missing];
  const { exitCode, stderr } = await bench.sluice(start);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('there is no such file')]);
});
