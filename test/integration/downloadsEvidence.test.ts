/** Downloads accept only evidence: complete lists, stated checksums, real archives, and no sign-in pages. */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createDigest } from '../../main/engine/core/digest.ts';
import { openShared } from '../../main/engine/host/openLedger.ts';
import { ordersOfParked } from '../../main/engine/store/tables/outputs.ts';
import { parkedOutputs } from '../helpers/parkedOutputs.ts';
import { waitsOf } from '../../main/engine/store/tables/waits.ts';
import type { Fault } from '../service/faults.ts';
import { requestsThrough, storageAnswers, type Wrap } from './ports.ts';
import { tarOf } from '../helpers/tar.ts';
import { contentOf, createOutputScene, type OutputScene, sha256 } from './outputScene.ts';

const MIB = 1024 * 1024;
const LIST = /\/list$/;
const STORAGE = /^\/storage\//;
const EMPTY: Fault = { kind: 'wrongJson', text: '{"status":"ok","filesMetadata":[]}' };
const ABSENT: Fault = { kind: 'status', status: 404, body: { error: 'Batch not found' } };
const PAGE = '<html><body>Please sign in</body></html>';
const PORTAL: Fault = { kind: 'wrongJson', text: PAGE, contentType: 'text/html; charset=utf-8' };

async function put(scene: OutputScene, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await scene.put(number % 2 === 0 ? 'one' : 'two', `${number}.csv`, contentOf(number, 500));
  }
}

async function expectHeld(scene: OutputScene): Promise<void> {
  const { 'manifest.json': _manifest, ...found } = await scene.files();
  const held = scene.batch.objects.map((object) => object.sha256).sort();
  expect(Object.values(found).sort()).toEqual(held);
}

/** Passes answers of the storage through `change`, with their number from 0. */
function throughStorage(change: (answer: Given, at: number) => Given | Promise<Given>): Wrap {
  let asked = 0;
  return storageAnswers(async (answer) => {
    const at = asked;
    asked += 1;
    const { headers, body } = await change({ headers: answer.headers, body: answer.body }, at);
    const dispose = (): void => answer.body.dispose();
    return {
      ...answer,
      headers,
      body: { [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](), dispose },
    };
  });
}

