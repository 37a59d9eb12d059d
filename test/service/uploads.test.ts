/** What goes into batches: strict about format, kind, names and size; every arrival is recorded. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sample, tinyJpeg, tinyPng, truncated } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import {
  batchPath,
  call,
  dig,
  form,
  listIn,
  put,
  raw,
  registerShard,
  registerVideo,
  send,
  uploadImage,
} from './testRequests.ts';

let service: ReferenceService;

beforeEach(async () => {
  service = await createReferenceService({ clock: 'manual' });
});
afterEach(() => service.close());

describe('single images', () => {
  test('are kept under the name of the query, with their bytes and pixels', async () => {
    const content = await sample('webp');
    expect((await uploadImage(service, 'b1', 'shelf.webp', content)).json).toEqual({
      status: 'ok',
    });
    const [object] = service.state.objects('b1');
    expect(object).toMatchObject({ name: 'shelf.webp', sizeBytes: content.length });
    expect(object?.width).toBeGreaterThan(0);
    expect(await service.bytes(object?.objectId ?? '')).toEqual(content);
    expect(service.state.violations).toEqual([]);
  });

  test('a name or a content that comes twice is there twice', async () => {
    await uploadImage(service, 'b1', 'a.png', tinyPng(1));
    await uploadImage(service, 'b1', 'a.png', tinyPng(1));
    await uploadImage(service, 'b1', 'b.png', tinyPng(2));
    expect((await call(service, 'GET', batchPath(service, 'b1', 'count'))).json).toMatchObject({
      count: 3,
    });
    expect(service.state.doubles('b1')).toMatchObject([
      { by: 'name', value: 'a.png', times: 2 },
      { by: 'content', times: 2 },
    ]);
  });

  test.each([
    ['no file name', 400, {}, tinyPng(1)],
    ['an ending of another kind', 400, { fileName: 'a.mp4' }, tinyPng(1)],
    ['no ending', 400, { fileName: 'png' }, tinyPng(1)],
    ['a directory in the name', 400, { fileName: 'x/a.png' }, tinyPng(1)],
    ['a name of 256 bytes', 400, { fileName: `${'a'.repeat(252)}.png` }, tinyPng(1)],
    ['no image', 400, { fileName: 'a.png' }, Buffer.from('hello')],
    ['the head of an image only', 400, { fileName: 'a.jpg' }, truncated(tinyJpeg(1), 0.01)],
    ['an empty file', 400, { fileName: 'a.png' }, Buffer.alloc(0)],
    ['an image over the limit', 413, { fileName: 'a.png' }, tinyPng(1, 20_971_520)],
  ] as const)('refuses %s', async (_, status, query, content) => {
    const path = batchPath(service, 'b1', 'upload/image');
    const reply = await call(service, 'POST', path, { ...form(content), query });
    expect(reply.status).toBe(status);
    expect(typeof dig(reply.json, 'error')).toBe('string');
    expect(service.state.objects('b1')).toEqual([]);
  });

  test.each([
    ['no form', { headers: { 'content-type': 'image/png' }, body: tinyPng(1) }],
    [
      'a form without a boundary',
      { ...form(tinyPng(1)), headers: { 'content-type': 'multipart/form-data' } },
    ],
    [
      'a form that is cut',
      { ...form(tinyPng(1)), body: (form(tinyPng(1)).body ?? Buffer.alloc(0)).subarray(0, -6) },
    ],
  ] as const)('refuses %s', async (_, sending) => {
    const path = batchPath(service, 'b1', 'upload/image');
    const reply = await call(service, 'POST', path, { ...sending, query: { fileName: 'a.png' } });
    expect(reply.status).toBe(400);
  });

  test.each(['A1', 'a.b', 'a'.repeat(65), 'ä'])('refuses the batch id %s', async (batchId) => {
    const reply = await uploadImage(service, encodeURIComponent(batchId), 'a.png', tinyPng(1));
    expect(reply.status).toBe(400);
  });
});

describe('kinds of batches', () => {
  test('single and bulk do not mix', async () => {
    await uploadImage(service, 'single', 'a.png', tinyPng(1));
    const bulk = batchPath(service, 'single', 'bulk-upload/image-files');
    expect((await call(service, 'POST', bulk)).status).toBe(400);
    await registerShard(service, 'bulk');
    expect((await uploadImage(service, 'bulk', 'a.png', tinyPng(1))).status).toBe(400);
  });

  test('images and videos do not mix', async () => {
    await uploadImage(service, 'images', 'a.png', tinyPng(1));
    const video = batchPath(service, 'images', 'upload/video');
    const query = { fileName: 'a.mp4' };
    expect((await call(service, 'POST', video, { query })).status).toBe(400);
    await registerVideo(service, 'videos', 'a.mp4');
    expect((await uploadImage(service, 'videos', 'a.png', tinyPng(1))).status).toBe(400);
  });

  test('everything is gone after seven days, and the id can be used again', async () => {
    await uploadImage(service, 'b1', 'a.png', tinyPng(1));
    await service.clock.advance(7 * 24 * 3600 * 1000);
    expect((await call(service, 'GET', batchPath(service, 'b1', 'count'))).status).toBe(404);
    expect(service.state.expired).toHaveLength(1);
    await uploadImage(service, 'b1', 'b.png', tinyPng(2));
    expect(service.state.objects('b1').map(({ name }) => name)).toEqual(['b.png']);
  });
});

describe('videos and the storage', () => {
  test('a video counts as soon as its PUT is answered', async () => {
    const content = await sample('mp4');
    const to = await registerVideo(service, 'v', 'conveyor.mp4');
    expect((await call(service, 'GET', batchPath(service, 'v', 'count'))).json).toMatchObject({
      count: 0,
    });
    expect((await put(to, content)).status).toBe(200);
    expect(service.state.objects('v')).toMatchObject([
      { name: 'conveyor.mp4', sizeBytes: content.length, contentType: 'videos' },
    ]);
  });

  test('a second PUT to the same address is refused with 412, or doubles when so set', async () => {
    const to = await registerVideo(service, 'v', 'a.mp4');
    await put(to, Buffer.from('one'));
    expect((await put(to, Buffer.from('one'))).status).toBe(412);
    service.state.settings.repeatedPut = 'doubles';
    await put(to, Buffer.from('one'));
    expect(service.state.objects('v')).toHaveLength(2);
    service.state.settings.repeatedPut = 'replaces';
    await put(to, Buffer.from('two'));
    expect(service.state.objects('v')).toHaveLength(2);
  });

  test('refuses what is not as registered', async () => {
    const to = await registerVideo(service, 'v', 'a.mp4');
    const body = Buffer.from('video');
    const without = await send('PUT', to.url, { body });
    const forged = await put({ ...to, url: to.url.replace('/uploads/v/', '/uploads/w/') }, body);
    expect([without.status, forged.status]).toEqual([403, 403]);
    const withKey = await put({ ...to, url: `${to.url}&api_key=demo-key` }, body);
    const withBearer = await send('PUT', to.url, {
      headers: { ...to.headers, authorization: 'Bearer demo-key' },
      body,
    });
    expect([withKey.status, withBearer.status]).toEqual([400, 400]);
    expect(service.state.violations.map(({ rule }) => rule)).toEqual([
      'key-at-storage',
      'key-at-storage',
    ]);
    service.state.settings.expiredUrlStatus = 403;
    await service.clock.advance(24 * 3600 * 1000);
    expect((await put(to, body)).status).toBe(403);
    expect(service.state.objects('v')).toEqual([]);
  });

  test('refuses a chunked body, one over the limit, and one shorter than declared', async () => {
    service.state.settings.maxVideoBytes = 10;
    const to = await registerVideo(service, 'v', 'a.mp4');
    expect((await put(to, Buffer.alloc(11))).status).toBe(400);
    const { pathname, search, host } = new URL(to.url);
    const head = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, 'Connection: close'];
    for (const [name, value] of Object.entries(to.headers)) head.push(`${name}: ${value}`);
    const chunked = [...head, 'Transfer-Encoding: chunked', '', '3', 'abc', '0', '', ''];
    expect(await raw(service, Buffer.from(chunked.join('\r\n')))).toMatch(/^HTTP\/1.1 411/);
    expect(service.state.objects('v')).toEqual([]);
  });

  test('downloads come whole, in ranges, and not past their end', async () => {
    await uploadImage(service, 'b1', 'a.png', tinyPng(7));
    const listed = await call(service, 'GET', batchPath(service, 'b1', 'list'));
    const [file] = listIn(listed.json, 'filesMetadata');
    const url = String(dig(file, 'downloadURL'));
    const whole = await send('GET', url);
    expect(whole.bytes).toEqual(tinyPng(7));
    const etag = whole.headers['etag'] ?? '';
    const range = (headers: Readonly<Record<string, string>>) => send('GET', url, { headers });
    const part = await range({ range: 'bytes=10-', 'if-range': etag });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(
      `bytes 10-${whole.bytes.length - 1}/${whole.bytes.length}`,
    );
    expect(part.bytes).toEqual(tinyPng(7).subarray(10));
    expect((await range({ range: 'bytes=10-', 'if-range': '"other"' })).status).toBe(200);
    expect((await range({ range: `bytes=${whole.bytes.length}-` })).status).toBe(416);
    expect((await range({ range: 'bytes=-5' })).bytes).toEqual(tinyPng(7).subarray(-5));
  });
});

describe('shards', () => {
  const shardsOf = async (batchId: string) =>
    listIn((await call(service, 'GET', batchPath(service, batchId, 'shards'))).json, 'shards');

  test('are indexed in the background: the count lags', async () => {
    const to = await registerShard(service, 'b');
    expect(await shardsOf('b')).toMatchObject([{ statusType: 'info', shardObjectsCount: 0 }]);
    await put(
      to,
      await tarOf([
        { name: 'a.png', content: tinyPng(1) },
        { name: 'b.jpg', content: tinyJpeg(2) },
      ]),
    );
    expect(service.state.objects('b')).toEqual([]);
    await service.clock.advance(service.state.settings.indexingMs);
    expect(await shardsOf('b')).toMatchObject([{ statusType: 'success', shardObjectsCount: 2 }]);
    expect(service.state.objects('b').map(({ name }) => name)).toEqual(['a.png', 'b.jpg']);
    const [first] = service.state.objects('b');
    expect(await service.bytes(first?.objectId ?? '')).toEqual(tinyPng(1));
  });

  test('take the good members and name the bad ones', async () => {
    service.state.settings.maxImageBytes = 5000;
    const to = await registerShard(service, 'b');
    await put(
      to,
      await tarOf([
        { name: 'good.png', content: tinyPng(1) },
        { name: 'bad.png', content: Buffer.from('no image') },
        { name: 'notes.txt', content: Buffer.from('no image') },
        { name: 'in/side.png', content: tinyPng(2) },
        { name: 'big.png', content: tinyPng(3, 6000) },
        { name: 'link.png', type: 'symlink', linkname: 'x' },
      ]),
    );
    await service.clock.advance(1000);
    const [shard] = await shardsOf('b');
    expect(shard).toMatchObject({ statusType: 'error', shardObjectsCount: 1 });
    expect(listIn(dig(shard, 'statusMetadata'), 'failedFiles')).toMatchObject([
      { fileName: 'bad.png', type: 'image-decoding-failed' },
      { fileName: 'notes.txt', type: 'unsupported-file-type' },
      { fileName: 'in/side.png', type: 'nested-directory' },
      { fileName: 'big.png', type: 'file-size-limit-exceeded' },
      { fileName: 'link.png', type: 'not-a-regular-file' },
    ]);
    expect(service.state.objects('b').map(({ name }) => name)).toEqual(['good.png']);
  });

  test.each([
    [
      'over 500 members',
      () =>
        tarOf(Array.from({ length: 501 }, (_, i) => ({ name: `${i}.png`, content: tinyPng(i) }))),
    ],
    ['without members', () => tarOf([])],
    [
      'cut in a member',
      async () => truncated(await tarOf([{ name: 'a.png', content: tinyPng(1, 4000) }]), 0.4),
    ],
    ['that are no archive', async () => Buffer.alloc(2048, 7)],
    ['that are empty', async () => Buffer.alloc(0)],
  ] as const)('%s are rejected whole', async (_, content) => {
    await put(await registerShard(service, 'b'), await content());
    await service.clock.advance(1000);
    expect(await shardsOf('b')).toMatchObject([{ statusType: 'error', shardObjectsCount: 0 }]);
    expect(service.state.objects('b')).toEqual([]);
  });

  test('the same image in two shards counts twice', async () => {
    for (const name of ['a.png', 'a.png'])
      await put(await registerShard(service, 'b'), await tarOf([{ name, content: tinyPng(1) }]));
    await service.clock.advance(1000);
    expect(service.state.doubles('b')).toMatchObject([
      { by: 'name', value: 'a.png', times: 2 },
      { by: 'content', times: 2 },
    ]);
  });
});
