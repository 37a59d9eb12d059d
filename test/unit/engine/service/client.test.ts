import { describe, expect, it, test } from 'vitest';
import type { HttpAnswer, HttpFailure } from '../../../../main/engine/core/ports.ts';
import { allPages } from '../../../../main/engine/service/api/paging.ts';
import { proxyFromEnvironment } from '../../../../main/engine/service/http/proxy.ts';
import { ANSWERS } from './answers.ts';
import { bodyOf, clientFor, clientOf, KEY, scripted } from './testClient.ts';
import { answering, handling, type Reply, type SeenRequest } from './testServer.ts';

const paths = (seen: readonly SeenRequest[]): string[] =>
  seen.map((one) => `${one.method} ${one.path}`);
const failure = (fault: HttpFailure['fault']): HttpFailure => ({
  kind: 'failure',
  fault,
  maybeSent: true,
  detail: 'x',
});
function answer(status: number, headers: HttpAnswer['headers'] = {}): HttpAnswer {
  async function* nothing(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('{"count":1}'));
  }
  return {
    kind: 'answer',
    status,
    headers,
    body: Object.assign(nothing(), { dispose: () => undefined }),
  };
}

describe('the key', () => {
  it('is in a header of the pipeline once that is known, and always in the query of projects', async () => {
    const server = await answering((seen) => ({
      body: seen.path === '/acme/folders' ? ANSWERS.folders : ANSWERS.count,
    }));
    const { client, signal } = clientFor(server.url, {}, undefined, 'header');
    await client.askCount('b1', null, signal);
    await client.listFolders(signal);
    expect(server.seen[0]?.query).toEqual({});
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(server.seen[1]?.query).toEqual({ api_key: KEY });
    expect(server.seen[1]?.headers).not.toHaveProperty('authorization');
  });

  it.each(['query', 'header'] as const)(
    'never goes to a signed address, even on the same host (%s)',
    async (carrier) => {
      const server = await answering(() => ({ body: 'x' }));
      const { client, signal } = clientFor(server.url, {}, undefined, carrier);
      const url = `${server.url}/o?sig=1`;
      const headers = { 'x-goog-meta': 'a' };
      const put = await client.putSigned({ url, headers }, bodyOf('abc'), signal);
      expect(put).toMatchObject({ ok: true, value: { alreadyThere: false } });
      const got = await client.getSigned(url, { fromByte: 5, ifRange: '"e"' }, signal);
      if (got.ok) got.value.body.dispose();
      expect(server.seen.map((one) => one.query)).toEqual([{ sig: '1' }, { sig: '1' }]);
      expect(server.seen[0]?.headers).toMatchObject({ 'x-goog-meta': 'a', 'content-length': '3' });
      expect(server.seen[0]?.headers).not.toHaveProperty('content-type');
      expect(server.seen[1]?.headers).toMatchObject({ range: 'bytes=5-', 'if-range': '"e"' });
      expect(JSON.stringify(server.seen.map((one) => one.headers))).not.toContain(KEY);
    },
  );

  it('does not follow a redirect to another host', async () => {
    const other = await answering(() => ({ body: ANSWERS.count }));
    const server = await answering(() => ({ status: 307, headers: { location: other.url } }));
    const { client, signal } = clientFor(server.url);
    const told = await client.askCount('b1', null, signal);
    expect(told).toMatchObject({
      error: { code: 'network.intercepted', context: { status: 307 } },
    });
    expect(other.seen).toEqual([]);
  });

  it('is in no error and no log line', async () => {
    const server = await answering(() => ({ status: 400, body: { error: `bad key ${KEY}` } }));
    const broken = await answering((seen) => ({
      body: `<html>${KEY} ${JSON.stringify(seen.query)}`,
    }));
    const first = clientFor(server.url);
    const second = clientFor(broken.url);
    const told = [
      await first.client.askCount('b1', null, first.signal),
      await second.client.askCount('b1', null, second.signal),
    ];
    const text = JSON.stringify([told, first.log, second.log]);
    expect(text).toContain('[hidden]');
    expect(text).not.toContain(KEY);
  });
});