interface Given {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The same bytes with one bit of the last byte flipped. */
async function* turned(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: Buffer | null = null;
  for await (const chunk of body) {
    if (last !== null) yield last;
    last = Buffer.from(chunk);
  }
  if (last === null) return;
  const end = last.length - 1;
  last[end] = (last[end] ?? 0) ^ 1;
  yield last;
}

/** What a storage states about these bytes, in every format that Sluice understands. */
async function statements(
  bytes: Uint8Array,
): Promise<Readonly<Record<string, Record<string, string>>>> {
  const digest = createDigest({ md5: true });
  digest.update(bytes);
  const { crc32c, md5, sha256: sha } = digest.finish();
  const base64 = (hex: string | null): string => Buffer.from(hex ?? '', 'hex').toString('base64');
  return {
    'x-goog-hash crc32c': { 'x-goog-hash': `crc32c=${base64(crc32c)}` },
    'x-goog-hash md5': { 'x-goog-hash': `md5=${base64(md5)}` },
    'Content-MD5': { 'content-md5': base64(md5) },
    ETag: { etag: `"${md5 ?? ''}"` },
    'x-amz-checksum-crc32c': { 'x-amz-checksum-crc32c': base64(crc32c) },
    'x-amz-checksum-sha256': { 'x-amz-checksum-sha256': base64(sha) },
  };
}

describe('a list', () => {
  test.each([
    ['empty once', EMPTY, 1],
    ['absent once', ABSENT, 1],
    ['empty three times', EMPTY, 3],
  ] as const)('that is %s is read again', async (_, fault, times) => {
    const scene = await createOutputScene();
    await put(scene, 4);
    scene.service.faults.next('GET', LIST, fault, times);
    const fetched = await scene.fetch({ times: { resultsPatienceMs: 60_000 } });
    expect(fetched).toMatchObject({ ok: true, value: { files: 4, parked: [] } });
    await expectHeld(scene);
  });

  test('of parts that is absent once hides nothing', async () => {
    const scene = await createOutputScene();
    await put(scene, 4);
    scene.service.faults.next('GET', /\/parts$/, ABSENT);
    scene.service.faults.next('GET', LIST, EMPTY);
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 4 } });
    await expectHeld(scene);
  });

  test.each([
    ['its part', null],
    ['its part, which cannot be had at first,', { kind: 'status', status: 503 }],
    ['its part, which is said not to be there at first,', ABSENT],
  ] as const)('shorter than the count of %s is read again', async (_, counting) => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await scene.put('one', name, contentOf(name.charCodeAt(0), 300));
    }
    // The second page of the first reading ends the list.
    let pages = 0;
    const short = requestsThrough((http, request) => {
      if (LIST.test(new URL(request.url).pathname)) {
        pages += 1;
        if (pages === 2) {
          scene.service.faults.next('GET', LIST, EMPTY);
          if (counting !== null) scene.service.faults.next('GET', /\/count$/, counting);
        }
      }
      return http.request(request);
    });
    expect(await scene.fetch({ wraps: [short] })).toMatchObject({ ok: true, value: { files: 5 } });
    expect(scene.gets()).toBe(5);
    await expectHeld(scene);
  });

  test('that stays empty is no finished download, and what is listed comes all the same', async () => {
    const scene = await createOutputScene();
    await put(scene, 4);
    const { objects } = scene.batch;
    const [first, second, third] = [...objects];
    objects.splice(0, objects.length, ...objects.filter((object) => object.partName === 'two'));
    const counting: Fault = { kind: 'wrongJson', text: '{"count":2}' };
    scene.service.faults.always('GET', /\/count$/, counting);
    const fetched = await scene.fetch();
    expect(fetched).toMatchObject({ ok: false, error: { code: 'results.incomplete' } });
    expect(Object.keys(await scene.files())).toEqual(['manifest.json', 'two/1.csv', 'two/3.csv']);
    objects.push(
      ...[first, second, third].flatMap((one) => (one?.partName === 'one' ? [one] : [])),
    );
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 4 } });
    expect(scene.gets()).toBe(4);
    await expectHeld(scene);
  });

  test('without files in one part is complete once that was seen for a while', async () => {
    const scene = await createOutputScene();
    await put(scene, 4);
    const { objects } = scene.batch;
    objects.splice(0, objects.length, ...objects.filter((object) => object.partName === 'two'));
    const lists = scene.lists();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
    expect(scene.lists() - lists).toBeGreaterThan(3);
    await expectHeld(scene);
    // The answer is kept: the next command reads each list once, until the part has files.
    const again = scene.lists();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
    expect(scene.lists() - again).toBe(2);
    expect(await scene.fetch({ part: 'one' })).toMatchObject({ ok: true, value: { files: 0 } });
    expect(scene.lists() - again).toBe(3);
    await scene.put('one', 'late.csv', contentOf(9, 300));
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 3, parked: [] } });
  });

  test('that is empty altogether is no finished download', async () => {
    const scene = await createOutputScene();
    await put(scene, 2);
    scene.batch.objects.splice(0);
    expect(await scene.fetch()).toMatchObject({
      ok: false,
      error: { code: 'results.incomplete', context: { said: 'part one is empty so far' } },
    });
  });

  test.each([
    { batchId: 'typo', isAskedAgain: false },
    // Results may be listed only some time after their job has ended.
    { batchId: 'job-7-export', isAskedAgain: true },
  ])('of a batch that the service does not know: %j', async ({ batchId, isAskedAgain }) => {
    const scene = await createOutputScene();
    expect(await scene.fetch({ batchId })).toMatchObject({
      ok: false,
      error: { code: 'service.notFound', context: { said: `batch ${batchId}` } },
    });
    expect(scene.lists() > 1).toBe(isAskedAgain);
    const ledger = openShared(join(scene.directory, 'data'));
    expect(waitsOf(ledger, 1)).toEqual([]);
    ledger.close();
  });

  test('is believed where the service does not count', async () => {
    const scene = await createOutputScene();
    await put(scene, 4);
    scene.service.faults.always('GET', /\/count$/, ABSENT);
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 4 } });
    await expectHeld(scene);
  });
});

