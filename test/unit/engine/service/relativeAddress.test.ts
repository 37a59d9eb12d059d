import { expect, test } from 'vitest';
import type { StreamBody } from '../../../../main/engine/core/ports.ts';
import { clientOf, KEY } from './testClient.ts';

const nothing: StreamBody = { lengthBytes: 0, async *chunks() {} };

test('a relative address is used at the service, without its key', async () => {
  const signedURLDetails = { uploadURL: '/upload/o?sig=1', extensionHeaders: {} };
  const { server, client, signal } = await clientOf(({ method }) =>
    method === 'PUT' ? { status: 200 } : { body: { signedURLDetails } },
  );
  const signed = await client.registerShard({ batchId: 'b', displayName: null }, signal);
  if (!signed.ok) throw new Error(signed.error.code);
  expect((await client.putSigned(signed.value, nothing, signal)).ok).toBe(true);
  expect(server.seen.at(-1)).toMatchObject({ path: '/upload/o', query: { sig: '1' } });
  expect(Object.keys(server.seen.at(-1)?.query ?? {})).toEqual(['sig']);
  expect(JSON.stringify(server.seen.at(-1)?.headers)).not.toContain(KEY);
});
