/** Every one of the specification's 18 operations is done from the command line, in either dialect and with nothing else. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sample, tinyImages } from '../helpers/media.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';

const STAGING = String.raw`/data-staging/v1/external/demo/batches`;
const JOBS = String.raw`/batch-processing/v1/external/demo/jobs`;

interface Operation {
  readonly name: string;
  readonly method: string;
  /** What the service must have seen; the live spelling where it differs. */
  readonly path: RegExp;
  readonly live?: { readonly method: string; readonly path: RegExp };
  readonly command: readonly string[];
}

const PEOPLE = ['--labeler', 'labeler@example.com', '--reviewer', 'reviewer@example.com'];
const NEW_JOB = ['--name', 'Second half', '--batch', 'Day shift', '--images', '10', ...PEOPLE];

/** In an order in which each finds what it needs; IMAGES and CLIPS are directories. */
const OPERATIONS: readonly Operation[] = [
  {
    name: 'Upload video',
    method: 'POST',
    path: new RegExp(`^${STAGING}/clips/upload/video$`),
    command: ['upload', 'CLIPS', '--batch', 'clips'],
  },
  {
    name: 'Upload image',
    method: 'POST',
    path: new RegExp(`^${STAGING}/few/upload/image$`),
    command: ['upload', 'IMAGES', '--batch', 'few', '--mode', 'single'],
  },
  {
    name: 'Bulk upload images',
    method: 'POST',
    path: new RegExp(`^${STAGING}/many/bulk-upload/image-files$`),
    command: ['upload', 'IMAGES', '--batch', 'many', '--mode', 'bulk'],
  },
  {
    name: 'Get batch item count',
    method: 'GET',
    path: new RegExp(`^${STAGING}/many/count$`),
    command: ['batch', 'count', 'many'],
  },
  {
    name: 'Get shard upload details',
    method: 'GET',
    path: new RegExp(`^${STAGING}/many/shards$`),
    command: ['batch', 'shards', 'many'],
  },
  {
    name: 'Start job',
    method: 'POST',
    path: new RegExp(`^${JOBS}/night-1$`),
    command: ['job', 'start', 'night-1', '--batch', 'many', '--workflow', 'find-caps'],
  },
  {
    name: 'Get job status',
    method: 'GET',
    path: new RegExp(`^${JOBS}/night-1$`),
    command: ['job', 'status', 'night-1'],
  },
  {
    name: 'List job stages',
    method: 'GET',
    path: new RegExp(`^${JOBS}/night-1/stages$`),
    command: ['job', 'follow', 'night-1'],
  },
  {
    name: 'List stage tasks',
    method: 'GET',
    path: new RegExp(`^${JOBS}/night-1/stages/[^/]+/tasks$`),
    command: ['job', 'tasks', 'night-1', 'processing'],
  },
  {
    name: 'List output parts',
    method: 'GET',
    path: new RegExp(`^${STAGING}/night-1-export/parts$`),
    command: ['batch', 'parts', 'night-1-export'],
  },
  {
    name: 'List download URLs',
    method: 'GET',
    path: new RegExp(`^${STAGING}/night-1-export/list$`),
    command: ['batch', 'files', 'night-1-export'],
  },
  {
    name: 'List folders',
    method: 'GET',
    path: /^\/demo\/folders$/,
    live: { method: 'GET', path: /^\/demo\/groups$/ },
    command: ['folder', 'list'],
  },
  {
    name: 'Create folder',
    method: 'POST',
    path: /^\/demo\/folders$/,
    live: { method: 'POST', path: /^\/demo\/groups$/ },
    command: ['folder', 'create', 'Night shift', '--parent', 'folder-quality'],
  },
  {
    name: 'Move project to folder',
    method: 'POST',
    path: /^\/demo\/folders\/[^/]+\/projects$/,
    live: { method: 'PATCH', path: /^\/demo\/groups\/[^/]+\/projects$/ },
    command: ['folder', 'move', 'demo/street-signs', 'leaf-damage', '--to', 'Night shift'],
  },
  {
    name: 'Annotation insights',
    method: 'GET',
    path: /^\/demo\/bottle-caps\/annotationInsights$/,
    live: { method: 'GET', path: /^\/demo\/stats$/ },
    command: ['project', 'insights', 'bottle-caps'],
  },
  {
    name: 'List image batches',
    method: 'GET',
    path: /^\/demo\/bottle-caps\/batches$/,
    command: ['project', 'batches', 'bottle-caps', '--sort', 'created'],
  },
  {
    name: 'List annotation jobs',
    method: 'GET',
    path: /^\/demo\/bottle-caps\/jobs$/,
    command: ['annotation-job', 'list', 'bottle-caps'],
  },
  {
    name: 'Create annotation job',
    method: 'POST',
    path: /^\/demo\/bottle-caps\/jobs$/,
    command: ['annotation-job', 'create', 'bottle-caps', ...NEW_JOB],
  },
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

describe.each(SERVICES)('all 18 operations %s', (_, options) => {
  test('are done by commands, and seen by the service', async () => {
    const bench = await createBench(options);
    const places = await writeMedia(bench);
    const seen: string[] = [];
    for (const operation of OPERATIONS) {
      const { method, path } =
        options.dialect === 'live' ? (operation.live ?? operation) : operation;
      const before = bench.service.log.count(method, path);
      const command = operation.command.map((word) => places.get(word) ?? word);
      const end = await bench.sluice(command, { json: true });
      expect(end.exitCode, `${operation.name}: ${end.stderr}`).toBe(0);
      expect(eventsOf(end.stdout).length, operation.name).toBeGreaterThan(0);
      const answered = bench.service.log.find(method, path).slice(before);
      if (answered.some(({ status }) => status !== null && status < 300)) seen.push(operation.name);
    }
    expect(OPERATIONS).toHaveLength(18);
    expect(seen).toEqual(OPERATIONS.map(({ name }) => name));
    expect(bench.service.state.violations).toEqual([]);
    const all = bench.said.join('');
    expect(all).not.toContain(bench.service.apiKey);
    expect(all).not.toMatch(/X-Goog-Signature/i);
  });
});