describe('bytes that differ from what the storage states', () => {
  const BYTES = contentOf(3, 100_000);

  test.each([
    'x-goog-hash crc32c',
    'x-goog-hash md5',
    'Content-MD5',
    'ETag',
    'x-amz-checksum-crc32c',
    'x-amz-checksum-sha256',
  ])('by %s are thrown away and come again', async (name) => {
    const scene = await createOutputScene();
    await scene.put('one', 'a.csv', BYTES);
    const stated = (await statements(BYTES))[name];
    const damaging = throughStorage(({ headers, body }, at) => ({
      headers: { ...headers, ...stated },
      body: at === 0 ? turned(body) : body,
    }));
    expect(await scene.fetch({ wraps: [damaging] })).toMatchObject({ ok: true });
    expect(scene.gets()).toBe(2);
    await expectHeld(scene);
  });

  test('damaged downloads never get the name of the file, and are shown', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'a.csv', BYTES);
    await scene.put('one', 'b.csv', contentOf(4, 100));
    const damaging = throughStorage(async ({ headers, body }) => {
      const isLarge = Number(headers['content-length']) === BYTES.length;
      const stated = isLarge ? (await statements(BYTES))['x-goog-hash crc32c'] : {};
      return { headers: { ...headers, ...stated }, body: isLarge ? turned(body) : body };
    });
    expect(await scene.fetch({ wraps: [damaging] })).toMatchObject({
      ok: true,
      value: { files: 1, parked: [{ error: { code: 'output.damaged' } }] },
    });
    expect(Object.keys(await scene.files())).toEqual(['manifest.json', 'one/b.csv']);
    const ledger = openShared(join(scene.directory, 'data'));
    expect(parkedOutputs(ledger, 1)).toMatchObject([
      {
        path: join(scene.target, 'one/a.csv'),
        code: 'output.damaged',
        batchId: 'out',
        jobId: null,
      },
    ]);
    const order = { batchId: 'out', target: scene.target, part: 'one', unpack: false };
    expect(ordersOfParked(ledger, 1)).toEqual([{ ...order, codes: ['output.damaged'] }]);
    ledger.close();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
    await expectHeld(scene);
  });

  test('in what an earlier try left are found when the rest is here', async () => {
    const scene = await createOutputScene();
    const bytes = contentOf(5, 3 * MIB);
    await scene.put('one', 'big.bin', bytes);
    const stop = new AbortController();
    scene.service.faults.next('GET', STORAGE, { kind: 'slow', bytesPerSecond: 20 * MIB });
    const onProgress = (now: { bytes: number }): void => {
      if (now.bytes >= MIB) stop.abort();
    };
    await scene.fetch({ signal: stop.signal, onProgress });
    const left = Object.keys(await scene.files()).find((name) => name.endsWith('.sluice.part'));
    const part = await open(join(scene.target, left ?? ''), 'r+');
    await part.write(Buffer.from([1, 2, 3]), 0, 3, 1000);
    await part.close();
    const stated = (await statements(bytes))['x-goog-hash crc32c'];
    const stating = throughStorage(({ headers, body }) => ({
      headers: { ...headers, ...stated },
      body,
    }));
    expect(await scene.fetch({ wraps: [stating] })).toMatchObject({ ok: true });
    await expectHeld(scene);
  });

  test('in a part that is complete are found, too', async () => {
    const scene = await createOutputScene();
    const bytes = Buffer.concat([contentOf(6, 1000), Buffer.from('end')]);
    await scene.put('one', 'a.bin', bytes);
    const stated = (await statements(bytes))['x-goog-hash crc32c'];
    // The first answer states a longer file and no checksum: its part is complete, and damaged.
    const lying = throughStorage(({ headers, body }, at) =>
      at === 0
        ? { headers: { ...headers, 'content-length': '1013' }, body: turned(body) }
        : { headers: { ...headers, ...stated }, body },
    );
    expect(await scene.fetch({ wraps: [lying] })).toMatchObject({ ok: true });
    await expectHeld(scene);
  });

  test('with an ETag that is not an MD5 are believed when the same bytes come again', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'a.csv', BYTES);
    const etag = `"${createHash('md5').update('something else').digest('hex')}"`;
    const naming = throughStorage(({ headers, body }) => ({ headers: { ...headers, etag }, body }));
    expect(await scene.fetch({ wraps: [naming] })).toMatchObject({
      ok: true,
      value: { parked: [] },
    });
    expect(scene.gets()).toBe(2);
    await expectHeld(scene);
  });
});

