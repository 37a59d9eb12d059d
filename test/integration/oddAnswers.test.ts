/** A service that answers images with something other than its documented answer. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { clipOf, tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';
import { alteringStorage, fastClock, rewriting, storageAnswers, type Wrap } from './ports.ts';

/** A bench with a directory of images, and the upload of that directory one by one. */
async function withImages(count: number) {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  for (let number = 0; number < count; number += 1)
    await writeFile(join(images, `${String(number)}.jpg`), tinyJpeg(number));
  const given = ['upload', images, '--batch', 'b', '--mode', 'single'];
  return { bench, upload: (...wraps: readonly Wrap[]) => bench.sluice(given, { wraps }) };
}

test.each(['{}', ''])(
  'images that are answered with %j arrive without long pauses',
  async (text) => {
    const { bench, upload } = await withImages(120);
    bench.service.faults.always('POST', /\/upload\/image$/, {
      kind: 'wrongJson',
      text,
      status: 200,
      acted: true,
    });
    const end = await upload();
    expect(end).toMatchObject({ exitCode: 0 });
    expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(120);
    // After the first ones have arrived, such answers are no reason to check the connection.
    expect(bench.service.log.count('GET', /^\/$/)).toBeLessThan(8);
    // Checked one by one, each would need its own listing.
    expect(bench.service.log.count('GET', /\/list$/)).toBeLessThan(18);
  },
);

test('images that a load balancer refuses with a page are sent again, without doubt', async () => {
  const { bench, upload } = await withImages(6);
  const page = { body: '<html><h1>Busy</h1></html>', headers: { 'content-type': 'text/html' } };
  const refusal = { kind: 'status', retryAfter: 0.1, ...page } as const;
  bench.service.faults.next('POST', /\/upload\/image$/, { ...refusal, status: 429 }, 4);
  const logged: string[] = [];
  const watched: Wrap = (ports) => ({
    ...ports,
    log: { write: (_level, event, facts) => logged.push(`${event} ${JSON.stringify(facts)}`) },
  });
  const end = await upload(fastClock(10), watched);
  expect(end).toMatchObject({ exitCode: 0 });
  expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(10);
  expect(logged.filter((line) => line.includes('intercepted'))).toEqual([]);
  expect(bench.said.join('')).not.toContain('proxy');
});

test.each(['{"downloadURL":"http://127.0.0.1:9/o"}', 'null'])(
  'a list with the entry %s confirms the images that it names, and shows which one is missing',
  async (odd) => {
    const { bench, upload } = await withImages(6);
    bench.service.faults.next('POST', /\/upload\/image$/, { kind: 'acknowledgedAndDropped' });
    const listed = rewriting(/\/list$/, (json) =>
      json.replace('"filesMetadata":[{', `"filesMetadata":[${odd},{`),
    );
    // The odd one counts as an entry, so that the list is complete and shows what never arrived.
    const counted = rewriting(/\/count$/, (json) =>
      json.replace(/"count":([1-9]\d*)/, (_, count: string) => `"count":${Number(count) + 1}`),
    );
    const end = await upload(fastClock(200), listed, counted);
    expect(end).toMatchObject({ exitCode: 0 });
    expect(bench.said.join('')).not.toContain('proxy');
    expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(7);
  },
);

test.each(['1.jpg', 'clip.mp4'])(
  'a storage that packs what it delivers has the file itself: %s',
  async (name) => {
    const bench = await createBench();
    await writeFile(
      join(bench.directory, name),
      name.endsWith('.jpg') ? tinyJpeg(1) : await clipOf('clip'),
    );
    // Whole or a range, as a proxy would pack it: what it says about lengths is of the packed bytes.
    const packed = storageAnswers(async (answer, request) => {
      if (request.method !== 'GET' || answer.status >= 300) return answer;
      const bytes = gzipSync(await buffer(answer.body));
      const length = String(bytes.length);
      const range = { 'content-range': `bytes 0-0/${length}` };
      const partly = answer.status === 206 ? range : {};
      const headers = { ...partly, 'content-encoding': 'gzip', 'content-length': length };
      const dispose = (): void => answer.body.dispose();
      return { ...answer, headers, body: Object.assign(Readable.from([bytes]), { dispose }) };
    });
    const given = ['upload', join(bench.directory, name), '--batch', 'b', '--mode', 'single'];
    const end = await bench.sluice(given, { wraps: [fastClock(60), packed] });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(bench.service.log.count('POST', /\/upload\/(image|video)$/)).toBe(1);
  },
);

