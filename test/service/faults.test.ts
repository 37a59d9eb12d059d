/** Every kind of fault does what its name says: the operation happens or not, and the client sees what it should. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tinyPng } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import type { Fault } from './faults.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import {
  batchPath,
  call,
  form,
  jobBody,
  jobPath,
  listIn,
  outcome,
  put,
  registerShard,
  registerVideo,
  send,
  textIn,
  uploadImage,
  type Registered,
} from './testRequests.ts';

let service: ReferenceService;

beforeEach(async () => {
  service = await createReferenceService();
});
afterEach(() => service.close());

const VIDEO = Buffer.alloc(300_000, 7);

interface Case {
  readonly name: string;
  readonly fault: Fault;
  readonly seen: number | 'lost';
  readonly done: boolean;
}

const CASES: readonly Case[] = [
  { name: 'status', fault: { kind: 'status', status: 503 }, seen: 503, done: false },
  { name: 'delay', fault: { kind: 'delay', ms: 5 }, seen: 200, done: true },
  {
    name: 'cut while receiving, at once',
    fault: { kind: 'cutWhileReceiving', afterBytes: 0 },
    seen: 'lost',
    done: false,
  },
  {
    name: 'cut while receiving, midway',
    fault: { kind: 'cutWhileReceiving', afterBytes: 100 },
    seen: 'lost',
    done: false,
  },
  {
    name: 'cut while receiving, behind the end',
    fault: { kind: 'cutWhileReceiving', afterBytes: 1e9 },
    seen: 'lost',
    done: false,
  },
  { name: 'done but answer lost', fault: { kind: 'doneButAnswerLost' }, seen: 'lost', done: true },
  {
    name: 'wrong JSON',
    fault: { kind: 'wrongJson', text: '<html>', contentType: 'text/html' },
    seen: 200,
    done: false,
  },
  {
    name: 'wrong JSON, done all the same',
    fault: { kind: 'wrongJson', text: '{}', status: 502, acted: true },
    seen: 502,
    done: true,
  },
  { name: 'slow', fault: { kind: 'slow', bytesPerSecond: 1e8 }, seen: 200, done: true },
  { name: 'HTML', fault: { kind: 'html', status: 404 }, seen: 404, done: false },
  {
    name: 'HTML, done all the same',
    fault: { kind: 'html', status: 200, acted: true },
    seen: 200,
    done: true,
  },
  { name: 'dropped', fault: { kind: 'acknowledgedAndDropped' }, seen: 200, done: false },
  { name: 'damaged', fault: { kind: 'damagesBody' }, seen: 200, done: true },
];

test.each(CASES)('image: $name', async ({ fault, seen, done }) => {
  service.faults.next('POST', /upload\/image$/, fault);
  expect(await outcome(uploadImage(service, 'b', 'a.png', tinyPng(1)))).toBe(seen);
  await service.clock.settled();
  expect(service.state.objects('b')).toHaveLength(done ? 1 : 0);
  expect(service.faults.rules).toEqual([]);
  expect(await outcome(uploadImage(service, 'b', 'b.png', tinyPng(2)))).toBe(200);
});

test.each(CASES)('PUT: $name', async ({ fault, seen, done }) => {
  const to = await registerVideo(service, 'v', 'a.mp4');
  service.faults.next('PUT', /^\/storage\//, fault);
  expect(await outcome(put(to, VIDEO))).toBe(seen);
  expect(service.state.objects('v')).toHaveLength(done ? 1 : 0);
  expect(await outcome(put(to, VIDEO))).toBe(done ? 412 : 200);
});

test('an expired address answers so, and works again when the fault is used up', async () => {
  const to = await registerVideo(service, 'v', 'a.mp4');
  service.faults.next('PUT', /storage/, { kind: 'expiredUrl' });
  expect(await outcome(put(to, VIDEO))).toBe(403);
  service.faults.next('PUT', /storage/, { kind: 'expiredUrl' });
  service.state.settings.expiredUrlStatus = 400;
  expect(await outcome(put(to, VIDEO))).toBe(400);
  expect(await outcome(put(to, VIDEO))).toBe(200);
});

describe('late commits', () => {
  beforeEach(async () => {
    await service.close();
    service = await createReferenceService({ clock: 'manual' });
  });
  const LATE: Fault = { kind: 'lateCommit', afterMs: 10_000 };

  test('of an image: lost now, there later, and double when it was sent again meanwhile', async () => {
    service.faults.next('POST', /image$/, LATE);
    expect(await outcome(uploadImage(service, 'b', 'a.png', tinyPng(1)))).toBe('lost');
    expect(service.state.objects('b')).toEqual([]);
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    await service.clock.advance(10_000);
    await expect.poll(() => service.state.objects('b').length).toBe(2);
    expect(service.state.doubles('b')).not.toEqual([]);
  });

  test('of a PUT: the address holds one object, from whichever request is first', async () => {
    const to = await registerVideo(service, 'v', 'a.mp4');
    service.faults.next('PUT', /storage/, LATE);
    expect(await outcome(put(to, VIDEO))).toBe('lost');
    expect(await outcome(put(to, VIDEO))).toBe(200);
    await service.clock.advance(10_000);
    expect(service.state.objects('v')).toHaveLength(1);
  });

  test('of a job: unknown until then', async () => {
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    service.faults.next('POST', /jobs/, LATE);
    const json = jobBody(service, 'b');
    expect(await outcome(call(service, 'POST', jobPath(service, 'j'), { json }))).toBe('lost');
    expect(await outcome(call(service, 'GET', jobPath(service, 'j')))).toBe(404);
    await service.clock.advance(10_000);
    await expect.poll(() => service.state.jobs.has('j')).toBe(true);
  });
});

describe('downloads', () => {
  let to: Registered;
  let url = '';
  beforeEach(async () => {
    to = await registerVideo(service, 'v', 'a.mp4');
    await put(to, VIDEO);
    const { json } = await call(service, 'GET', batchPath(service, 'v', 'list'));
    url = /"downloadURL":"([^"]+)"/.exec(JSON.stringify(json))?.[1] ?? '';
  });

  test.each([0, 1, 100_000, 299_999])('cut after %i bytes give just those', async (afterBytes) => {
    service.faults.next('GET', /storage/, { kind: 'cutWhileAnswering', afterBytes });
    let received = 0;
    const answer = fetch(url).then(async (response) => {
      for await (const chunk of response.body ?? []) received += chunk.byteLength;
    });
    await expect(answer).rejects.toThrow();
    expect(received).toBeLessThanOrEqual(afterBytes);
    expect((await send('GET', url)).bytes).toEqual(VIDEO);
  });

  test('slow ones arrive completely', async () => {
    service.faults.next('GET', /storage/, { kind: 'slow', bytesPerSecond: 1e7 });
    expect((await send('GET', url)).bytes).toEqual(VIDEO);
  });
});

describe('rules', () => {
  const path = '/demo/folders';
  const ask = () => outcome(call(service, 'GET', path));
  /** An upload whose client can leave. */
  const abortable = (batchId: string, fileName: string) => {
    const { body, headers } = form(tinyPng(2));
    const abort = new AbortController();
    const url = `${service.url}${batchPath(service, batchId, 'upload/image')}?api_key=demo-key&fileName=${fileName}`;
    const sent = { headers: { ...headers }, body: Buffer.from(body ?? []), signal: abort.signal };
    return { abort, left: fetch(url, { method: 'POST', ...sent }).catch(() => 'left') };
  };

  test('are used up in order, then `always` holds, until cleared', async () => {
    service.faults.always('GET', /folders/g, { kind: 'status', status: 500 });
    service.faults.next('*', /folders/g, { kind: 'status', status: 429 }, 2);
    service.faults.next('PUT', /folders/, { kind: 'status', status: 418 });
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([429, 429, 500, 500]);
    service.faults.clear();
    expect(await ask()).toBe(200);
  });

  test('a chooser decides where no rule does', async () => {
    let turn = 0;
    service.faults.choose(() => (++turn % 2 === 0 ? { kind: 'status', status: 502 } : null));
    expect([await ask(), await ask(), await ask()]).toEqual([200, 502, 200]);
    expect(service.log.requests.map((entry) => entry.fault)).toEqual([null, 'status', null]);
  });

  test('a held request happens when it is let go, and not at all if its client has left', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    service.faults.always('POST', /image$/, { kind: 'held', until });
    const { abort, left } = abortable('b', 'b.png');
    const kept = outcome(uploadImage(service, 'b', 'a.png', tinyPng(1)));
    await expect.poll(() => service.log.inFlight.now).toBe(2);
    abort.abort();
    expect(await left).toBe('left');
    await expect.poll(() => service.log.inFlight.now).toBe(1);
    expect(service.state.objects('b')).toEqual([]);
    resolve();
    expect(await kept).toBe(200);
    expect(service.state.objects('b')).toMatchObject([{ name: 'a.png' }]);
  });

  test('a hanging request ends with its client or with the service', async () => {
    service.faults.next('POST', /image$/, { kind: 'hang', acted: true });
    service.faults.next('POST', /image$/, { kind: 'hang' });
    const uploads = ['a', 'b'].map((batchId) => abortable(batchId, 'a.png'));
    await expect
      .poll(() => service.state.objects('a').length + service.state.objects('b').length)
      .toBe(1);
    for (const { abort } of uploads) abort.abort();
    expect(await Promise.all(uploads.map(({ left }) => left))).toEqual(['left', 'left']);
  });
});

