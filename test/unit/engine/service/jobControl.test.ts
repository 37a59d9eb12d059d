/** Aborting and restarting jobs: extras that a service may not have. */
import { expect, test } from 'vitest';
import { ANSWERS } from './answers.ts';
import { clientFor } from './testClient.ts';
import { answering } from './testServer.ts';

test.each([404, 405, 501])(
  'is not offered for a job that is there, if it says %i',
  async (status) => {
    const server = await answering(({ method }) =>
      method === 'GET' ? { body: ANSWERS.job } : { status, body: { error: 'no' } },
    );
    const { client, signal } = clientFor(server.url);
    expect(await client.abortJob('j', signal)).toEqual({ ok: true, value: false });
    expect(await client.restartJob('j', signal)).toEqual({ ok: true, value: false });
  },
);

test('a job that the service does not know is not found', async () => {
  const server = await answering(() => ({ status: 404, body: { error: 'no such job' } }));
  const { client, signal } = clientFor(server.url);
  const unknown = { error: { code: 'service.notFound', context: { said: 'no such job' } } };
  expect(await client.abortJob('j', signal)).toMatchObject(unknown);
  expect(await client.restartJob('j', signal)).toMatchObject(unknown);
});