describe('addresses', () => {
  test.each(['/', '///', '/prefix', '/prefix/', '/prefix?x=1#y'])(
    'a base that ends in %j',
    async (end) => {
      const server = await answering(() => ({ body: ANSWERS.count }));
      const { client, signal } = clientFor(`${server.url}${end}`);
      expect(await client.askCount('b1', null, signal)).toEqual({ ok: true, value: 42 });
      const prefix = end.startsWith('/prefix') ? '/prefix' : '';
      expect(server.seen[0]?.path).toBe(`${prefix}/data-staging/v1/external/acme/batches/b1/count`);
    },
  );
  it('are two where pipeline and projects have their own', async () => {
    const pipeline = await answering(() => ({ body: ANSWERS.count }));
    const projects = await answering(() => ({ body: ANSWERS.folders }));
    const { client, signal } = clientFor(pipeline.url, { projectsUrl: projects.url });
    await client.askCount('b1', null, signal);
    await client.listFolders(signal);
    expect([pipeline.seen.length, projects.seen.length]).toEqual([1, 1]);
  });
  test.each(['', '.', '..'])(
    'an id %j is never sent, because it would change the path',
    async (id) => {
      const server = await answering(() => ({ body: {} }));
      const { client, signal } = clientFor(server.url);
      const told = await client.jobStages(id, signal);
      expect(told).toMatchObject({ error: { code: 'service.notFound' } });
      expect(server.seen).toEqual([]);
    },
  );
  it.each(['file:///etc/passwd', 'https://u:p@h.example/', 'nothing'])(
    'refuses to use %s as a signed address',
    async (url) => {
      const { client, signal, requests } = scripted(answer(200));
      const put = await client.putSigned({ url, headers: {} }, bodyOf('a'), signal);
      const got = await client.getSigned(url, null, signal);
      expect([put.ok, got.ok, requests.length]).toEqual([false, false, 0]);
    },
  );
});

describe('reads are tried again, what changes something is not', () => {
  it('asks three times, with a growing pause', async () => {
    const { client, signal, pauses, requests } = scripted(failure('lost'));
    const told = await client.askCount('b1', null, signal);
    expect(told).toMatchObject({ error: { code: 'network.lost' } });
    expect([requests.length, pauses]).toEqual([3, [500, 1000]]);
  });
  it('is content with the second answer', async () => {
    const { client, signal } = scripted(answer(503), answer(200));
    expect(await client.askCount('b1', null, signal)).toEqual({ ok: true, value: 1 });
  });
  it('waits as long as it is asked to, up to ten seconds in all', async () => {
    const first = scripted(answer(429, { 'retry-after': '4' }));
    await first.client.askCount('b1', null, first.signal);
    expect(first.pauses).toEqual([4000, 4000]);
    const second = scripted(answer(429, { 'retry-after': '60' }));
    const told = await second.client.askCount('b1', null, second.signal);
    expect(told).toMatchObject({ error: { code: 'service.busy', retryAfterMs: 60_000 } });
    expect([second.requests.length, second.pauses]).toEqual([1, []]);
  });
  it('stops asking when told to stop, and does not repeat permanent failures', async () => {
    const { client, signal, stop, requests } = scripted(failure('aborted'));
    stop.abort();
    await client.askCount('b1', null, signal);
    expect(requests).toHaveLength(1);
    const second = scripted(answer(401));
    const told = await second.client.askCount('b1', null, second.signal);
    expect(told).toMatchObject({ error: { code: 'auth.rejected' } });
    expect(second.requests).toHaveLength(1);
  });
  it.each([
    ['uploadImage', 'service.noAnswer'],
    ['registerShard', 'network.lost'],
    ['startJob', 'service.noAnswer'],
    ['createAnnotationJob', 'service.noAnswer'],
    ['abortJob', 'network.lost'],
    ['putSigned', 'service.noAnswer'],
  ] as const)('%s is sent once when its answer is lost: %s', async (name, code) => {
    const { client, signal, requests } = scripted(failure('lost'));
    const target = { batchId: 'b1', fileName: 'a.jpg', displayName: null };
    const annotation = {
      name: 'n',
      imageBatchId: 'b',
      images: 1,
      labelerEmail: 'l',
      reviewerEmail: 'r',
    };
    const calls = {
      uploadImage: () =>
        client.uploadImage(target, { contentType: 'x', body: bodyOf('a') }, signal),
      registerShard: () => client.registerShard(target, signal),
      startJob: () => client.startJob('j', null, {}, signal),
      createAnnotationJob: () => client.createAnnotationJob('p', annotation, signal),
      abortJob: () => client.abortJob('j', signal),
      putSigned: () =>
        client.putSigned({ url: 'http://s.example/o', headers: {} }, bodyOf('a'), signal),
    };
    expect(await calls[name]()).toMatchObject({ error: { code } });
    expect(requests).toHaveLength(1);
  });
  it('knows that an image refused early was not taken', async () => {
    const { client, signal } = scripted({ ...answer(502), early: true });
    const url = 'http://s.example/o';
    const put = await client.putSigned({ url, headers: {} }, bodyOf('a'), signal);
    expect(put).toMatchObject({ error: { code: 'service.busy', next: 'retry' } });
  });
  it('asks first when a folder was made and the answer was cut', async () => {
    const server = await handling((incoming, response) => {
      incoming.resume();
      response.writeHead(201, { 'content-length': '100' });
      response.write('{"id":');
      incoming.on('end', () => setImmediate(() => response.destroy()));
    });
    const { client, signal, memory } = clientFor(server.url);
    memory.dialect = 'spec';
    const made = await client.createFolder({ name: 'n', parentId: null }, signal);
    expect(made).toMatchObject({ error: { code: 'service.noAnswer', next: 'unknown' } });
  });
});

