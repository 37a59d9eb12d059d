/** Each character of the service behaves as described, on the wire. */
import { createHash } from 'node:crypto';
import { crc32c } from './crc32c.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { sample, tinyJpeg, tinyPng } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import { CHARACTER_NAMES, CHARACTERS } from './characters.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import type { ServiceOptions } from './referenceService.ts';
import {
  batchPath,
  call,
  dig,
  jobBody,
  jobPath,
  listIn,
  put,
  registerShard,
  registerVideo,
  send,
  textIn,
  uploadImage,
  type Reply,
} from './testRequests.ts';

let service: ReferenceService;

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await createReferenceService({ clock: 'manual', ...options });
}
afterEach(() => service.close());

const get = (batchId: string, tail: string): Promise<Reply> =>
  call(service, 'GET', batchPath(service, batchId, tail));
const count = async (batchId: string): Promise<unknown> =>
  dig((await get(batchId, 'count')).json, 'count');
const files = async (batchId: string): Promise<readonly unknown[]> =>
  listIn((await get(batchId, 'list')).json, 'filesMetadata');
const shards = async (batchId: string): Promise<readonly unknown[]> =>
  listIn((await get(batchId, 'shards')).json, 'shards');
const names = async (batchId: string): Promise<readonly string[]> =>
  (await files(batchId)).map((file) => textIn(file, 'fileName'));

async function putShard(batchId: string, numbers: readonly number[]): Promise<Reply> {
  const members = numbers.map((number) => ({ name: `${number}.png`, content: tinyPng(number) }));
  return put(await registerShard(service, batchId), await tarOf(members));
}

test.each(CHARACTER_NAMES)('%s takes images, shards and videos, and runs a job', async (name) => {
  // Without the faults of some characters: those have their own tests.
  await start({
    character: name,
    settings: { dropEvery: 0, proxyForMs: 0, otherEvery: 0, listingDelayMs: 500 },
  });
  for (const number of [1, 2]) {
    const reply = await uploadImage(service, 'b', `${number}.png`, tinyPng(number));
    expect(reply.status).toBe(200);
  }
  expect((await putShard('s', [3, 4])).status).toBe(200);
  const video = await registerVideo(service, 'v', 'a.mp4');
  expect((await put(video, await sample('mp4'))).status).toBe(200);
  await service.clock.advance(1000);
  for (const batchId of ['b', 's']) {
    expect(await count(batchId)).toBe(2);
    expect(await names(batchId)).toHaveLength(2);
  }
  expect(await names('v')).toEqual(['a.mp4']);
  const job = await call(service, 'POST', jobPath(service, 'j'), { json: jobBody(service, 's') });
  expect(job.status).toBe(200);
  await service.clock.advance(10_000);
  expect(await names('j-export')).toEqual(['shard-0.tar.gz', 'summary.csv']);
  expect(service.state.violations).toEqual([]);
});

describe('quick', () => {
  test('dates every answer with the time of its own clock', async () => {
    await start({ startAt: Date.UTC(2001, 1, 3, 4, 5, 6) });
    const dated = async (reply: Promise<Reply>): Promise<string | undefined> =>
      (await reply).headers['date'];
    expect(await dated(get('b', 'count'))).toBe('Sat, 03 Feb 2001 04:05:06 GMT');
    await service.clock.advance(60_000);
    const to = await registerVideo(service, 'v', 'a.mp4');
    expect(await dated(put(to, await sample('mp4')))).toBe('Sat, 03 Feb 2001 04:06:06 GMT');
    expect(await dated(send('GET', `${service.url}/storage/objects/x/y`))).toBeDefined();
    service.faults.next('GET', /count/, { kind: 'status', status: 503 });
    expect(await dated(get('b', 'count'))).toBe('Sat, 03 Feb 2001 04:06:06 GMT');
  });

  test.each([
    ['notFound', [404, 404, 404, 404]],
    ['zero', [200, 200, 200, 200]],
  ] as const)('an unknown batch can be %s', async (unknownBatch, expected) => {
    await start({ settings: { unknownBatch } });
    const tails = ['count', 'shards', 'parts', 'list'];
    const replies = await Promise.all(tails.map((tail) => get('nothing', tail)));
    expect(replies.map(({ status }) => status)).toEqual(expected);
    for (const { json, status } of replies) {
      if (status === 404) expect(textIn(json, 'error')).toBe('Batch not found.');
      else expect(json).toMatchObject({ status: 'ok' });
    }
    expect((await get('Not Legal', 'count')).status).toBe(400);
    expect((await get('nothing', '')).status).toBe(404);
  });
});

