/** What servers do without being asked: redirects, compressed answers, Retry-After. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import type { StreamBody } from '../../../../../main/engine/core/ports.ts';
import { ANSWERS } from '../answers.ts';
import { clientFor, clientOf, KEY } from '../testClient.ts';
import { answering, type Reply } from '../testServer.ts';

const IMAGE: StreamBody = {
  lengthBytes: 1,
  async *chunks() {
    yield Buffer.from('a');
  },
};

describe('an answer that redirects to another address', () => {
  const location = (to: string, status: number): Reply => ({ status, headers: { location: to } });

  it.each([301, 302, 303, 307, 308])('a read follows it within the origin (%i)', async (status) => {
    const { server, client, signal } = await clientOf((seen) =>
      seen.path.startsWith('/v2/') ? { body: ANSWERS.count } : location('/v2/count', status),
    );
    expect(await client.askCount('b1', null, signal)).toMatchObject({ ok: true });
    expect(server.seen[1]).toMatchObject({ path: '/v2/count', query: { api_key: KEY } });
  });

  it.each([
    [307, 'POST', 2],
    [308, 'POST', 2],
    [301, '', 1],
    [303, '', 1],
  ])('a change follows %i only where the method is kept', async (status, method, requests) => {
    const { server, client, signal } = await clientOf((seen) =>
      seen.path === '/x' ? { body: { id: 'f1' } } : location('/x', status),
    );
    const started = await client.startJob('job-1', null, { type: 'x' }, signal);
    expect(started.ok).toBe(method !== '');
    expect(server.seen).toHaveLength(requests);
    if (started.ok) expect(server.seen[1]).toMatchObject({ method, body: server.seen[0]?.body });
  });

  it.each([
    [307, true],
    [308, true],
    [302, false],
    [303, false],
  ])('an image or a file is sent again where %i says so', async (status, follows) => {
    const { server, client, signal } = await clientOf((seen) =>
      seen.path === '/x' ? { body: { status: 'ok' } } : location('/x', status),
    );
    const target = { batchId: 'b1', fileName: 'a.jpg', displayName: null };
    const image = { contentType: 'x', body: IMAGE };
    expect(await client.uploadImage(target, image, signal)).toMatchObject({ ok: follows });
    const put = await client.putSigned({ url: `${server.url}/o`, headers: {} }, IMAGE, signal);
    expect(put.ok).toBe(follows);
    const sent = ['POST a', ...(follows ? ['POST a'] : []), 'PUT a', ...(follows ? ['PUT a'] : [])];
    expect(server.seen.map(({ method, body }) => `${method} ${String(body)}`)).toEqual(sent);
  });

  it('an image goes to no other origin', async () => {
    const other = await answering(() => ({ body: { status: 'ok' } }));
    const { client, signal } = await clientOf(() => location(`${other.url}/x`, 307));
    const target = { batchId: 'b1', fileName: 'a.jpg', displayName: null };
    const sent = await client.uploadImage(target, { contentType: 'x', body: IMAGE }, signal);
    expect(sent).toMatchObject({ error: { code: 'network.intercepted', next: 'unknown' } });
    expect(other.seen).toEqual([]);
  });

  it.each(['query', 'header'] as const)('the key goes to no other origin (%s)', async (carrier) => {
    const other = await answering(() => ({ body: ANSWERS.count }));
    const server = await answering(() => location(`${other.url}/count`, 307));
    const { client, signal } = clientFor(server.url, {}, undefined, carrier);
    const counted = await client.askCount('b1', null, signal);
    const said = `it redirects to ${other.url}`;
    expect(counted).toMatchObject({
      error: { code: 'network.intercepted', context: { said } },
    });
    expect(other.seen).toEqual([]);
  });

  it('a download follows it to another host, without a key', async () => {
    const other = await answering(() => ({ body: 'bytes' }));
    const server = await answering(() => location(`${other.url}/o?sig=2`, 302));
    const { client, signal } = clientFor(server.url);
    const got = await client.getSigned(`${server.url}/o?sig=1`, null, signal);
    expect(got).toMatchObject({ ok: true, value: { status: 200 } });
    expect(other.seen[0]?.query).toEqual({ sig: '2' });
    if (got.ok) got.value.body.dispose();
  });

  it('a redirect loop ends', async () => {
    const { server, client, signal } = await clientOf(() => location('/again', 302));
    expect(await client.askCount('b1', null, signal)).toMatchObject({
      error: { code: 'network.intercepted' },
    });
    expect(server.seen).toHaveLength(18);
  });
});

describe('an answer that is compressed without being asked for', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    // Without the zlib header, as some servers understand the word.
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s', async (encoding, pack) => {
    const { server, client, signal } = await clientOf(() => ({
      headers: { 'content-encoding': encoding },
      body: pack(JSON.stringify(ANSWERS.count)),
    }));
    expect(await client.askCount('b1', null, signal)).toMatchObject({ ok: true });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['is damaged', Buffer.from('no gzip')],
    ['is a bomb', gzipSync(Buffer.alloc(70 * 1024 * 1024, ' '))],
  ])('%s', async (_, body) => {
    const { client, signal } = await clientOf(() => ({
      headers: { 'content-encoding': 'gzip' },
      body,
    }));
    expect(await client.askCount('b1', null, signal)).toMatchObject({
      error: { code: 'network.intercepted' },
    });
  });
});

test.each([
  ['bytes 0-4/5', true],
  ['bytes 0-3/5', false],
  ['bytes 1-4/5', false],
  ['bytes 0-4/*', false],
  ['', false],
])('a range that was not requested is taken if it is the whole: %j', async (range, ok) => {
  const headers = { 'content-range': range };
  const { server, client, signal } = await clientOf(() => ({
    status: 206,
    headers,
    body: 'bytes',
  }));
  const got = await client.getSigned(`${server.url}/o?sig=1`, null, signal);
  expect(got.ok).toBe(ok);
  if (got.ok) got.value.body.dispose();
});

test.each([429, 503])('a folder is asked for again when the service says %i', async (status) => {
  let asked = 0;
  const { client, signal } = await clientOf(({ method }) => {
    if (method === 'GET') return { body: ANSWERS.folders };
    asked += 1;
    return asked < 3 ? { status, headers: { 'retry-after': '1' } } : { body: { id: 'f1' } };
  });
  const made = await client.createFolder({ name: 'n', parentId: null }, signal);
  expect(made).toEqual({ ok: true, value: 'f1' });
  expect(asked).toBe(3);
});

test.each([
  [429, 'text/html', '<html><h1>429 Too Many Requests</h1></html>'],
  [429, 'text/plain', 'slow down'],
  [429, 'text/plain', ''],
])('a load balancer that answers %i as %s is a busy service', async (status, type, page) => {
  const date = new Date(0).toUTCString();
  const headers = { 'content-type': type, 'retry-after': '20', date };
  const { server, client, signal, ends } = await clientOf(() => ({ status, headers, body: page }));
  const target = { batchId: 'b1', fileName: 'a.jpg', displayName: null };
  const url = `${server.url}/o?sig=1`;
  const busy = { error: { code: 'service.busy', next: 'retry', retryAfterMs: 20_000 } };
  for (const told of [
    await client.askCount('b1', null, signal),
    await client.uploadImage(target, { contentType: 'x', body: IMAGE }, signal),
    await client.registerShard(target, signal),
    await client.startJob('j', null, {}, signal),
    await client.putSigned({ url, headers: {} }, IMAGE, signal),
    await client.getSigned(url, null, signal),
  ])
    expect(told).toMatchObject(busy);
  expect(server.seen).toHaveLength(6);
  // The clock of whatever wrote the page is not the service's.
  expect(ends.map(({ from, dateMs }) => [from, dateMs])).toEqual(Array(6).fill(['asked', null]));
});

test.each([
  [200, '', true],
  [201, '', true],
  [204, '', true],
  [200, '<html>Sign in</html>', false],
])('an answer %i that is called HTML and holds "%s": done is %s', async (status, body, ok) => {
  const length = status === 204 ? {} : { 'content-length': `${body.length}` };
  const headers = { 'content-type': 'text/html; charset=UTF-8', ...length };
  const server = await answering(({ method }) =>
    method === 'GET' ? { body: ANSWERS.folders } : { status, headers, body },
  );
  const { client, signal } = clientFor(server.url);
  const url = `${server.url}/o?sig=1`;
  expect(await client.putSigned({ url, headers: {} }, IMAGE, signal)).toMatchObject({ ok });
  expect(await client.moveProjects('g1', ['cups'], signal)).toMatchObject({ ok });
});