test('a part file that another program left next to the results stays as it is', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'a.csv', contentOf(1, 2000));
  await mkdir(join(scene.target, 'one'), { recursive: true });
  const theirs = join(scene.target, 'one/a.csv.part');
  await writeFile(theirs, 'half of something else');
  expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
  expect(await readFile(theirs, 'utf8')).toBe('half of something else');
});

describe('a page of a portal', () => {
  test('is never stored as a result; a fresh address brings the file', async () => {
    const scene = await createOutputScene();
    await put(scene, 2);
    scene.service.faults.next('GET', STORAGE, PORTAL, 2);
    const lists = scene.lists();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
    expect(scene.lists() - lists).toBeGreaterThan(2);
    await expectHeld(scene);
  });

  test('that comes as an archive is known by its first bytes', async () => {
    const scene = await createOutputScene();
    for (const name of ['a.zip', 'b.tar', 'c.tar.gz', 'd.tgz', 'e.gz']) {
      await scene.put('one', name, gzipSync(contentOf(1, 2000)));
    }
    const quiet: Fault = { kind: 'wrongJson', text: PAGE, contentType: 'application/octet-stream' };
    scene.service.faults.next('GET', STORAGE, quiet, 5);
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 5, parked: [] } });
    await expectHeld(scene);
  });

  test.each([
    ['an error as JSON', 'table.csv', '{"error":"too many requests"}', 'application/json'],
    ['nothing at all', 'picture.jpg', '', 'image/jpeg'],
  ])('nor is %s under the name %s', async (_, name, text, contentType) => {
    const scene = await createOutputScene();
    await scene.put('one', name, contentOf(3, 2000));
    const given = scene.gets();
    scene.service.faults.next('GET', STORAGE, { kind: 'wrongJson', text, contentType }, 1);
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
    expect(scene.gets() - given).toBe(2);
    await expectHeld(scene);
  });

  test('that stays is an error that says so, and leaves nothing under the name', async () => {
    const scene = await createOutputScene();
    await put(scene, 2);
    scene.service.faults.always('GET', STORAGE, PORTAL);
    expect(await scene.fetch()).toMatchObject({
      ok: false,
      error: { code: 'network.intercepted' },
    });
    const names = Object.keys(await scene.files());
    expect(names.filter((name) => name.endsWith('.csv'))).toEqual([]);
    scene.service.faults.clear();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2 } });
    await expectHeld(scene);
  });

  test.each([
    ['an error that came instead of it', '{"rows":1}', '{"error":"try later"}', false, 2],
    ['a result that begins like an error', '{"error":"no object"}', null, false, 2],
    ['a result that the storage marks', '{"error":"no object"}', null, true, 1],
    ['any other result', '{"rows":1}', null, false, 1],
    ['nothing that came instead of it', '{"rows":1}', '', false, 2],
    ['a result that is empty', '', null, false, 2],
  ])('JSON: %s', async (_, stored, instead, isMarked, asked) => {
    const scene = await createOutputScene();
    await scene.put('one', 'a.json', Buffer.from(stored));
    const wrap = throughStorage(({ headers, body }) => {
      const { etag: _etag, 'last-modified': _date, ...unmarked } = headers;
      return { headers: isMarked ? headers : unmarked, body };
    });
    if (instead !== null) {
      scene.service.faults.next('GET', STORAGE, { kind: 'wrongJson', text: instead }, 1);
    }
    const fetched = await scene.fetch({ wraps: [wrap] });
    expect(fetched).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
    expect(scene.gets()).toBe(asked);
    await expectHeld(scene);
  });

  test('is a result where the name is that of a page', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'report.html', Buffer.from(PAGE));
    scene.service.faults.next('GET', STORAGE, PORTAL);
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1 } });
    await expectHeld(scene);
  });
});