describe('answers outside the schema', () => {
  test.each([
    '<html>login</html>',
    '',
    'null',
    '[]',
    '{"count":"many"}',
    '{"count":-1}',
    '{"count',
  ])('%j', async (text) => {
    const { server, client, signal, log } = await clientOf(() => ({ body: text }));
    const told = await client.askCount('b1', null, signal);
    expect(told).toMatchObject({ error: { code: 'network.intercepted', next: 'wait' } });
    expect(log.filter((line) => line.startsWith('warn service.intercepted'))).toHaveLength(3);
    expect(server.seen).toHaveLength(3);
  });
  it('keeps at most 2 KB of it in the log', async () => {
    const { client, signal, log } = await clientOf(() => ({ body: 'x'.repeat(100_000) }));
    await client.askCount('b1', null, signal);
    const line = log.find((one) => one.startsWith('warn')) ?? '';
    expect(line).toContain('x'.repeat(2048));
    expect(line).not.toContain('x'.repeat(2049));
  });
});

describe('what is not there', () => {
  const status = (code: number) => () => answering(() => ({ status: code, body: { error: 'no' } }));
  it('is null, or an empty list, for a batch that the service does not know', async () => {
    const server = await status(404)();
    const { client, signal } = clientFor(server.url);
    expect(await client.askCount('b', null, signal)).toEqual({ ok: true, value: null });
    expect(await client.askShards('b', signal)).toEqual({ ok: true, value: null });
    expect(await client.askFilesPage('b', null, null, signal)).toEqual({ ok: true, value: null });
    expect(await client.batchParts('b', signal)).toEqual({ ok: true, value: [] });
    expect(await client.batchFiles('b', null, signal)).toEqual({ ok: true, value: [] });
    expect(await client.jobStatus('j', signal)).toEqual({ ok: true, value: null });
    const missing = await client.imageBatches('p', signal);
    expect(missing).toMatchObject({ error: { code: 'service.notFound', context: { said: 'no' } } });
  });
  test.each([404, 405, 501])('extras that answer %i', async (code) => {
    const server = await status(code)();
    const { client, signal } = clientFor(server.url);
    for (const told of [
      await client.listBatches(signal),
      await client.batchMetadata('b', signal),
      await client.listJobs(signal),
      await client.jobLogs('j', signal),
      await client.listProjects(signal),
    ]) {
      expect(told).toEqual({ ok: true, value: null });
    }
  });
  it('is a conflict when a job of another definition has the id', async () => {
    const server = await status(409)();
    const { client, signal } = clientFor(server.url);
    const told = await client.startJob('j', null, {}, signal);
    expect(told).toMatchObject({ error: { code: 'job.conflict' } });
  });
});