test('unplugged, nothing answers; plugged in again, everything is still there', async () => {
  await uploadImage(service, 'b', 'a.png', tinyPng(1));
  await service.unplug();
  const path = batchPath(service, 'b', 'count');
  expect(await outcome(call(service, 'GET', path))).toBe('lost');
  await service.plug();
  expect((await call(service, 'GET', path)).json).toMatchObject({ count: 1 });
});

describe('what is thrown away', () => {
  test('is remembered; an image of it can be sent again', async () => {
    service.faults.next('POST', /image$/, { kind: 'acknowledgedAndDropped' });
    expect((await uploadImage(service, 'b', 'a.png', tinyPng(1))).json).toEqual({ status: 'ok' });
    expect(service.state.dropped).toMatchObject([{ batchId: 'b', name: 'a.png' }]);
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    expect(service.state.doubles()).toEqual([]);
  });

  test('of a shard is all of it: nothing is ever indexed', async () => {
    const to = await registerShard(service, 's');
    service.faults.next('PUT', /storage/, { kind: 'acknowledgedAndDropped' });
    const body = await tarOf([{ name: 'a.png', content: tinyPng(1) }]);
    expect(await outcome(put(to, body))).toBe(200);
    await service.clock.settled();
    expect(service.state.batch('s')?.shards).toMatchObject([{ statusName: 'registered' }]);
    expect(service.state.dropped).toMatchObject([{ batchId: 's', name: null }]);
    expect(await outcome(put(to, body))).toBe(200);
  });

  test('can stay in the storage: its address answers 412, and the batch never gets it', async () => {
    const to = await registerVideo(service, 'v', 'a.mp4');
    service.faults.next('PUT', /storage/, { kind: 'acknowledgedAndDropped', keptInStorage: true });
    expect(await outcome(put(to, VIDEO))).toBe(200);
    expect(await outcome(put(to, VIDEO))).toBe(412);
    expect(service.state.objects('v')).toEqual([]);
    expect(await outcome(put(await registerVideo(service, 'v', 'a.mp4'), VIDEO))).toBe(200);
  });
});

