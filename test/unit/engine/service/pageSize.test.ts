import { expect, test } from 'vitest';
import { clientFor } from './testClient.ts';
import { answering, type Reply, type SeenRequest } from './testServer.ts';

/** A list that goes on, or one that does not. */
const listed = (nextPageToken: string | null): Reply => ({
  body: { filesMetadata: [], nextPageToken },
});
const LONG = listed('t');

/** The page sizes that a server is asked for when a list is begun three times, and it answers in these ways. */
async function askedSizes(sized: Reply, unsized: Reply = LONG): Promise<readonly unknown[]> {
  const server = await answering(({ query }) => ('pageSize' in query ? sized : unsized));
  const { client, signal } = clientFor(server.url);
  for (let times = 0; times < 3; times += 1) await client.askFilesPage('b', null, null, signal);
  return server.seen.map(({ query }) => query['pageSize']);
}

test('once a list is long, large pages are asked for, so that it takes few requests', async () => {
  expect(await askedSizes(LONG)).toEqual([undefined, '1000', '1000', '1000']);
});

test('a short list is read in one page as large as the service makes it', async () => {
  expect(await askedSizes(LONG, listed(null))).toEqual([undefined, undefined, undefined]);
});

const PAGE = { headers: { 'content-type': 'text/html' }, body: '<html>no</html>' };

test.each<[string, Reply]>([
  ['refuses the size', { status: 400, body: { error: 'pageSize must be at most 100' } }],
  ['forbids it', { status: 403, body: { error: 'forbidden' } }],
  ['does not know a list of this size', { status: 404, body: { error: 'not found' } }],
  ['fails with it', { status: 500, body: { error: 'out of memory' } }],
  ['answers it with a page', { status: 404, ...PAGE }],
  ['answers with half a list', { body: '{"filesMetadata":[' }],
])('of a service that %s, all lists are read in its own pages', async (_, refusal) => {
  const sizes = await askedSizes(refusal);
  expect(sizes[0]).toBeUndefined();
  expect(sizes[1]).toBe('1000');
  expect(sizes.slice(-2)).toEqual([undefined, undefined]);
  expect(sizes.filter((size) => size === undefined)).toHaveLength(3);
});

test('a batch that is unknown is asked for once', async () => {
  const server = await answering(({ path }) =>
    path.includes('/b/') ? LONG : { status: 404, body: { error: 'no such batch' } },
  );
  const { client, signal } = clientFor(server.url);
  await client.askFilesPage('b', null, null, signal);
  const before = server.seen.length;
  for (let times = 0; times < 2; times += 1)
    expect(await client.askFilesPage('c', null, null, signal)).toEqual({ ok: true, value: null });
  expect(server.seen).toHaveLength(before + 2);
});

/** A list whose tokens are the numbers of its pages, in pages of 2 unless a size is asked for. */
function numbered({ query }: SeenRequest) {
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

test('a list that large pages cut short twice is read in the pages of the service', async () => {
  const server = await answering((request) => {
    if (request.path.endsWith('/count')) return { body: { count: 7 } };
    const { body } = numbered(request);
    return {
      body: 'pageSize' in request.query ? { filesMetadata: body.filesMetadata.slice(0, 5) } : body,
    };
  });
  const { client, signal } = clientFor(server.url);
  const lengths: (number | null)[] = [];
  for (let times = 0; times < 5; times += 1) {
    await client.askCount('b', null, signal);
    const files = await client.batchFiles('b', null, signal);
    lengths.push(files.ok ? files.value.length : null);
  }
  expect(lengths).toEqual([5, 5, 7, 5, 7]);
});
