import { expect, test } from 'vitest';
import { clientFor } from './testClient.ts';
import { answering, type Reply } from './testServer.ts';

const LISTS = { body: { filesMetadata: [], shards: [], nextPageToken: null } };

/** The page sizes that a server is asked for in two readings of a list, when it answers requests with a size in this way. */
async function askedSizes(sized: Reply): Promise<readonly unknown[]> {
  const server = await answering(({ query }) => ('pageSize' in query ? sized : LISTS));
  const { client, signal } = clientFor(server.url);
  await client.askFilesPage('b', null, null, signal);
  await client.askFilesPage('b', null, null, signal);
  await client.askShards('b', signal);
  return server.seen.map(({ query }) => query['pageSize']);
}

test('large pages are asked for, so that a long list takes few requests', async () => {
  expect(await askedSizes(LISTS)).toEqual(['1000', '1000', '1000']);
});

test('a service that refuses the size is asked for its own pages at once', async () => {
  const refusal = { status: 400, body: { error: 'pageSize must be at most 100' } };
  expect(await askedSizes(refusal)).toEqual(['1000', undefined, undefined, undefined]);
});

test('a service that fails with the size is asked for its own pages later', async () => {
  const failure = { status: 500, body: { error: 'out of memory' } };
  const sizes = await askedSizes(failure);
  expect(sizes.filter((size) => size === undefined)).toHaveLength(2);
  expect(sizes.slice(-2)).toEqual([undefined, undefined]);
});

test('a batch that the service does not know says nothing about the size', async () => {
  expect(await askedSizes({ status: 404, body: { error: 'no such batch' } })).toEqual([
    ...['1000', '1000', '1000'],
  ]);
});