test('answers and errors have two documented shapes each', async () => {
  await start({ settings: { envelope: 'bare', errors: 'message' } });
  expect((await get('nothing', 'count')).json).toEqual({ error: { message: 'Batch not found.' } });
  const missing = await call(service, 'GET', '/no/such/path/at/all');
  expect(missing.json).toEqual({ error: { message: 'Not found.' } });
  expect((await uploadImage(service, 'b', 'a.png', tinyPng(1))).json).toEqual({});
  expect((await get('b', 'count')).json).toEqual({ count: 1 });
  expect((await get('b', 'shards')).json).toEqual({ shards: [] });
});

describe('slowToList', () => {
  test('shows each thing 50 s after it happened, in order', async () => {
    await start({ character: 'slowToList' });
    await uploadImage(service, 'b', '1.png', tinyPng(1));
    await service.clock.advance(20_000);
    await uploadImage(service, 'b', '2.png', tinyPng(2));
    expect([await count('b'), await names('b')]).toEqual([0, []]);
    await service.clock.advance(30_000);
    expect([await count('b'), await names('b')]).toEqual([1, ['1.png']]);
    await service.clock.advance(19_999);
    expect(await count('b')).toBe(1);
    await service.clock.advance(1);
    expect([await count('b'), await names('b')]).toEqual([2, ['1.png', '2.png']]);
  });

  test('shows the states of a shard as late', async () => {
    await start({ character: 'slowToList', settings: { indexingMs: 10_000 } });
    const to = await registerShard(service, 's');
    await service.clock.advance(5_000);
    await put(to, await tarOf([{ name: '1.png', content: tinyPng(1) }]));
    const said: unknown[] = [];
    for (let second = 5; second <= 70; second += 5) {
      const [shard] = await shards('s');
      said.push([shard === undefined ? null : dig(shard, 'statusName'), await count('s')].join());
      await service.clock.advance(5_000);
    }
    expect([...new Set(said)]).toEqual([',0', 'registered,0', 'indexing,0', 'indexed,1']);
    expect(said.indexOf('registered,0')).toBe(9);
    expect(said.indexOf('indexed,1')).toBe(12);
  });

  test('shows a part of the output of a job completely or not at all', async () => {
    await start({ character: 'slowToList', settings: { exportShardSize: 1 } });
    for (const number of [1, 2, 3])
      await uploadImage(service, 'b', `${number}.png`, tinyPng(number));
    await call(service, 'POST', jobPath(service, 'j'), { json: jobBody(service, 'b') });
    const seen = new Set<number>();
    for (let step = 0; step < 120; step += 1) {
      await service.clock.advance(500);
      const path = batchPath(service, 'j-export', 'list');
      const query = { partName: 'exported_data' };
      const listed = await call(service, 'GET', path, { query });
      if (listed.status === 200) seen.add(listIn(listed.json, 'filesMetadata').length);
    }
    expect([...seen]).toEqual([0, 3]);
  });
});

