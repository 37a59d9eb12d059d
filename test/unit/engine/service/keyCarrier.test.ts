/** A service that accepts the key only in a header. */
import { expect, test } from 'vitest';
import { ANSWERS } from './answers.ts';
import { clientFor, KEY } from './testClient.ts';
import { answering } from './testServer.ts';

function headerOnly(status: number) {
  return answering((seen) =>
    seen.headers.authorization === `Bearer ${KEY}`
      ? { status, body: status === 200 ? ANSWERS.count : { error: 'no such batch' } }
      : { status: 401, body: { error: 'no key' } },
  );
}

test.each([
  ['counts', 200, 42],
  ['does not know', 404, null],
])('is found with the first answer, about a batch that it %s', async (_, status, value) => {
  const server = await headerOnly(status);
  const { client, memory, signal } = clientFor(server.url, {}, undefined, null);
  expect(await client.askCount('b1', 'a b', signal)).toEqual({ ok: true, value });
  expect(server.seen.map(({ query }) => query)).toEqual([
    { partName: 'a b', api_key: KEY },
    { partName: 'a b' },
  ]);
  expect(memory.carrier).toBe('header');
});

test('is not looked for where the service accepted the key in the query before', async () => {
  const server = await headerOnly(200);
  const { client, signal } = clientFor(server.url);
  const refused = { error: { code: 'auth.rejected' } };
  expect(await client.askCount('b1', null, signal)).toMatchObject(refused);
  expect(server.seen).toHaveLength(1);
});

test('is distinguished from a key that is wrong', async () => {
  const server = await answering(() => ({ status: 401, body: { error: 'no key' } }));
  const { client, memory, signal } = clientFor(server.url, {}, undefined, null);
  const refused = { error: { code: 'auth.rejected' } };
  expect(await client.askCount('b1', null, signal)).toMatchObject(refused);
  expect(server.seen).toHaveLength(2);
  expect(memory.carrier).toBeNull();
});
