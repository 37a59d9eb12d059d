import { expect, test } from 'vitest';
import { clientFor } from './testClient.ts';
import { answering, type Reply, type SeenRequest } from './testServer.ts';

const LISTS = { body: { filesMetadata: [], shards: [], nextPageToken: null } };

/** The page sizes that a server is asked for in two readings of a list and one of another, when it answers in these ways. */
async function askedSizes(sized: Reply, unsized: Reply = LISTS): Promise<readonly unknown[]> {
  const server = await answering(({ query }) => ('pageSize' in query ? sized : unsized));
  const { client, signal } = clientFor(server.url);
  await client.askFilesPage('b', null, null, signal);
  await client.askFilesPage('b', null, null, signal);
  await client.askShards('b', signal);
  return server.seen.map(({ query }) => query['pageSize']);
}

test('large pages are asked for, so that a long list takes few requests', async () => {
  expect(await askedSizes(LISTS)).toEqual(['1000', '1000', '1000']);
});

const PAGE = { headers: { 'content-type': 'text/html' }, body: '<html>no</html>' };

test.each<[string, Reply]>([
  ['refuses the size', { status: 400, body: { error: 'pageSize must be at most 100' } }],
  ['forbids it', { status: 403, body: { error: 'forbidden' } }],
  ['fails with it', { status: 500, body: { error: 'out of memory' } }],
  ['answers it with a page', { status: 404, ...PAGE }],
  ['answers with half a list', { body: '{"filesMetadata":[' }],
])('a service that %s is asked for its own pages at once', async (_, refusal) => {
  const sizes = await askedSizes(refusal);
  expect(sizes[0]).toBe('1000');
  expect(sizes.filter((size) => size === undefined)).toHaveLength(3);
  expect(sizes.slice(-3)).toEqual([undefined, undefined, undefined]);
});

test('what is refused for the key or the rate says nothing about the size', async () => {
  for (const status of [401, 429]) {
    const refusal = { status, headers: { 'retry-after': '60' }, body: { error: 'no' } };
    expect(await askedSizes(refusal)).not.toContain(undefined);
  }
});

test('a batch that is unknown says nothing about the size', async () => {
  const absent = { status: 404, body: { error: 'no such batch' } };
  expect(await askedSizes(absent, absent)).toEqual(['1000', '1000', '1000']);
});

/** A list whose tokens are the numbers of its pages, in pages of 2 unless a size is asked for. */
function numbered({ query }: SeenRequest): Reply {
  const size = Number(query['pageSize'] ?? 2);
  const page = Number(query['nextPageToken'] ?? 0);
  const files = Array.from({ length: 7 }, (_, index) => ({
    ...{ downloadURL: `https://storage.test/${index}`, fileName: `${index}.jpg` },
    contentType: 'images',
  }));
  const nextPageToken = (page + 1) * size < files.length ? String(page + 1) : null;
  const filesMetadata = files.slice(page * size, (page + 1) * size);
  return { body: { filesMetadata, nextPageToken } };
}

test('a list that was begun in small pages is continued in them', async () => {
  let fails = true;
  const server = await answering((request) =>
    fails && 'pageSize' in request.query
      ? { status: 400, body: { error: 'no' } }
      : numbered(request),
  );
  const { client, signal } = clientFor(server.url);
  const first = await client.askFilesPage('b', null, null, signal);
  const token = first.ok ? (first.value?.nextPageToken ?? null) : null;
  expect(token).not.toBeNull();
  fails = false;
  // Another run does not know that a size was refused.
  const later = clientFor(server.url);
  const second = await later.client.askFilesPage('b', null, token, later.signal);
  const names = second.ok ? second.value?.items.map(({ fileName }) => fileName) : null;
  expect(names).toEqual(['2.jpg', '3.jpg']);
});