async function archive(content: string): Promise<Buffer> {
  return gzipSync(await tarOf([{ name: 'a.json', content }]));
}

describe('an archive that cannot be read', () => {
  test('is fetched once more, and unpacked then', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'shard.tar.gz', await archive('good'));
    const damaging = throughStorage(({ headers, body }, at) => ({
      headers,
      body: at === 0 ? turned(body) : body,
    }));
    expect(await scene.fetch({ unpack: true, wraps: [damaging] })).toMatchObject({
      ok: true,
      value: { files: 1, parked: [] },
    });
    expect(await readFile(join(scene.target, 'one/shard/a.json'), 'utf8')).toBe('good');
    expect(scene.gets()).toBe(2);
  });

  test('twice is given up, shown, and fetched by the same command later', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 1 } });
    for (const name of ['a.tar.gz', 'b.tar.gz']) await scene.put('one', name, await archive(name));
    const damaging = throughStorage(({ headers, body }) => ({ headers, body: turned(body) }));
    const fetched = await scene.fetch({ unpack: true, wraps: [damaging] });
    expect(fetched).toMatchObject({ ok: true, value: { files: 0 } });
    expect(fetched.ok ? fetched.value.parked.map(({ error }) => error.code) : []).toEqual([
      'part.damaged',
      'part.damaged',
    ]);
    expect(scene.gets()).toBe(4);
    const ledger = openShared(join(scene.directory, 'data'));
    expect(parkedOutputs(ledger, 1).map(({ code }) => code)).toEqual([
      'part.damaged',
      'part.damaged',
    ]);
    ledger.close();
    const again = await scene.fetch({ unpack: true });
    expect(again).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
    const found = await scene.files();
    expect(found['one/a/a.json']).toBe(sha256(Buffer.from('a.tar.gz')));
    expect(found['one/b/a.json']).toBe(sha256(Buffer.from('b.tar.gz')));
    expect(found['one/a.tar.gz']).toBe(scene.batch.objects[0]?.sha256);
  });
});

describe('a file named as an archive that is none', () => {
  test.each([
    ['empty', '', 'it is empty'],
    ['text', 'not an archive', 'it is not an archive, although its name says so'],
  ])('%s is given up for that, and the others come', async (_, text, said) => {
    const scene = await createOutputScene();
    await scene.put('one', 'shard.tar.gz', Buffer.from(text));
    await scene.put('one', 'a.csv', contentOf(1, 500));
    const parked = [{ error: { code: 'output.damaged', context: { said } } }];
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked } });
    const names = Object.keys(await scene.files()).filter((name) => !name.endsWith('.part'));
    expect(names).toEqual(['manifest.json', 'one/a.csv']);
  });

  test('is given up also where it is the only file', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'shard.tar.gz', Buffer.alloc(0));
    const parked = [{ error: { code: 'output.damaged' } }];
    for (const _ of [1, 2])
      expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 0, parked } });
  });
});

describe('many files that fail at once', () => {
  test('are not given up: the cause is not the files', async () => {
    const scene = await createOutputScene();
    await put(scene, 8);
    scene.service.faults.always('GET', STORAGE, { kind: 'status', status: 404 });
    expect(await scene.fetch()).toMatchObject({ ok: false, error: { code: 'service.notFound' } });
    const ledger = openShared(join(scene.directory, 'data'));
    expect(parkedOutputs(ledger, 1)).toEqual([]);
    ledger.close();
    scene.service.faults.clear();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 8, parked: [] } });
    await expectHeld(scene);
  });
});
