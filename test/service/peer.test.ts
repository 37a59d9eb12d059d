/**
 * The service's own command line client must work here. Its requests are replayed byte for byte, and each property that it
 * relies on is checked; when SLUICE_PEER names that client (a program to run), it is run as well.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sample, tinyImages, tinyPng } from '../helpers/media.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import { headerOf } from './requestLog.ts';
import { batchPath, call, dig, jobBody, jobPath, listIn, raw, textIn } from './testRequests.ts';

let service: ReferenceService;

beforeEach(async () => {
  service = await createReferenceService({
    settings: { indexingMs: 1, queueMs: 1, stageMs: 4, pageSize: 100 },
  });
});
afterEach(() => service.close());

/** A request with the headers that the client's HTTP library sends, and no others. Each uses a separate connection. */
async function peerRequest(
  method: string,
  url: string,
  extra: readonly string[] = [],
  body: Uint8Array = Buffer.alloc(0),
): Promise<{ readonly status: number; readonly json: unknown }> {
  const { pathname, search, host } = new URL(url);
  const length = method === 'GET' ? [] : [`Content-Length: ${body.byteLength}`];
  const head = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: python-requests/2.32.3',
    'Accept-Encoding: gzip, deflate',
    'Accept: */*',
    'Connection: close',
    ...extra,
    ...length,
    '',
    '',
  ];
  const answer = await raw(service, Buffer.concat([Buffer.from(head.join('\r\n')), body]));
  const content = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  return { status, json: /^\s*\{/.test(content) ? JSON.parse(content) : undefined };
}

const api = (path: string, query = ''): string =>
  `${service.url}${path}?api_key=${service.apiKey}${query}`;

/** The client's form: the file's name is the field's name too, and the part has no Content-Type. */
function peerForm(name: string, content: Uint8Array): readonly [readonly string[], Buffer] {
  const boundary = 'd1e7a2c48f0b4c6f9a3b5d7e8f901234';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  return [
    [`Content-Type: multipart/form-data; boundary=${boundary}`],
    Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  ];
}

/** Uploads an image into the batch `b` as the client does. */
function uploadImage(name: string, content: Uint8Array) {
  const [headers, body] = peerForm(name, content);
  const url = api(batchPath(service, 'b', 'upload/image'), `&fileName=${name}`);
  return peerRequest('POST', url, headers, body);
}

const BLOCK = 512;

function tarHeader(name: string, sizeBytes: number, flag: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('14527630000\0', 136);
  header.write('        ', 148);
  header.write(flag, 156);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function padded(bytes: Uint8Array, to = BLOCK): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((to - (bytes.byteLength % to)) % to)]);
}

/** A pax archive as Python's tarfile writes it: an `x` header with a fractional mtime before each member, padded to 10,240 bytes. */
function peerTar(members: readonly (readonly [string, Uint8Array])[]): Buffer {
  const blocks = members.flatMap(([name, content]) => {
    const record = Buffer.from('28 mtime=1700000000.1234567\n');
    return [
      tarHeader('././@PaxHeader', record.length, 'x'),
      padded(record),
      tarHeader(name, content.byteLength, '0'),
      padded(content),
    ];
  });
  return padded(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), 10_240);
}

const signed = (json: unknown): readonly [string, readonly string[]] => [
  textIn(json, 'signedURLDetails', 'uploadURL'),
  Object.entries(dig(json, 'signedURLDetails', 'extensionHeaders') ?? {}).map(
    ([name, value]) => `${name}: ${value}`,
  ),
];

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