describe('noTimes', () => {
  test('states none anywhere', async () => {
    await start({ character: 'noTimes' });
    await putShard('s', [1]);
    await service.clock.advance(1000);
    const [shard] = await shards('s');
    expect(shard).toMatchObject({ statusType: 'success', shardObjectsCount: 1 });
    expect(dig(shard, 'eventTimestamp')).toBeUndefined();
    const listed = await get('s', 'list');
    const object = await send('GET', textIn(listed.json, 'filesMetadata', 0, 'downloadURL'));
    for (const { headers } of [listed, object]) expect(headers['date']).toBeUndefined();
    expect(object.headers['last-modified']).toBeUndefined();
    expect(object.headers['etag']).toBeDefined();
    expect((await call(service, 'GET', batchPath(service, 's', '').slice(0, -1))).status).toBe(404);
    const batches = await call(service, 'GET', '/data-staging/v1/external/demo/batches');
    const [batch] = listIn(batches.json, 'batches');
    expect(batch).toMatchObject({ batchId: 's' });
    expect([dig(batch, 'createdDate'), dig(batch, 'expiryDate')]).toEqual([undefined, undefined]);
  });
});

describe('oneObjectPerName', () => {
  test('the later image, video and member replaces the earlier, and all of it is remembered', async () => {
    await start({ character: 'oneObjectPerName' });
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    const before = textIn((await get('b', 'list')).json, 'filesMetadata', 0, 'downloadURL');
    await uploadImage(service, 'b', 'a.png', tinyPng(2));
    expect([await count('b'), await names('b')]).toEqual([1, ['a.png']]);
    expect((await send('GET', before)).bytes).toEqual(tinyPng(2));
    for (const content of [tinyJpeg(1), tinyJpeg(2)])
      await put(await registerVideo(service, 'v', 'a.mp4'), content);
    expect(await count('v')).toBe(1);
    await putShard('s', [1, 2]);
    await service.clock.advance(1000);
    await put(
      await registerShard(service, 's'),
      await tarOf([{ name: '1.png', content: tinyPng(9) }]),
    );
    await service.clock.advance(1000);
    expect(await names('s')).toEqual(['1.png', '2.png']);
    expect((await shards('s')).map((shard) => dig(shard, 'shardObjectsCount'))).toEqual([2, 1]);
    expect(service.state.replaced.map(({ batchId }) => batchId)).toEqual(['b', 'v', 's']);
    expect(service.state.lost().map(({ object }) => object.name)).toEqual([
      'a.png',
      'a.mp4',
      '1.png',
    ]);
    // Different content under the same name is a loss; the same content again was sent twice.
    expect(service.state.doubles()).toEqual([]);
    await uploadImage(service, 'b', 'a.png', tinyPng(2));
    expect(service.state.doubles()).toMatchObject([{ by: 'content', times: 2 }]);
    await uploadImage(service, 'b', 'again.png', tinyPng(1));
    expect(service.state.lost().map(({ object }) => object.name)).toEqual(['a.mp4']);
  });

  test('or the later one is refused', async () => {
    await start({ settings: { sameName: 'refused' } });
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    expect((await uploadImage(service, 'b', 'a.png', tinyPng(2))).status).toBe(409);
    await put(await registerVideo(service, 'v', 'a.mp4'), tinyJpeg(1));
    // The first try at a new address finds an object of this name.
    expect((await put(await registerVideo(service, 'v', 'a.mp4'), tinyJpeg(2))).status).toBe(412);
    await putShard('s', [1]);
    await service.clock.advance(1000);
    await putShard('s', [1, 2]);
    await service.clock.advance(1000);
    const [, second] = await shards('s');
    expect(second).toMatchObject({ statusType: 'error', shardObjectsCount: 1 });
    expect(service.state.replaced).toEqual([]);
  });
});