describe('signed addresses', () => {
  test.each([
    [200, { ok: true, value: { alreadyThere: false } }],
    [412, { ok: true, value: { alreadyThere: true } }],
    [403, { error: { code: 'upload.urlExpired' } }],
    [500, { error: { code: 'service.noAnswer' } }],
  ])('a PUT answered %i', async (status, expected) => {
    const { server, client, signal } = await clientOf(() => ({ status }));
    const url = `${server.url}/o?sig=1`;
    expect(await client.putSigned({ url, headers: {} }, bodyOf('a'), signal)).toMatchObject(
      expected,
    );
  });
  test.each([
    [200, true, null],
    [206, true, null],
    [416, true, null],
    [206, false, 'service.unexpectedAnswer'],
    [204, true, 'service.unexpectedAnswer'],
    [403, true, 'upload.urlExpired'],
    [404, true, 'service.notFound'],
  ])('a GET answered %i, range asked: %s', async (status, ranged, code) => {
    const { server, client, signal } = await clientOf(() => ({ status }));
    const range = ranged ? { fromByte: 1, ifRange: '"e"' } : null;
    const got = await client.getSigned(`${server.url}/o`, range, signal);
    if (got.ok) got.value.body.dispose();
    expect(got.ok ? null : got.error.code).toBe(code);
  });
});

describe('dialects', () => {
  const live = (seen: SeenRequest): Reply => {
    if (seen.path === '/acme/groups')
      return { body: seen.method === 'GET' ? ANSWERS.folders : { id: 'g' } };
    if (seen.path === '/acme/stats') return { body: ANSWERS.insights };
    return { status: 404, body: { error: 'no' } };
  };
  const period = { from: '2026-01-01', until: '2026-01-02' };

  it('tries the specification first, then the live path, and remembers', async () => {
    const { server, client, signal, memory } = await clientOf(live);
    expect((await client.listFolders(signal)).ok).toBe(true);
    expect(memory.dialect).toBe('live');
    await client.insights('cups', period, signal);
    expect(paths(server.seen)).toEqual([
      'GET /acme/folders',
      'GET /acme/groups',
      'GET /acme/stats',
    ]);
    expect(server.seen[2]?.query).toEqual({
      startDate: period.from,
      endDate: period.until,
      project: 'cups',
      api_key: KEY,
    });
  });
  it('reads before it writes when it does not know', async () => {
    const { server, client, signal } = await clientOf(live);
    expect(await client.createFolder({ name: 'n', parentId: null }, signal)).toEqual({
      ok: true,
      value: 'g',
    });
    expect(paths(server.seen)).toEqual([
      'GET /acme/folders',
      'GET /acme/groups',
      'POST /acme/groups',
    ]);
  });
  it('remembers nothing from two 404 or from an answer that does not parse', async () => {
    const nothing = await answering(() => ({ status: 404 }));
    const first = clientFor(nothing.url);
    expect(await first.client.listFolders(first.signal)).toEqual({ ok: true, value: [] });
    expect(first.memory.dialect).toBe(null);
    const portal = await answering(() => ({ body: '<html>' }));
    const second = clientFor(portal.url);
    expect((await second.client.listFolders(second.signal)).ok).toBe(false);
    expect([second.memory.dialect, portal.seen.length]).toEqual([null, 3]);
  });
  it('sends no write when the read before it fails', async () => {
    const { server, client, signal } = await clientOf(() => ({
      status: 403,
      body: { error: 'not Enterprise' },
    }));
    const made = await client.createFolder({ name: 'n', parentId: null }, signal);
    expect(made).toMatchObject({
      error: { code: 'service.forbidden', context: { said: 'not Enterprise' } },
    });
    expect(paths(server.seen)).toEqual(['GET /acme/folders']);
  });
});

describe('the workspace', () => {
  it('is asked once and kept', async () => {
    const server = await answering((seen) => ({
      body: seen.path === '/' ? { workspace: 'other' } : ANSWERS.count,
    }));
    const { client, signal } = clientFor(server.url, { workspace: null });
    await client.askCount('b', null, signal);
    await client.askCount('b', null, signal);
    const count = 'GET /data-staging/v1/external/other/batches/b/count';
    expect(paths(server.seen)).toEqual(['GET /', count, count]);
  });
  it('is checked by one of the 18 operations where it cannot be asked', async () => {
    const server = await answering((seen) => ({ status: seen.path === '/' ? 404 : 401 }));
    const { client, signal } = clientFor(server.url);
    expect(await client.checkKey(signal)).toMatchObject({ error: { code: 'auth.rejected' } });
    const empty = await answering(() => ({ status: 404, body: { error: 'no' } }));
    const known = clientFor(empty.url);
    expect(await known.client.checkKey(known.signal)).toEqual({ ok: true, value: 'acme' });
    const unknown = clientFor(empty.url, { workspace: null });
    // It is not the batch that is missing.
    const untold = { error: { code: 'usage.invalid', context: { untold: true } } };
    expect(await unknown.client.workspace(unknown.signal)).toMatchObject(untold);
    expect(await unknown.client.askShards('b', unknown.signal)).toMatchObject(untold);
  });
});

