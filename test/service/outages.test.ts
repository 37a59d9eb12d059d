/** Outages last for a period of time, not for a number of requests; hooks let a test act in the middle of a client's work. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tinyJpeg, tinyPng } from '../helpers/media.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import {
  batchPath,
  call,
  outcome,
  put,
  registerShard,
  registerVideo,
  send,
  textIn,
  uploadImage,
  type Reply,
} from './testRequests.ts';

let service: ReferenceService;
beforeEach(async () => {
  service = await createReferenceService({ clock: 'manual' });
  await uploadImage(service, 'b', 'a.png', tinyPng(1));
});
afterEach(() => service.close());

const count = (): Promise<Reply> => call(service, 'GET', batchPath(service, 'b', 'count'));
const upload = (number: number): Promise<Reply> =>
  uploadImage(service, 'b', `${number}.png`, tinyPng(number));

describe('an outage', () => {
  test.each([429, 503, 500, 403, 401, 402])('of %i with JSON ends by time', async (status) => {
    const outage = await service.outage({
      forMs: 20_000,
      answer: { kind: 'status', status, retryAfter: 2 },
    });
    for (let request = 0; request < 40; request += 1) {
      const reply = await (request % 2 === 0 ? count() : upload(request));
      expect(reply).toMatchObject({ status, headers: { 'retry-after': '2' } });
      expect(textIn(reply.json, 'error')).toBe(`status ${status}`);
    }
    expect(outage.met()).toBe(40);
    expect(outage.isOver()).toBe(false);
    await service.clock.advance(20_000);
    expect(outage.isOver()).toBe(true);
    expect((await count()).json).toMatchObject({ count: 1 });
    expect(
      service.log.find('*', /./).filter(({ fault }) => fault === 'outage status'),
    ).toHaveLength(40);
  });

  test.each([200, 302, 403, 404, 502, 511])('of HTML with %i', async (status) => {
    const outage = await service.outage({ answer: { kind: 'html', status } });
    const to = `${service.url}/storage/objects/b/o1`;
    for (const reply of [await count(), await upload(2), await send('GET', to)]) {
      expect(reply.status).toBe(status);
      expect(reply.headers['content-type']).toContain('text/html');
      expect(reply.json).toBeUndefined();
      expect(reply.headers['location']).toBe(
        status === 302 ? 'http://portal.invalid/sign-in' : undefined,
      );
    }
    await outage.end();
    await outage.end();
    expect((await count()).json).toMatchObject({ count: 1 });
  });

  test('of one kind of request leaves the others alone, and uses up no fault', async () => {
    service.faults.next('POST', /image$/, { kind: 'status', status: 418 });
    const match = { method: 'POST', path: /upload\/image/ };
    const outage = await service.outage({ match, answer: { kind: 'reset' } });
    expect(await outcome(upload(2))).toBe('lost');
    expect((await count()).status).toBe(200);
    await outage.end();
    expect(await outcome(upload(2))).toBe(418);
    expect(await outcome(upload(2))).toBe(200);
  });

  test('refuses connections and breaks open ones', async () => {
    service.faults.next('GET', /shards/, { kind: 'hang' });
    const hanging = outcome(call(service, 'GET', batchPath(service, 'b', 'shards')));
    await expect.poll(() => service.log.inFlight.now).toBe(1);
    await service.outage({ forMs: 5000, answer: { kind: 'refused' } });
    expect(await hanging).toBe('lost');
    expect(await outcome(count())).toBe('lost');
    await service.clock.advance(5000);
    expect((await count()).json).toMatchObject({ count: 1 });
  });

  test('hangs', async () => {
    const outage = await service.outage({ answer: { kind: 'hang' } });
    const hanging = outcome(upload(2));
    await expect.poll(() => outage.met()).toBe(1);
    await outage.end();
    expect((await count()).json).toMatchObject({ count: 1 });
    await service.unplug();
    expect(await hanging).toBe('lost');
    await service.plug();
  });
});

describe('the other computer', () => {
  const other = () => service.otherComputer;

  test('writes by the same rules, and what it wrote is marked', async () => {
    await other().uploadImage('b', 'theirs.jpg', tinyJpeg(7));
    await other().uploadVideo('v', 'theirs.mp4', tinyJpeg(8));
    const members = [8, 9].map((number) => ({ name: `${number}.jpg`, bytes: tinyJpeg(number) }));
    await other().uploadShard('s', members);
    expect(service.state.objects('s')).toEqual([]);
    await service.clock.advance(1000);
    expect(service.state.objects('b').map(({ writer }) => writer)).toEqual(['client', 'other']);
    expect(service.state.objects('s').map(({ writer }) => writer)).toEqual(['other', 'other']);
    expect(service.state.batch('s')?.shards).toMatchObject([{ writer: 'other' }]);
    const refused = (attempt: Promise<unknown>) =>
      expect(attempt).rejects.toMatchObject({ status: 400 });
    await refused(other().uploadShard('b', members));
    await refused(other().uploadImage('s', 'a.jpg', tinyJpeg(1)));
    await refused(other().uploadImage('b', 'a.mp4', tinyJpeg(1)));
    await refused(other().uploadImage('b', 'a.jpg', Buffer.from('no image')));
    await refused(other().uploadVideo('b', 'a.mp4', tinyJpeg(1)));
  });

  test('its names and contents are no doubles of the client', async () => {
    await other().uploadImage('b', 'a.png', tinyPng(1));
    expect(service.state.objects('b')).toHaveLength(2);
    expect(service.state.doubles()).toEqual([]);
    await upload(1);
    expect(service.state.doubles()).toMatchObject([{ by: 'content', times: 2 }]);
  });

  test('can replace what the client sent: that is a loss', async () => {
    service.state.settings.sameName = 'replaces';
    await other().uploadImage('b', 'a.png', tinyPng(2));
    expect(service.state.lost()).toMatchObject([
      { batchId: 'b', object: { writer: 'client' }, by: { writer: 'other' } },
    ]);
    await upload(1);
    expect(service.state.lost()).toEqual([]);
    expect(service.state.doubles()).toEqual([]);
  });
});

describe('hooks', () => {
  test('act before a request is handled, as often as they are meant to', async () => {
    const write = (): Promise<unknown> =>
      service.otherComputer.uploadImage('b', 'theirs.jpg', tinyJpeg(7));
    service.onRequest({ method: 'GET', path: /count$/, times: 1 }, async () => {
      await write();
    });
    expect((await count()).json).toMatchObject({ count: 2 });
    expect((await count()).json).toMatchObject({ count: 2 });
  });

  test('act behind an answer, until they are taken away', async () => {
    const seen: (number | null)[] = [];
    const stop = service.onRequest({ when: 'after' }, ({ status }) => {
      seen.push(status);
    });
    await count();
    await registerShard(service, 's');
    await expect.poll(() => seen).toEqual([200, 200]);
    stop();
    await put(await registerVideo(service, 'v', 'a.mp4'), tinyJpeg(1));
    expect(seen).toEqual([200, 200]);
  });
});