describe('checksums', () => {
  const VIDEO = tinyJpeg(5, 3000);
  const md5 = (encoding: 'hex' | 'base64'): string =>
    createHash('md5').update(VIDEO).digest(encoding);
  const crc = (): string => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32c(VIDEO));
    return bytes.toString('base64');
  };

  test('CRC-32C is the one of the standards', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
    expect(crc32c(Buffer.from('6789'), crc32c(Buffer.from('12345')))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  });

  async function stated(states: ServiceOptions['settings']): Promise<readonly Reply[]> {
    await start({ character: 'checksums', ...(states === undefined ? {} : { settings: states }) });
    const answer = await put(await registerVideo(service, 'v', 'a.mp4'), VIDEO);
    const url = textIn((await get('v', 'list')).json, 'filesMetadata', 0, 'downloadURL');
    const replies = [answer, await send('GET', url), await send('HEAD', url)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies.map(({ bytes }) => bytes.length)).toEqual([0, VIDEO.length, 0]);
    expect(replies[2]?.headers['content-length']).toBe(`${VIDEO.length}`);
    return replies;
  }

  test('are stated by PUT, GET and HEAD', async () => {
    for (const { headers } of await stated({})) {
      expect(headers['x-goog-hash']).toBe(`crc32c=${crc()},md5=${md5('base64')}`);
      expect(headers['x-goog-stored-content-length']).toBe(`${VIDEO.length}`);
      expect(headers['etag']).toBe(`"${md5('hex')}"`);
    }
  });

  test('can be an MD5 alone, one of Amazon’s, something that only looks like an MD5, or none', async () => {
    for (const { headers } of await stated({ states: 'etag' })) {
      expect(headers['etag']).toBe(`"${md5('hex')}"`);
      expect(headers['x-goog-hash']).toBeUndefined();
    }
    await service.close();
    for (const { headers } of await stated({ states: 'amz' })) {
      expect(headers['x-amz-checksum-crc32c']).toBe(crc());
      expect(headers['etag']).toBe(`"${md5('hex')}"`);
    }
    await service.close();
    for (const { headers } of await stated({ states: 'odd-etag' })) {
      expect(headers['etag']).toMatch(/^"[0-9a-f]{32}"$/);
      expect(headers['etag']).not.toBe(`"${md5('hex')}"`);
    }
    await service.close();
    for (const { headers } of await stated({ states: 'none' }))
      expect(headers['etag']).toMatch(/^"[ou]0/);
  });

  test('HEAD can be refused, and answers ranges as GET does', async () => {
    await start({ character: 'checksums' });
    await put(await registerVideo(service, 'v', 'a.mp4'), VIDEO);
    const url = textIn((await get('v', 'list')).json, 'filesMetadata', 0, 'downloadURL');
    const range = await send('HEAD', url, { headers: { range: 'bytes=0-0' } });
    expect(range).toMatchObject({ status: 206, headers: { 'content-length': '1' } });
    const one = await send('GET', url, { headers: { range: 'bytes=0-0' } });
    expect(one.bytes).toEqual(VIDEO.subarray(0, 1));
    expect(one.headers['content-range']).toBe(`bytes 0-0/${VIDEO.length}`);
    service.state.settings.answersHead = false;
    expect((await send('HEAD', url)).status).toBe(403);
    expect((await send('GET', url)).status).toBe(200);
  });
});

test('drops: every nth upload is answered 200 and is not there', async () => {
  await start({ character: 'drops', settings: { dropEvery: 3 } });
  for (const number of [1, 2, 3, 4])
    expect((await uploadImage(service, 'b', `${number}.png`, tinyPng(number))).status).toBe(200);
  await putShard('s', [5, 6, 7]);
  await service.clock.advance(1000);
  const video = await registerVideo(service, 'v', 'a.mp4');
  expect((await put(video, tinyJpeg(1))).status).toBe(200);
  const again = await registerVideo(service, 'v', 'b.mp4');
  expect((await put(again, tinyJpeg(2))).status).toBe(200);
  // The address of the discarded upload is free again: the body can be sent again.
  expect((await put(video, tinyJpeg(1))).status).toBe(412);
  expect((await put(again, tinyJpeg(2))).status).toBe(200);
  expect(service.state.dropped.map(({ name }) => name)).toEqual(['3.png', '6.png', 'b.mp4']);
  expect(await names('b')).toEqual(['1.png', '2.png', '4.png']);
  expect(await names('s')).toEqual(['5.png', '7.png']);
  // The shard counts all of them: a count is no proof.
  expect(await shards('s')).toMatchObject([{ statusType: 'success', shardObjectsCount: 3 }]);
  expect(CHARACTERS.drops.settings.dropEvery).toBe(100);
});

