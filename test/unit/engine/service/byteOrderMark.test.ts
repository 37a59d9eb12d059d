import { expect, it } from 'vitest';
import { clientOf } from './testClient.ts';

it.each([
  [200, { ok: true, value: 42 }],
  [404, { ok: true, value: null }],
  [400, { error: { code: 'service.refused', context: { said: 'Batch not found.' } } }],
] as const)(
  'JSON that begins with a byte order mark is the service’s own (%s)',
  async (status, expected) => {
    const json = status === 200 ? { count: 42 } : { error: 'Batch not found.' };
    const { client, signal } = await clientOf(() => ({
      status,
      body: `\uFEFF${JSON.stringify(json)}`,
    }));
    expect(await client.askCount('b1', null, signal)).toMatchObject(expected);
  },
);
