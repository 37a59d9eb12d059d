/** Aborting and restarting jobs: extras that a service may not have. */
import { expect, test } from 'vitest';
import { ANSWERS } from './answers.ts';
import { clientOf } from './testClient.ts';

test.each([404, 405, 501])(
  'is not offered for a job that is there, if it says %i',
  async (status) => {
    const { client, signal } = await clientOf(({ method }) =>
      method === 'GET' ? { body: ANSWERS.job } : { status, body: { error: 'no' } },
    );
    expect(await client.abortJob('j', signal)).toEqual({ ok: true, value: false });
    expect(await client.restartJob('j', signal)).toEqual({ ok: true, value: false });
  },
);

test('a job that the service does not know is not found', async () => {
  const { client, signal } = await clientOf(() => ({
    status: 404,
    body: { error: 'no such job' },
  }));
  const unknown = { error: { code: 'service.notFound', context: { said: 'no such job' } } };
  expect(await client.abortJob('j', signal)).toMatchObject(unknown);
  expect(await client.restartJob('j', signal)).toMatchObject(unknown);
});