describe('pages', () => {
  it('are followed to the end', async () => {
    const { client, signal } = await clientOf((seen) => ({
      body: {
        shards: ANSWERS.shards.shards,
        nextPageToken: { '': 'p/2', 'p/2': 'p3', p3: null }[seen.query['nextPageToken'] ?? ''],
      },
    }));
    const told = await client.askShards('b', signal);
    expect(told.ok && told.value?.length).toBe(3);
  });
  test.each([
    ['the same token forever', ['a', 'a']],
    ['a token from before', ['a', 'b', 'a']],
  ])('%s is an error', async (_name, tokens) => {
    let calls = 0;
    const page = () =>
      Promise.resolve({
        ok: true,
        value: { items: [1], nextPageToken: tokens[calls++] ?? 'a' },
      } as const);
    const told = await allPages(page, String);
    expect(told).toMatchObject({ error: { code: 'service.unexpectedAnswer' } });
    expect(calls).toBe(tokens.length);
  });
  it('end when pages contain nothing new, even if every token is new', async () => {
    let calls = 0;
    const page = () =>
      Promise.resolve({ ok: true, value: { items: [], nextPageToken: String(calls++) } } as const);
    expect(await allPages(page, String)).toMatchObject({
      error: { code: 'service.unexpectedAnswer' },
    });
    expect(calls).toBe(3);
  });
});

describe('proxies', () => {
  const environment = {
    HTTPS_PROXY: 'http://big.example:3128',
    https_proxy: 'small.example:3128',
    HTTP_PROXY: 'http://plain.example:80',
    NO_PROXY: 'internal.example, .corp.example 10.0.0.1,host.example:8443',
  };
  test.each([
    ['https://api.example', 'http://small.example:3128'],
    ['http://api.example', 'http://plain.example:80'],
    ['https://internal.example', null],
    ['https://sub.internal.example', null],
    ['https://notinternal.example', 'http://small.example:3128'],
    ['https://host.example:8443', null],
    ['https://host.example', 'http://small.example:3128'],
    ['http://127.0.0.1:9', null],
    ['http://localhost:9', null],
    ['http://[::1]:9', null],
    ['nonsense', null],
    ['https://10.0.0.1', null],
  ])('%s goes through %s', (origin, proxy) => {
    expect(proxyFromEnvironment(environment)(origin)).toBe(proxy);
  });
  test.each([
    [
      { ALL_PROXY: 'socks5h://tor.example:9050' },
      'https://api.example',
      'socks5://tor.example:9050',
    ],
    [{ all_proxy: 'socks://s.example:1' }, 'http://api.example', 'socks5://s.example:1'],
    [
      { ALL_PROXY: 'a.example:1', HTTPS_PROXY: 'b.example:2' },
      'https://c.example',
      'http://b.example:2',
    ],
    [{ ALL_PROXY: 'a.example:1', NO_PROXY: '10.0.0.0/8' }, 'http://10.1.2.3', null],
    [{ ALL_PROXY: 'a.example:1', NO_PROXY: '10.0.0.0/8' }, 'http://11.1.2.3', 'http://a.example:1'],
    [{ ALL_PROXY: 'a.example:1', NO_PROXY: 'fd00::/8' }, 'http://[fd12::1]:80', null],
    [
      { ALL_PROXY: 'a.example:1', NO_PROXY: '10.0.0.0/99,x/8' },
      'http://10.1.2.3',
      'http://a.example:1',
    ],
  ])('%o, %s: %s', (variables, origin, proxy) => {
    expect(proxyFromEnvironment(variables)(origin)).toBe(proxy);
  });
  it('are none where nothing is set or everything is excepted', () => {
    expect(proxyFromEnvironment({})('https://api.example')).toBe(null);
    expect(proxyFromEnvironment({ ...environment, no_proxy: '*' })('https://api.example')).toBe(
      null,
    );
  });
});