test.each([
  ['images', 6, 'POST', /\/upload\/image$/],
  ['clip.mp4', 1, 'PUT', /./],
] as const)(
  'of what a storage alters, one file is sent a second time: %s',
  async (name, count, method, body) => {
    const { bench } = await withImages(count);
    await writeFile(join(bench.directory, 'clip.mp4'), await clipOf('clip'));
    const wraps = [fastClock(200), alteringStorage()];
    const sent = () => bench.service.log.count(method, body);
    const send = async (batch: string, signal?: AbortSignal) => {
      const given = ['upload', join(bench.directory, name), '--batch', batch, '--mode', 'single'];
      const { exitCode } = await bench.sluice(given, {
        wraps,
        ...(signal !== undefined && { signal }),
      });
      return [exitCode, sent()];
    };
    // Interrupted once that one has arrived.
    const stop = new AbortController();
    const first = send('b', stop.signal);
    const arrived = () => bench.service.state.objects('b').length;
    await expect.poll(arrived, { timeout: 60_000, interval: 10 }).toBe(count + 1);
    stop.abort();
    await first;
    expect(await send('b')).toEqual([0, count + 1]);
    expect(await send('b')).toEqual([0, count + 1]);
    // Nothing else is sent twice once it is known.
    expect(await send('another')).toEqual([0, count + 1 + count]);
  },
);

test.each([
  ['images', 'POST', /\/upload\/image$/],
  ['videos', 'PUT', /./],
] as const)(
  'nor are more of them sent twice after answers that were lost: %s',
  async (kind, method, body) => {
    const { bench } = await withImages(6);
    const videos = join(bench.directory, 'videos');
    await mkdir(videos);
    for (let number = 0; number < 6; number += 1)
      await writeFile(join(videos, `${String(number)}.mp4`), await clipOf(`clip ${number}`));
    bench.service.faults.next(method, body, { kind: 'doneButAnswerLost' }, 6);
    const given = ['upload', join(bench.directory, kind), '--batch', 'b', '--mode', 'single'];
    const end = await bench.sluice(given, { wraps: [fastClock(200), alteringStorage()] });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(bench.service.state.objects('b')).toHaveLength(7);
  },
);

test.each([
  ['one file of each of them', alteringStorage(), 8],
  // Altered in another way each time, they cannot be distinguished from another computer's.
  ['no file more often than', alteringStorage({ each: true }), 12],
] as const)('a watch that closes its batches sends %s twice', async (_, storage, most) => {
  const { bench } = await withImages(6);
  const given = ['watch', join(bench.directory, 'images'), '--batch', 'b', '--mode', 'single'];
  const closing = [...given, '--once', '--seal-items', '3'];
  const end = await bench.sluice(closing, { wraps: [fastClock(200), storage] });
  expect(end).toMatchObject({ exitCode: 0 });
  const there = [...bench.service.state.batches.keys()].flatMap((id) =>
    bench.service.state.objects(id).map(({ sha256 }) => sha256),
  );
  expect(new Set(there).size).toBe(6);
  expect(there.length).toBeLessThanOrEqual(most);
});