describe('damage on the way', () => {
  test('changes one bit of an image, which still opens', async () => {
    service.faults.next('POST', /image$/, { kind: 'damagesBody' });
    await uploadImage(service, 'b', 'a.png', tinyPng(1));
    const [object] = service.state.objects('b');
    const stored = await service.bytes(object?.objectId ?? '');
    const wrong = [...tinyPng(1)].filter((byte, index) => byte !== stored[index]);
    expect(stored).toHaveLength(tinyPng(1).length);
    expect(wrong).toHaveLength(1);
  });

  test('of a body on the storage is visible in the checksums of what was stored', async () => {
    service.state.settings.states = 'goog';
    const sent = createHash('md5').update(VIDEO).digest('base64');
    const to = await registerVideo(service, 'v', 'a.mp4');
    service.faults.next('PUT', /storage/, { kind: 'damagesBody' });
    const { headers } = await put(to, VIDEO);
    expect(headers['x-goog-stored-content-length']).toBe(`${VIDEO.length}`);
    expect(headers['x-goog-hash']).toMatch(/^crc32c=.{8},md5=/);
    expect(headers['x-goog-hash']).not.toContain(sent);
    const again = await put(await registerVideo(service, 'v', 'b.mp4'), VIDEO);
    expect(again.headers['x-goog-hash']).toContain(sent);
  });

  test('of a shard hits the content of a member: the archive stays good', async () => {
    const to = await registerShard(service, 's');
    service.faults.next('PUT', /storage/, { kind: 'damagesBody' });
    await put(to, await tarOf([1, 2].map((n) => ({ name: `${n}.png`, content: tinyPng(n) }))));
    await expect.poll(() => service.state.objects('s').length).toBe(2);
    const hashes = service.state.objects('s').map(({ sha256 }) => sha256);
    const wanted = [1, 2].map((n) => createHash('sha256').update(tinyPng(n)).digest('hex'));
    expect(hashes[0]).not.toBe(wanted[0]);
    expect(hashes[1]).toBe(wanted[1]);
  });
});