test('behindProxy: HTML for a while, counted from the first request', async () => {
  await start({ character: 'behindProxy' });
  await service.clock.advance(60_000);
  expect((await get('b', 'count')).status).toBe(404);
  await service.clock.advance(999);
  expect((await uploadImage(service, 'b', 'a.png', tinyPng(1))).status).toBe(200);
  const to = await registerVideo(service, 'v', 'a.mp4');
  await service.clock.advance(1);
  const replies = [
    await get('b', 'count'),
    await uploadImage(service, 'b', 'b.png', tinyPng(2)),
    await put(to, tinyJpeg(1)),
  ];
  for (const { status, headers, bytes } of replies) {
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/html');
    expect(bytes.toString()).toContain('Network sign-in');
  }
  await service.clock.advance(20_000);
  expect(await count('b')).toBe(1);
  expect(service.state.objects('v')).toEqual([]);
});

test.each([-8, 8])('otherClock: every time it states is %i days away', async (days) => {
  const skewMs = days * 86_400_000;
  await start({ character: 'otherClock', clock: 'real', clockSkewMs: skewMs });
  const isNear = (text: string | undefined): boolean =>
    Math.abs(Date.parse(text ?? '') - Date.now() - skewMs) < 60_000;
  expect(isNear((await get('b', 'count')).headers['date'])).toBe(true);
  await putShard('s', [1]);
  const batch = (await call(service, 'GET', batchPath(service, 's', '').slice(0, -1))).json;
  expect(isNear(textIn(batch, 'batch', 'createdDate'))).toBe(true);
  expect(isNear(textIn((await get('s', 'shards')).json, 'shards', 0, 'eventTimestamp'))).toBe(true);
  const signed = new URL((await registerShard(service, 's')).url).searchParams.get('X-Goog-Date');
  expect(signed?.slice(0, 8)).toBe(
    new Date(Date.now() + skewMs).toISOString().slice(0, 10).replaceAll('-', ''),
  );
  expect(CHARACTERS.otherClock.clockSkewMs).toBe(-8 * 86_400_000);
});

describe('shared', () => {
  test('a second computer writes before every nth upload, into the same batch', async () => {
    await start({ character: 'shared', settings: { otherEvery: 2 } });
    for (const number of [1, 2, 3])
      await uploadImage(service, 'b', `${number}.png`, tinyPng(number));
    await putShard('s', [4]);
    await putShard('s', [5]);
    await service.clock.advance(1000);
    await put(await registerVideo(service, 'v', 'a.mp4'), tinyJpeg(1));
    const writers = (batchId: string): readonly string[] =>
      service.state.objects(batchId).map(({ writer, name }) => `${writer} ${name}`);
    expect(writers('b')).toEqual([
      'other other-00001.jpg',
      'client 1.png',
      'client 2.png',
      'other other-00003.jpg',
      'client 3.png',
    ]);
    expect(writers('s').toSorted()).toEqual([
      'client 4.png',
      'client 5.png',
      'other other-00005.jpg',
    ]);
    expect(writers('v')).toEqual(['client a.mp4']);
    expect(service.state.violations).toEqual([]);
  });

  test('under the same names, where the settings say so', async () => {
    await start({
      character: 'shared',
      settings: { otherEvery: 1, otherNames: 'same', sameName: 'replaces' },
    });
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    expect(service.state.objects('b')).toMatchObject([{ writer: 'client', name: 'a.png' }]);
    expect(service.state.replaced).toMatchObject([{ object: { writer: 'other' } }]);
    expect(service.state.lost()).toEqual([]);
  });
});