describe('what the client sends', () => {
  test('asks for its workspace before every command', async () => {
    const { status, json } = await peerRequest('GET', api('/'));
    expect([status, textIn(json, 'workspace')]).toEqual([200, 'demo']);
  });

  test('single images: the field is named after the file, the part has no type', async () => {
    expect((await uploadImage('i1.jpg', await sample('jpeg'))).status).toBe(200);
    expect(service.state.objects('b')).toMatchObject([{ name: 'i1.jpg' }]);
    expect(service.state.violations).toEqual([]);
  });

  test('shards: registered without a body, PUT without Content-Type or key, pax with fractional times', async () => {
    const bulk = api(batchPath(service, 'b', 'bulk-upload/image-files'), '&displayName=My+batch');
    const [url, headers] = signed((await peerRequest('POST', bulk)).json);
    const config = JSON.stringify({ ingestId: 'i1', notificationsURL: `${service.url}/nobody` });
    const archive = peerTar([
      ['a.png', tinyPng(1)],
      ['b.png', tinyPng(2)],
      ['notification_config.json', Buffer.from(config)],
    ]);
    expect((await peerRequest('PUT', url, headers, archive)).status).toBe(200);
    const [logged] = service.log.find('PUT', /^\/storage\//);
    expect(logged === undefined ? '' : headerOf(logged, 'content-type')).toBeNull();
    await expect.poll(() => service.state.objects('b').length).toBe(2);
    expect(service.state.batch('b')?.displayName).toBe('My batch');
    expect(service.state.violations).toEqual([]);
  });

  test('videos', async () => {
    const video = api(batchPath(service, 'v', 'upload/video'), '&fileName=clip.mp4');
    const [url, headers] = signed((await peerRequest('POST', video)).json);
    const content = await sample('mp4');
    expect((await peerRequest('PUT', url, headers, content)).status).toBe(200);
    expect(service.state.objects('v')).toMatchObject([
      { name: 'clip.mp4', sizeBytes: content.length },
    ]);
  });

  test('a job, with nulls dropped and one field that it always sends', async () => {
    await uploadImage('i1.png', tinyPng(1));
    const definition = {
      type: 'simple-image-processing-v1',
      jobInput: { type: 'staging-batch-input-v1', batchId: 'b' },
      computeConfiguration: { type: 'compute-configuration-v2' },
      processingSpecification: {
        type: 'workflows-processing-specification-v1',
        workspace: 'demo',
        workflowId: 'count-things',
        persistImagesOutputs: false,
      },
    };
    const json = Buffer.from(JSON.stringify(definition));
    const job = api(jobPath(service, 'job-abcdefghijkl'));
    expect((await peerRequest('POST', job, ['Content-Type: application/json'], json)).status).toBe(
      200,
    );
    await expect.poll(() => service.state.jobs.get('job-abcdefghijkl')?.isTerminal).toBe(true);
    expect(
      (await peerRequest('POST', api(jobPath(service, 'job-abcdefghijkl', '/restart')))).status,
    ).toBe(409);
    expect(service.state.violations).toEqual([]);
  });
});

describe('what the client insists on', () => {
  const get = async (path: string): Promise<unknown> => (await peerRequest('GET', api(path))).json;
  const fields = (json: unknown): readonly string[] => Object.keys(Object(json));

  async function runJob(): Promise<void> {
    await uploadImage('i1.png', tinyPng(1));
    const json = jobBody(service, 'b');
    await call(service, 'POST', jobPath(service, 'j'), { json });
    await expect.poll(() => service.state.jobs.get('j')?.isTerminal).toBe(true);
  }

  test('the key nextPageToken on jobs and tasks, also at the end of an empty list', async () => {
    const jobs = '/batch-processing/v1/external/demo/jobs';
    expect(fields(await get(jobs))).toContain('nextPageToken');
    await runJob();
    expect(fields(await get(jobs))).toContain('nextPageToken');
    for (const stage of listIn(await get(jobPath(service, 'j', '/stages')), 'stages')) {
      const path = jobPath(service, 'j', `/stages/${textIn(stage, 'processingStageId')}/tasks`);
      expect(fields(await get(path))).toContain('nextPageToken');
    }
  });

  test('times with a zone', async () => {
    await runJob();
    const instants = [
      dig(await get('/data-staging/v1/external/demo/batches/b'), 'batch', 'createdDate'),
      dig(await get('/data-staging/v1/external/demo/batches/b'), 'batch', 'expiryDate'),
      dig(await get(jobPath(service, 'j')), 'job', 'createdAt'),
      dig(await get(jobPath(service, 'j')), 'job', 'lastUpdate'),
      dig(await get(jobPath(service, 'j', '/stages')), 'stages', 0, 'startTimestamp'),
      dig(await get(jobPath(service, 'j', '/stages')), 'stages', 0, 'lastEventTimestamp'),
      dig(await get(jobPath(service, 'j', '/logs')), 'logs', 0, 'createdAt'),
    ];
    for (const instant of instants) expect(String(instant)).toMatch(ZONED);
  });

  test('at least one task in a stage, and a notification that is not null', async () => {
    await runJob();
    const stages = listIn(await get(jobPath(service, 'j', '/stages')), 'stages');
    expect(stages).toHaveLength(2);
    for (const stage of stages) {
      expect(Number(dig(stage, 'tasksNumber'))).toBeGreaterThanOrEqual(1);
      expect(typeof dig(stage, 'notification')).toBe('string');
      const path = jobPath(service, 'j', `/stages/${textIn(stage, 'processingStageId')}/tasks`);
      for (const task of listIn(await get(path), 'tasks'))
        expect(typeof dig(task, 'notification')).toBe('string');
    }
  });

  test('batch metadata with a type that it knows, before it exports part by part', async () => {
    await runJob();
    const known = ['simple-batch', 'sharded-batch', 'multipart-batch'];
    const { batch } = Object(await get('/data-staging/v1/external/demo/batches/j-export'));
    expect(known).toContain(dig(batch, 'batchType'));
    expect(fields(batch)).toEqual(
      expect.arrayContaining(['displayName', 'batchId', 'batchType', 'batchContentType']),
    );
    const parts = listIn(await get(batchPath(service, 'j-export', 'parts')), 'batchParts');
    for (const part of parts) {
      const path = `${batchPath(service, 'j-export', 'list')}`;
      const url = api(path, `&partName=${textIn(part, 'partName')}`);
      const [file] = listIn((await peerRequest('GET', url)).json, 'filesMetadata');
      expect((await peerRequest('GET', textIn(file, 'downloadURL'))).status).toBe(200);
    }
  });
});

const PEER = process.env['SLUICE_PEER'];

describe.skipIf(PEER === undefined)('the client itself', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-peer-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function peer(...words: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(PEER ?? '', ['rf-cloud', ...words], {
      cwd: directory,
      env: { ...process.env, API_BASE_URL: service.url, ROBOFLOW_API_KEY: service.apiKey },
      timeout: 120_000,
    });
    return stdout;
  }

  async function images(count: number): Promise<string> {
    const source = join(directory, `images-${count}`);
    await mkdir(source);
    for (const { name, content } of tinyImages(count)) await writeFile(join(source, name), content);
    return source;
  }

  test.each([
    ['one by one', 5],
    ['as shards', 300],
  ] as const)('uploads images %s', { timeout: 120_000 }, async (_, count) => {
    const source = await images(count);
    await peer('data-staging', 'create-batch-of-images', '--batch-id', 'b', '--images-dir', source);
    await expect.poll(() => service.state.objects('b').length).toBe(count);
    expect(service.state.doubles('b')).toEqual([]);
    await peer('data-staging', 'show-batch-details', '--batch-id', 'b');
    await peer('data-staging', 'list-batches');
    expect(service.state.violations).toEqual([]);
  });

  test('uploads videos', { timeout: 120_000 }, async () => {
    await writeFile(join(directory, 'clip.mp4'), await sample('mp4'));
    await peer(
      'data-staging',
      'create-batch-of-videos',
      '--batch-id',
      'v',
      '--videos-dir',
      directory,
    );
    expect(service.state.objects('v')).toMatchObject([{ name: 'clip.mp4' }]);
  });

  test(
    'starts a job, shows its stages, and exports the results',
    { timeout: 120_000 },
    async () => {
      const source = await images(40);
      await peer(
        'data-staging',
        'create-batch-of-images',
        '--batch-id',
        'b',
        '--images-dir',
        source,
      );
      await expect.poll(() => service.state.objects('b').length).toBe(40);
      const start = ['process-images-with-workflow', '--batch-id', 'b', '--workflow-id', 'w'];
      await peer('batch-processing', ...start, '--job-id', 'j');
      await expect.poll(() => service.state.jobs.get('j')?.isTerminal).toBe(true);
      await peer('batch-processing', 'list-jobs');
      expect(await peer('batch-processing', 'show-job-details', '--job-id', 'j')).toMatch('export');
      const target = join(directory, 'out');
      await peer('data-staging', 'export-batch', '--batch-id', 'j-export', '--target-dir', target);
      expect(await readdir(join(target, 'summary'))).toContain('summary.csv');
    },
  );
});
