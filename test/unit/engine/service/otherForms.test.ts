/** A service that answers in another form than the documented one. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ANSWERS } from './answers.ts';
import { clientOf, KEY } from './testClient.ts';

it.each([
  ['/moved', { api_key: KEY, partName: 'a b' }],
  ['/moved?', { api_key: KEY, partName: 'a b' }],
  ['/moved?v=2', { api_key: KEY, v: '2' }],
])('a redirect to %s is followed', async (location, query) => {
  const { server, client, signal } = await clientOf(({ path }) =>
    path === '/moved' ? { body: ANSWERS.count } : { status: 308, headers: { location } },
  );
  expect(await client.askCount('b1', 'a b', signal)).toEqual({ ok: true, value: 42 });
  expect(server.seen[1]?.query).toEqual(query);
});

it('a list that repeats itself is said to', async () => {
  const body = { ...ANSWERS.shards, nextPageToken: 'again' };
  const { client, signal } = await clientOf(() => ({ body }));
  const error = {
    code: 'service.unexpectedAnswer',
    context: { reason: 'its list repeats a page' },
  };
  expect(await client.askShards('b1', signal)).toMatchObject({ error });
});

it('a 404 is an empty list of annotation jobs, if the project is there', async () => {
  const { client, signal } = await clientOf(({ path }) =>
    path.endsWith('/cups/batches')
      ? { body: ANSWERS.imageBatches }
      : { status: 404, body: { error: 'no' } },
  );
  expect(await client.annotationJobs('cups', signal)).toEqual({ ok: true, value: [] });
  const missing = await client.annotationJobs('plates', signal);
  expect(missing).toMatchObject({ error: { code: 'service.notFound', context: { said: 'no' } } });
});

it.each([
  ['200 without a byte', { headers: { 'transfer-encoding': 'chunked' } }, true],
  ['200 of length 0', { headers: { 'content-length': '0' } }, true],
  ['206 without a byte', { status: 206, headers: { 'content-range': 'bytes 0--1/0' } }, true],
  ['200 with the whole object', { body: Buffer.alloc(300_000) }, false],
])('a signed address that answers a request for a byte with %s', async (_, reply, isBodiless) => {
  const { server, client, signal } = await clientOf(() => reply);
  const object = { lengthBytes: null, isBodiless };
  expect(await client.describeSigned(server.url, signal)).toMatchObject({ value: object });
});

it('an empty object is known by its status, even if the page that says so is compressed', async () => {
  const packed = { 'content-encoding': 'gzip', 'content-type': 'application/xml' };
  const { server, client, signal } = await clientOf(() => {
    return { status: 416, headers: packed, body: gzipSync('<Error/>') };
  });
  const object = await client.describeSigned(server.url, signal);
  expect(object).toMatchObject({ value: { status: 416, lengthBytes: 0 } });
});
