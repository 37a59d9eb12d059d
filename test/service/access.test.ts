/** Who may call what: keys, workspaces, dialects, specification only; and what is logged about a call. */
import { afterEach, describe, expect, test } from 'vitest';
import { tinyPng } from '../helpers/media.ts';
import {
  createReferenceService,
  type ReferenceService,
  type ServiceOptions,
} from './referenceService.ts';
import {
  batchPath,
  call,
  dig,
  jobPath,
  listIn,
  registerShard,
  send,
  uploadImage,
} from './testRequests.ts';

let service: ReferenceService;
const start = async (options: ServiceOptions = {}): Promise<void> => {
  service = await createReferenceService(options);
};
afterEach(() => service.close());

describe('keys', () => {
  test('in the query or as a Bearer header, and every one given must be right', async () => {
    await start();
    const path = '/demo/folders';
    const bearer = (key: string) => ({ key: null, headers: { authorization: `Bearer ${key}` } });
    expect((await call(service, 'GET', path)).status).toBe(200);
    expect((await call(service, 'GET', path, bearer('demo-key'))).status).toBe(200);
    const lower = { key: null, headers: { authorization: 'bearer demo-key' } };
    expect((await call(service, 'GET', path, lower)).status, 'RFC 9110, 11.1').toBe(200);
    expect((await call(service, 'GET', path, { key: null })).status).toBe(401);
    expect((await call(service, 'GET', path, { key: 'other' })).status).toBe(401);
    expect((await call(service, 'GET', path, bearer('other'))).status).toBe(401);
    const both = { headers: { authorization: 'Bearer other' } };
    const refused = await call(service, 'GET', path, both);
    expect(refused.status).toBe(401);
    expect(typeof dig(refused.json, 'error')).toBe('string');
  });

  test('of one workspace do not open another', async () => {
    await start();
    const elsewhere = { ...service, workspace: 'other' };
    expect((await call(elsewhere, 'GET', batchPath(elsewhere, 'b', 'count'))).status).toBe(403);
  });
});

test('unknown query parameters, repeated ones and bodies of registrations are noted', async () => {
  await start();
  await call(service, 'GET', batchPath(service, 'b', 'count'), { query: { page: '1' } });
  await send('GET', `${service.url}/?api_key=demo-key&api_key=demo-key`);
  const path = batchPath(service, 'b', 'bulk-upload/image-files');
  await call(service, 'POST', path, { json: {} });
  expect(service.state.violations.map(({ rule }) => rule)).toEqual([
    'unknown-query-parameter',
    'repeated-query-parameter',
    'body-at-registration',
  ]);
});

describe('dialects', () => {
  const insights = {
    query: { startDate: '2023-08-01', endDate: '2099-01-01', project: 'bottle-caps' },
  };

  test('spec answers the paths of the specification only', async () => {
    await start();
    expect((await call(service, 'GET', '/demo/folders')).status).toBe(200);
    expect((await call(service, 'GET', '/demo/bottle-caps/annotationInsights')).status).toBe(200);
    expect((await call(service, 'GET', '/demo/groups')).status).toBe(404);
    expect((await call(service, 'GET', '/demo/stats', insights)).status).toBe(404);
  });

  test('live answers the live paths only, and 404 where there are no folders', async () => {
    await start({ dialect: 'live' });
    expect((await call(service, 'GET', '/demo/groups')).status).toBe(200);
    expect((await call(service, 'GET', '/demo/stats', insights)).status).toBe(200);
    expect((await call(service, 'GET', '/demo/stats')).status).toBe(400);
    expect((await call(service, 'GET', '/demo/folders')).status).toBe(404);
    expect((await call(service, 'GET', '/demo/bottle-caps/annotationInsights')).status).toBe(404);
    const move = { json: { projects: ['leaf-damage'] } };
    const path = '/demo/groups/folder-line-2/projects';
    expect((await call(service, 'PATCH', path, move)).status).toBe(204);
    service.state.projects.folders.splice(0);
    expect((await call(service, 'GET', '/demo/groups')).status).toBe(404);
  });

  test('spec-only has no extras', async () => {
    await start({ specOnly: true });
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    const extras = [
      '/',
      '/demo',
      '/data-staging/v1/external/demo/batches',
      '/data-staging/v1/external/demo/batches/b',
      '/batch-processing/v1/external/demo/jobs',
      jobPath(service, 'j', '/logs'),
      '/demo/groups',
    ];
    for (const path of extras)
      expect([path, (await call(service, 'GET', path)).status]).toEqual([path, 404]);
    expect((await call(service, 'POST', jobPath(service, 'j', '/abort'))).json).toEqual({
      error: 'Not found.',
    });
    expect((await call(service, 'GET', batchPath(service, 'b', 'count'))).status).toBe(200);
    expect((await call(service, 'GET', '/demo/folders')).status).toBe(200);
  });
});

describe('pages', () => {
  test('end, contain everything once, and refuse invalid sizes and tokens', async () => {
    await start();
    for (let number = 0; number < 7; number += 1) await registerShard(service, 'b');
    const path = batchPath(service, 'b', 'shards');
    const seen: unknown[] = [];
    let token: string | null = null;
    do {
      const query = { pageSize: '3', ...(token === null ? {} : { nextPageToken: token }) };
      const { json } = await call(service, 'GET', path, { query });
      seen.push(...listIn(json, 'shards').map((shard) => dig(shard, 'shardId')));
      const next = dig(json, 'nextPageToken');
      token = typeof next === 'string' ? next : null;
    } while (token !== null);
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    for (const query of [{ pageSize: '0' }, { pageSize: 'x' }, { nextPageToken: 'x' }])
      expect((await call(service, 'GET', path, { query })).status).toBe(400);
  });
});

test('the log remembers method, path, names of the query, sizes, status and connection', async () => {
  await start();
  await uploadImage(service, 'b', 'a.png', tinyPng(1));
  await call(service, 'GET', batchPath(service, 'b', 'count'));
  expect(service.log.requests).toMatchObject([
    { method: 'POST', queryNames: ['fileName', 'api_key'], status: 200 },
    { method: 'GET', path: batchPath(service, 'b', 'count'), status: 200 },
  ]);
  expect(service.log.count('GET', /count$/)).toBe(1);
  expect(service.log.requests[0]?.receivedBytes).toBeGreaterThan(tinyPng(1).length);
});