test('files in archives neither, after a lost registration that looks like another computer', async () => {
  const { bench } = await withImages(40);
  const images = join(bench.directory, 'images');
  const given = ['upload', images, '--batch', 'b', '--mode', 'bulk'];
  const send = () => bench.sluice(given, { wraps: [fastClock(100), alteringStorage()] });
  expect(await send()).toMatchObject({ exitCode: 0 });
  await writeFile(join(images, 'late.jpg'), tinyJpeg(40));
  bench.service.faults.next('POST', /\/bulk-upload\//, { kind: 'doneButAnswerLost' });
  expect(await send()).toMatchObject({ exitCode: 0 });
  const there = bench.service.state.objects('b').map(({ sha256 }) => sha256);
  expect(new Set(there).size).toBe(41);
  expect(there.length).toBeLessThanOrEqual(42);
});

test('a video that is larger than its address allows is not sent, and the limit is said', async () => {
  const bench = await createBench();
  bench.service.state.settings.maxVideoBytes = 1000;
  await writeFile(join(bench.directory, 'clip.mp4'), await clipOf('clip'));
  const given = ['upload', join(bench.directory, 'clip.mp4'), '--batch', 'b'];
  expect(await bench.sluice(given)).toMatchObject({ exitCode: 3 });
  expect(bench.service.log.count('PUT', /./)).toBe(0);
  const { stdout } = await bench.sluice(['problems']);
  expect(stdout).toContain('The service refused this (it accepts at most 1 kB).');
});

test.each([
  '{"status":"error","error":{"message":"out of credits"}}',
  '{"success":false,"message":"out of credits"}',
  '{"status":"failed","message":"out of credits"}',
])(
  'images that are answered 200 with %s are not accepted, and the words are said',
  async (text) => {
    const { bench, upload } = await withImages(4);
    const answer = { kind: 'wrongJson', text, status: 200 } as const;
    bench.service.faults.next('POST', /\/upload\/image$/, answer, 4);
    expect(await upload(fastClock(600))).toMatchObject({ exitCode: 0 });
    expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(8);
    expect(bench.said.join('')).toContain('out of credits');
    expect(bench.said.join('')).not.toContain('proxy');
  },
);

test.each(['single', 'bulk'])(
  'a list that percent-encodes names confirms the files that it names: %s',
  async (mode) => {
    const bench = await createBench();
    const images = join(bench.directory, 'images');
    await mkdir(images);
    const names = ['a b.jpg', 'ü.jpg', '50%.jpg', 'x%20y.jpg', 'a+b.jpg', 'plain.jpg'];
    for (const [seed, name] of names.entries()) await writeFile(join(images, name), tinyJpeg(seed));
    const encoded = rewriting(/\/list$/, (json) =>
      json.replace(
        /"fileName":("[^"]*")/g,
        (_, name: string) => `"fileName":"${encodeURIComponent(String(JSON.parse(name)))}"`,
      ),
    );
    const given = ['upload', images, '--batch', 'b', '--mode', mode];
    const end = await bench.sluice(given, { wraps: [fastClock(60), encoded] });
    expect(end).toMatchObject({ exitCode: 0 });
    const stored = bench.service.state.objects('b').map(({ name }) => name);
    expect(stored.toSorted()).toEqual(names.toSorted());
    // Nor does a ledger that does not know them send any again.
    await rm(bench.dataDirectory, { recursive: true });
    const again = await bench.sluice(given, { wraps: [fastClock(60), encoded] });
    expect(again).toMatchObject({ exitCode: 0 });
    expect(bench.service.state.objects('b')).toHaveLength(names.length);
  },
);

test('an archive that a proxy refuses as too large, with a page, is sent in smaller ones', async () => {
  const { bench } = await withImages(40);
  const page = { kind: 'html', status: 413 } as const;
  bench.service.faults.next('PUT', /./, page);
  const given = ['upload', join(bench.directory, 'images'), '--batch', 'b', '--mode', 'bulk'];
  expect(await bench.sluice(given, { wraps: [fastClock(60)] })).toMatchObject({ exitCode: 0 });
  expect(bench.service.log.count('PUT', /./)).toBeGreaterThan(2);
});

test('an image that a proxy refuses as too large, with a page, needs attention', async () => {
  const { bench, upload } = await withImages(6);
  bench.service.faults.next('POST', /\/upload\/image$/, { kind: 'html', status: 413 });
  expect(await upload(fastClock(60))).toMatchObject({ exitCode: 3 });
  expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(6);
  const { stdout } = await bench.sluice(['problems']);
  expect(stdout).toContain('The service refused this (it is too large).');
});

test('another computer’s file, whose name is ours percent-encoded, does not count as ours', async () => {
  const bench = await createBench();
  const images = join(bench.directory, 'images');
  await mkdir(images);
  for (const [seed, name] of ['a b.jpg', 'plain.jpg'].entries())
    await writeFile(join(images, name), tinyJpeg(seed));
  // Ours is not listed; theirs has other content.
  const theirs = rewriting(/\/list$/, (json) =>
    json.replace('"plain.jpg"', '"a%20b.jpg"').replace('"a b.jpg"', '"plain.jpg"'),
  );
  const given = ['upload', images, '--batch', 'b', '--mode', 'bulk'];
  const end = await bench.sluice(given, { wraps: [fastClock(200), theirs] });
  expect(end).toMatchObject({ exitCode: 0 });
  const names = bench.service.state.objects('b').map(({ name }) => name);
  expect(names).toContainEqual(expect.stringMatching(/^a b~/));
});