test('an answer that drips begins at once and comes byte by byte', async () => {
  await service.close();
  service = await createReferenceService({ clock: 'manual' });
  await uploadImage(service, 'b', 'a.png', tinyPng(1));
  service.faults.next('GET', /count/, { kind: 'drips' });
  let ended = false;
  const dripping = call(service, 'GET', batchPath(service, 'b', 'count')).finally(() => {
    ended = true;
  });
  await expect.poll(() => service.log.inFlight.now).toBe(1);
  const body = JSON.stringify({ status: 'ok', count: 1 });
  // Each piece schedules the next one only after it was sent.
  for (let second = 0; second < body.length - 1; second += 1) await service.clock.advance(1000);
  expect(ended).toBe(false);
  await expect
    .poll(async () => {
      await service.clock.advance(1000);
      return ended;
    })
    .toBe(true);
  expect((await dripping).json).toEqual({ status: 'ok', count: 1 });
});

test.each(['same', 'empty'] as const)('paging without an end: %s', async (pages) => {
  for (const number of [1, 2, 3]) await uploadImage(service, 'b', `${number}.png`, tinyPng(number));
  service.faults.always('GET', /list/, { kind: 'endlessPaging', pages });
  const tokens = new Set<string>();
  const counts: number[] = [];
  let query: Readonly<Record<string, string>> = { pageSize: '2' };
  for (let round = 0; round < 5; round += 1) {
    const { json } = await call(service, 'GET', batchPath(service, 'b', 'list'), { query });
    counts.push(listIn(json, 'filesMetadata').length);
    const nextPageToken = textIn(json, 'nextPageToken');
    tokens.add(nextPageToken);
    query = { pageSize: '2', nextPageToken };
  }
  expect(tokens.size).toBe(5);
  expect(counts).toEqual(pages === 'same' ? [2, 2, 2, 2, 2] : [2, 0, 0, 0, 0]);
});
