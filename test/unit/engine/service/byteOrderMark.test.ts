import { expect, it } from 'vitest';
import { clientFor } from './testClient.ts';
import { answering } from './testServer.ts';

it.each([
  [200, { ok: true, value: 42 }],
  [404, { ok: true, value: null }],
  [400, { error: { code: 'service.refused', context: { said: 'Batch not found.' } } }],
] as const)(
  'JSON that begins with a byte order mark is the service’s own (%s)',
  async (status, expected) => {
    const json = status === 200 ? { count: 42 } : { error: 'Batch not found.' };
    const server = await answering(() => ({ status, body: `\uFEFF${JSON.stringify(json)}` }));
    const { client, signal } = clientFor(server.url);
    expect(await client.askCount('b1', null, signal)).toMatchObject(expected);
  },
);
