import { expect, test } from 'vitest';
import { createShortLists } from '../../../../main/engine/service/api/largePages.ts';
import { clientFor, clientOf } from './testClient.ts';
import { answering, type Reply, type SeenRequest } from './testServer.ts';

/** A list that goes on, or one that does not. */
const listed = (nextPageToken: string | null): Reply => ({
  body: { filesMetadata: [], nextPageToken },
});
const LONG = listed('t');

/** The page sizes that a server is asked for when a list is begun three times, and it answers in these ways. */
async function askedSizes(sized: Reply, unsized: Reply = LONG): Promise<readonly unknown[]> {
  const { server, client, signal } = await clientOf(({ query }) =>
    'pageSize' in query ? sized : unsized,
  );
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
  const { server, client, signal } = await clientOf(({ path }) =>
    path.includes('/b/') ? LONG : { status: 404, body: { error: 'no such batch' } },
  );
  await client.askFilesPage('b', null, null, signal);
  const before = server.seen.length;
  for (let times = 0; times < 2; times += 1)
    expect(await client.askFilesPage('c', null, null, signal)).toEqual({ ok: true, value: null });
  expect(server.seen).toHaveLength(before + 2);
});

/** A list whose tokens are the numbers of its pages, in pages of 2 unless a size is asked for. */
function numbered({ query }: Pick<SeenRequest, 'query'>) {
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
  const { server, client, signal } = await clientOf((request) =>
    fails && 'pageSize' in request.query
      ? { status: 400, body: { error: 'no' } }
      : numbered(request),
  );
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

/** Answers as `numbered`, but cuts a list in large pages to so many rows, in turn. */
function cutting(...rows: readonly number[]): (request: SeenRequest) => Reply {
  let cuts = 0;
  return (request) => {
    if (request.path.endsWith('/count')) return { body: { count: 7 } };
    const { body } = numbered(request);
    if (!('pageSize' in request.query)) return { body };
    const most = rows[cuts++ % rows.length];
    return { body: { filesMetadata: body.filesMetadata.slice(0, most) } };
  };
}

/** How many rows a list has each time that it is read after the count. */
async function lengthsOf(
  { client, signal }: ReturnType<typeof clientFor>,
  times: number,
): Promise<readonly number[]> {
  const lengths: number[] = [];
  while (lengths.length < times) {
    await client.askCount('b', null, signal);
    let rows = 0;
    let token: string | null = null;
    do {
      const page = await client.askFilesPage('b', null, token, signal);
      if (!page.ok) throw new Error(page.error.code);
      rows += page.value?.items.length ?? 0;
      token = page.value?.nextPageToken ?? null;
    } while (token !== null);
    lengths.push(rows);
  }
  return lengths;
}

test.each([
  ['at the same row', [5], [5, 5, 7, 7, 7]],
  ['at other rows', [5, 4], [5, 4, 7, 7]],
])(
  'a list that large pages cut short twice, %s, is read in the pages of the service',
  async (_, cuts, lengths) => {
    const server = await answering(cutting(...cuts));
    expect(await lengthsOf(clientFor(server.url), lengths.length)).toEqual(lengths);
  },
);

test('a list that its own pages do not show further only lags behind: large pages are tried in turn', async () => {
  const lagging = { body: { filesMetadata: numbered({ query: {} }).body.filesMetadata } };
  const server = await answering(({ path, query }) => {
    if (path.endsWith('/count')) return { body: { count: 7 } };
    if ('pageSize' in query) return lagging;
    const { filesMetadata } = lagging.body;
    return 'nextPageToken' in query
      ? { body: { filesMetadata: filesMetadata.slice(1) } }
      : { body: { filesMetadata: filesMetadata.slice(0, 1), nextPageToken: 't' } };
  });
  await lengthsOf(clientFor(server.url), 5);
  const begun = server.seen.filter(
    ({ path, query }) => path.endsWith('/list') && !('nextPageToken' in query),
  );
  const sizes = begun.map(({ query }) => query['pageSize']);
  expect(sizes).toEqual([undefined, '1000', '1000', undefined, '1000', undefined]);
});

test('a list that is only shown is complete although large pages are cut short, and has no addresses', async () => {
  const server = await answering(cutting(5));
  const { client, signal } = clientFor(server.url);
  const files = await client.batchFiles('b', null, signal);
  expect(files.ok ? files.value.length : null).toBe(7);
  expect(JSON.stringify(files)).not.toMatch(/url|https?:/);
});

test('of a service that refuses the size for shards, files are read in large pages', async () => {
  const { server, client, signal } = await clientOf((request) => {
    if (!request.path.endsWith('/shards')) return numbered(request);
    return 'pageSize' in request.query
      ? { status: 400, body: { error: 'no' } }
      : { body: { shards: [], nextPageToken: 'nextPageToken' in request.query ? null : 't' } };
  });
  await client.askShards('b', signal);
  const before = server.seen.length;
  await client.askFilesPage('b', null, null, signal);
  const sizes = server.seen.slice(before).map(({ query }) => query['pageSize']);
  expect(sizes).toEqual([undefined, '1000']);
});

test('a list that shows nothing at first is read in large pages again', async () => {
  const { server, client, signal } = await clientOf((request) => {
    if (request.path.endsWith('/count')) return { body: { count: 7 } };
    return request.path.includes('/long/') ? LONG : listed(null);
  });
  await client.askFilesPage('long', null, null, signal);
  await client.askCount('new', null, signal);
  for (let times = 0; times < 2; times += 1) await client.askFilesPage('new', null, null, signal);
  const sizes = server.seen.filter(({ path }) => path.endsWith('/new/list'));
  expect(sizes.map(({ query }) => query['pageSize'])).toEqual(['1000', '1000']);
});

test('of many lists, only the newest are remembered', () => {
  const lists = createShortLists();
  const page = { items: [1], nextPageToken: null };
  const doubt = (key: string): void => {
    lists.noteCount(key, 2);
    for (let times = 0; times < 2; times += 1) lists.noteRead(key, null, page);
  };
  doubt('first');
  expect(lists.start('first')).not.toBeNull();
  for (let index = 0; index < 1000; index += 1) doubt(`${index}`);
  expect(lists.start('999')).not.toBeNull();
  expect(lists.start('first')).toBeNull();
});
