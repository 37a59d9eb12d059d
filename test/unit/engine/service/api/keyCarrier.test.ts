/** Where the key is sent: found out once, remembered, and moved back into the query when the service no longer accepts the header. */
import { describe, expect, it } from 'vitest';
import { ANSWERS } from '../answers.ts';
import { clientFor, KEY } from '../testClient.ts';
import { answering, type Reply, type SeenRequest } from '../testServer.ts';

const BEARER = `Bearer ${KEY}`;
const REFUSED = { status: 401, body: { error: { message: 'This API key does not exist' } } };

function inHeader(seen: SeenRequest): boolean {
  return seen.headers.authorization === BEARER;
}

function carriers(seen: readonly SeenRequest[]): readonly string[] {
  return seen.map((one) => {
    const places = [inHeader(one) ? 'header' : '', one.query['api_key'] === KEY ? 'query' : ''];
    return places.filter((place) => place !== '').join(' and ');
  });
}

describe('finding out', () => {
  it('the same count for a key in a header: the query stays free of it from then on', async () => {
    const server = await answering((seen) => ({
      body: seen.path.endsWith('/list') ? ANSWERS.files : ANSWERS.count,
    }));
    const { client, signal, memory } = clientFor(server.url, {}, undefined, null);
    await client.askCount('b1', null, signal);
    expect(memory.carrier).toBe('header');
    await client.askCount('b1', 'p', signal);
    await client.askFilesPage('b1', null, null, signal);
    expect(carriers(server.seen)).toEqual(['query', 'header', 'header', 'header']);
  });

  it.each<[string, Reply, 'query' | null]>([
    ['refuses it', REFUSED, 'query'],
    ['answers another count', { body: { ...ANSWERS.count, count: 41 } }, null],
    [
      'answers nothing of its own',
      { status: 401, headers: { 'content-type': 'text/html' }, body: '<p>Sign in' },
      null,
    ],
    ['is busy', { status: 503, body: { error: 'busy' } }, null],
  ])('a service that %s is asked once, and the query is used', async (_, reply, remembered) => {
    const server = await answering((seen) => (inHeader(seen) ? reply : { body: ANSWERS.count }));
    const { client, signal, memory } = clientFor(server.url, {}, undefined, null);
    for (let times = 0; times < 3; times += 1) {
      expect(await client.askCount('b1', null, signal)).toMatchObject({ ok: true });
    }
    expect(memory.carrier).toBe(remembered);
    expect(carriers(server.seen)).toEqual(['query', 'header', 'query', 'query']);
  });

  it('a count of zero shows nothing', async () => {
    const server = await answering(() => ({ body: { ...ANSWERS.count, count: 0 } }));
    const { client, signal, memory } = clientFor(server.url, {}, undefined, null);
    await client.askCount('b1', null, signal);
    expect(memory.carrier).toBeNull();
    expect(carriers(server.seen)).toEqual(['query']);
  });
});

describe('a service that no longer takes the header', () => {
  it('is asked again with the key in the query, which is remembered', async () => {
    const server = await answering((seen) => (inHeader(seen) ? REFUSED : { body: ANSWERS.count }));
    const { client, signal, memory } = clientFor(server.url, {}, undefined, 'header');
    expect(await client.askCount('b1', null, signal)).toMatchObject({ ok: true });
    expect(memory.carrier).toBe('query');
    await client.askCount('b1', null, signal);
    expect(carriers(server.seen)).toEqual(['header', 'query', 'query']);
  });

  it('a change is repeated with its body: the refused request did nothing', async () => {
    const server = await answering((seen) => (inHeader(seen) ? REFUSED : { body: { id: 'j' } }));
    const { client, signal } = clientFor(server.url, {}, undefined, 'header');
    await client.startJob('job-1', null, { type: 'x' }, signal);
    expect(carriers(server.seen)).toEqual(['header', 'query']);
    expect(server.seen[1]?.body).toEqual(server.seen[0]?.body);
  });

  it('a key that is refused in both places is refused, and the header stays remembered', async () => {
    const server = await answering(() => REFUSED);
    const { client, signal, memory } = clientFor(server.url, {}, undefined, 'header');
    const counted = await client.askCount('b1', null, signal);
    expect(counted).toMatchObject({ ok: false, error: { code: 'auth.rejected' } });
    expect(memory.carrier).toBe('header');
    expect(carriers(server.seen)).toEqual(['header', 'query']);
  });
});
