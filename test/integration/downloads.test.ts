/** Downloads: every output file, complete, once, in its place, whatever the network and the service do. */
import { mkdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { headerOf } from '../service/requestLog.ts';
import { freeSpace, requestsThrough, storageAnswers, type Wrap } from './ports.ts';
import { tarOf, type TarMember } from '../helpers/tar.ts';
import { contentOf, createOutputScene, type OutputScene, sha256 } from './outputScene.ts';

const MIB = 1024 * 1024;

async function manifestOf(scene: OutputScene, name = 'manifest.json'): Promise<Manifest> {
  const text = await readFile(join(scene.target, name), 'utf8');
  const manifest: Manifest = JSON.parse(text);
  return manifest;
}

interface Manifest {
  readonly format: string;
  readonly files: readonly {
    readonly batch: string;
    readonly part: string | null;
    readonly name: string;
    readonly path: string;
    readonly sizeBytes: number;
    readonly sha256: string;
  }[];
  readonly missing: readonly { readonly name: string; readonly missing: string }[];
}

/** Every file of the batch is in its place as the service has it, the manifest says so, and nothing else is there. */
async function expectWhole(scene: OutputScene): Promise<void> {
  const { 'manifest.json': _manifest, ...found } = await scene.files();
  const manifest = await manifestOf(scene);
  expect(manifest.format).toBe('sluice-manifest-1');
  expect(manifest.missing).toEqual([]);
  expect(Object.fromEntries(manifest.files.map((file) => [file.path, file.sha256]))).toEqual(found);
  const told = manifest.files.map(({ part, name, sha256: hash }) => `${part} ${name} ${hash}`);
  const held = scene.batch.objects.map(
    (object) => `${object.partName} ${object.name} ${object.sha256}`,
  );
  expect([...told].sort()).toEqual([...held].sort());
}

/** Stops the download after this many bytes. */
function stopAfter(bytes: number) {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    onProgress: (now: { bytes: number }) => {
      if (now.bytes >= bytes) stop.abort();
    },
  };
}

const ranges = (scene: OutputScene) =>
  scene.service.log.find('GET', /^\/storage\//).map((entry) => headerOf(entry, 'range'));

describe('many files', () => {
  test('of several parts and pages come while the list is still being read', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 4 } });
    for (let number = 0; number < 11; number += 1) {
      await scene.put('one', `a-${number}.json`, contentOf(number, 3000 + number));
      await scene.put('two', `a-${number}.json`, contentOf(100 + number, 2000 + number));
    }
    scene.service.log.clear();
    const fetched = await scene.fetch();
    expect(fetched).toMatchObject({ ok: true, value: { files: 22, parked: [] } });
    await expectWhole(scene);
    const order = scene.service.log.requests.map(({ path }) => path);
    const firstFile = order.findIndex((path) => path.startsWith('/storage/'));
    const lists = order.flatMap((path, at) => (path.endsWith('/list') ? [at] : []));
    // The first page of the two is asked for once more, to see whether the service gives larger ones.
    expect(lists).toHaveLength(7);
    expect(lists.filter((at) => at > firstFile).length).toBeGreaterThan(0);
    const again = await scene.fetch();
    expect(again).toEqual(fetched);
    expect(scene.gets()).toBe(22);
    await expectWhole(scene);
  });

  test('without a part stand in files/, and one part alone can be asked for', async () => {
    const scene = await createOutputScene();
    await scene.put('', 'plain.csv', contentOf(1, 500));
    expect((await scene.fetch()).ok).toBe(true);
    expect(Object.keys(await scene.files())).toEqual(['files/plain.csv', 'manifest.json']);
    const other = await createOutputScene();
    await other.put('one', 'a.csv', contentOf(1, 500));
    await other.put('two', 'b.csv', contentOf(2, 500));
    expect(await other.fetch({ part: 'two' })).toMatchObject({ ok: true, value: { files: 1 } });
    expect(Object.keys(await other.files())).toEqual(['manifest.json', 'two/b.csv']);
  });

  test('that are gone are fetched again; next to a changed one a fresh copy is saved', async () => {
    const scene = await createOutputScene();
    for (const number of [1, 2, 3]) await scene.put('one', `${number}.csv`, contentOf(number, 900));
    await scene.fetch();
    await rm(join(scene.target, 'one/1.csv'));
    await truncate(join(scene.target, 'one/2.csv'), 100);
    scene.service.log.clear();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 3 } });
    expect(scene.gets()).toBe(2);
    const found = await scene.files();
    expect(found['one/1.csv']).toBe(sha256(contentOf(1, 900)));
    expect(found['one/2.csv']).toBe(sha256(contentOf(2, 900).subarray(0, 100)));
    expect(found['one/2~2.csv']).toBe(sha256(contentOf(2, 900)));
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 3 } });
    expect(scene.gets()).toBe(2);
    expect(await scene.files()).toEqual(found);
  });

  test('that a person edited stay as they are, the edit of one byte included', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'results.csv', Buffer.from('a,1\nb,2\n'));
    await scene.fetch();
    const path = join(scene.target, 'one/results.csv');
    await writeFile(path, 'a,1\nb,3\n');
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
    expect(await readFile(path, 'utf8')).toBe('a,1\nb,3\n');
    const copy = join(scene.target, 'one/results~2.csv');
    expect(await readFile(copy, 'utf8')).toBe('a,1\nb,2\n');
    const manifest = await manifestOf(scene);
    expect(manifest.files.map((file) => file.path)).toEqual(['one/results~2.csv']);
  });

  test('that were only touched are read, and not fetched again', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'a.csv', contentOf(1, 900));
    await scene.fetch();
    await utimes(join(scene.target, 'one/a.csv'), new Date(0), new Date(0));
    scene.service.log.clear();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1 } });
    expect(scene.gets()).toBe(0);
    await expectWhole(scene);
  });
});

describe('a download that is cut', () => {
  test('by the user goes on where it was', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'big.bin', contentOf(1, 6 * MIB));
    scene.service.faults.next('GET', /^\/storage\//, { kind: 'slow', bytesPerSecond: 20 * MIB });
    const cut = await scene.fetch(stopAfter(2 * MIB));
    expect(cut.ok).toBe(false);
    expect(Object.keys(await scene.files()).join()).toMatch(/^one.big\.bin\.\w+\.sluice\.part$/);
    expect((await scene.fetch()).ok).toBe(true);
    const [first, second] = ranges(scene);
    expect(first).toBeNull();
    expect(Number(/^bytes=(\d+)-$/.exec(second ?? '')?.[1])).toBeGreaterThanOrEqual(2 * MIB);
    await expectWhole(scene);
  });

  test('by the network goes on by itself, again and again', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'big.bin', contentOf(2, 3 * MIB));
    const cut = { kind: 'cutWhileAnswering', afterBytes: 700_000 } as const;
    scene.service.faults.next('GET', /^\/storage\//, cut, 3);
    expect((await scene.fetch()).ok).toBe(true);
    expect(
      ranges(scene)
        .slice(1)
        .every((range) => range !== null && range !== 'bytes=0-'),
    ).toBe(true);
    await expectWhole(scene);
  });

  test('and gets the whole file instead of the rest starts over', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'big.bin', contentOf(3, 3 * MIB));
    await scene.fetch(stopAfter(MIB));
    const ignored = requestsThrough((http, request) => {
      const { range: _range, ...headers } = request.headers;
      return http.request({ ...request, headers });
    });
    expect((await scene.fetch({ wraps: [ignored] })).ok).toBe(true);
    await expectWhole(scene);
  });

  test('and finds another file behind the name takes the new one whole', async () => {
    const scene = await createOutputScene();
    const object = await scene.put('one', 'big.bin', contentOf(4, 3 * MIB));
    await scene.fetch(stopAfter(MIB));
    await scene.replace(object, contentOf(5, 2 * MIB));
    expect((await scene.fetch()).ok).toBe(true);
    await expectWhole(scene);
  });

  test('with everything there already asks once and is done', async () => {
    const scene = await createOutputScene();
    const bytes = Buffer.concat([contentOf(6, 1000), Buffer.from('end')]);
    await scene.put('one', 'a.bin', bytes);
    const longer = lying((length) => length + 10);
    expect((await scene.fetch({ wraps: [longer] })).ok).toBe(true);
    await expectWhole(scene);
  });

  test('and states a wrong length is not believed, either way', async () => {
    for (const lie of [-10, 10]) {
      const scene = await createOutputScene();
      await scene.put('one', 'a.bin', contentOf(7, 200_000));
      expect((await scene.fetch({ wraps: [lying((length) => length + lie)] })).ok).toBe(true);
      expect(scene.gets()).toBeGreaterThan(1);
      await expectWhole(scene);
    }
  });
});

/** The first answer with bytes states a wrong length. */
function lying(length: (real: number) => number): Wrap {
  let told = false;
  return storageAnswers((answer) => {
    if (told) return answer;
    told = true;
    const real = Number(answer.headers['content-length']);
    return { ...answer, headers: { ...answer.headers, 'content-length': String(length(real)) } };
  });
}

describe('addresses that end', () => {
  test('are replaced a page at a time', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 5, signedUrlMs: 60_000 } });
    for (let number = 0; number < 15; number += 1) {
      await scene.put('one', `${number}.json`, contentOf(number, 400));
    }
    let advanced = false;
    const expire = requestsThrough(async (http, request) => {
      const isFirst = request.url.includes('/storage/') && !advanced;
      if (isFirst) {
        advanced = true;
        await scene.service.clock.advance(120_000);
      }
      return http.request(request);
    });
    expect(await scene.fetch({ wraps: [expire] })).toMatchObject({
      ok: true,
      value: { files: 15 },
    });
    expect(scene.lists()).toBeLessThanOrEqual(6);
    await expectWhole(scene);
  });

  test('are looked for by name when the list has changed meanwhile', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    for (const name of ['a', 'b', 'b', 'c', 'd']) {
      await scene.put('one', name, contentOf(name.charCodeAt(0) + scene.batch.objects.length, 300));
    }
    const { objects } = scene.batch;
    const before = [...objects];
    const extra = await scene.put('one', 'new', contentOf(99, 300));
    objects.pop();
    let changed = false;
    const change = requestsThrough(async (http, request) => {
      const isFirst = request.url.includes('/storage/') && !changed;
      if (isFirst) {
        changed = true;
        // The list is read to its end before it changes, and its first page twice: the service may give larger ones.
        await expect.poll(() => scene.lists()).toBe(1 + Math.ceil(before.length / 2));
        objects.splice(0, objects.length, extra, ...before);
        scene.service.faults.next('GET', /^\/storage\//, { kind: 'expiredUrl' }, 5);
      }
      return http.request(request);
    });
    expect(await scene.fetch({ wraps: [change] })).toMatchObject({ ok: true });
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 6 } });
    await expectWhole(scene);
  });

  test('of a file that is not offered any more park that file only', async () => {
    const scene = await createOutputScene();
    const gone = await scene.put('one', 'gone.json', contentOf(1, 300));
    await scene.put('one', 'here.json', contentOf(2, 300));
    const path = new RegExp(`/${gone.objectId}$`);
    scene.service.faults.always('GET', path, { kind: 'expiredUrl' });
    const vanish = requestsThrough((http, request) => {
      if (request.url.includes('/storage/')) {
        scene.batch.objects.splice(0, 2, ...scene.batch.objects.filter((one) => one !== gone));
      }
      return http.request(request);
    });
    const fetched = await scene.fetch({ wraps: [vanish] });
    expect(fetched).toMatchObject({
      ok: true,
      value: { files: 1, parked: [{ error: { code: 'service.notFound' } }] },
    });
    const manifest = await manifestOf(scene);
    expect(manifest.files.map(({ name }) => name)).toEqual(['here.json']);
    expect(manifest.missing).toMatchObject([{ name: 'gone.json', missing: 'service.notFound' }]);
  });
});

describe('a service that stumbles', () => {
  test('while it lists is asked again', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await scene.put('one', name, contentOf(1, 300));
    scene.service.faults.next('GET', /\/parts$/, { kind: 'status', status: 503 }, 4);
    scene.service.faults.next('GET', /\/list$/, { kind: 'status', status: 502 }, 4);
    const times = { silentStartMs: 60_000 };
    expect(await scene.fetch({ times })).toMatchObject({ ok: true, value: { files: 5 } });
    await expectWhole(scene);
  });

  test('with one file only keeps the others coming', async () => {
    const scene = await createOutputScene();
    const bad = await scene.put('one', 'bad', contentOf(1, 300));
    for (const name of ['a', 'b', 'c']) await scene.put('one', name, contentOf(2, 300));
    const path = new RegExp(`/${bad.objectId}$`);
    scene.service.faults.always('GET', path, { kind: 'status', status: 404 });
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 3 } });
    scene.service.faults.clear();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 4, parked: [] } });
    await expectWhole(scene);
  });

  test('and a full disk stop it, and it continues later', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'a', contentOf(1, 300));
    expect(await scene.fetch({ wraps: [freeSpace(1000)] })).toMatchObject({
      ok: false,
      error: { code: 'disk.full' },
    });
    expect((await scene.fetch()).ok).toBe(true);
    await expectWhole(scene);
  });
});

describe('names', () => {
  test('that are evil stay inside the directory, and none is lost', async () => {
    const scene = await createOutputScene();
    const evil = [
      '../../escape.txt',
      '/etc/passwd',
      '..',
      '.',
      '.hidden',
      'a/b/c.txt',
      'back\\slash.txt',
      'C:\\windows.txt',
      'con.txt',
      'nul',
      'trailing. ',
      'new\nline',
      'manifest.json',
      'x.part',
      'x.tmp',
      'Twin.txt',
      'twin.txt',
      'twin.txt',
      `${'long'.repeat(100)}.json`,
      'stream:hidden',
    ];
    let seed = 0;
    for (const part of ['ok', '../up', '..', 'manifest.json']) {
      for (const name of evil) await scene.put(part, name, contentOf((seed += 1), 200));
    }
    const fetched = await scene.fetch();
    expect(fetched).toMatchObject({ ok: true, value: { files: seed, parked: [] } });
    const around = Object.keys(await scene.files(scene.directory));
    const strays = around.filter((path) => !/^(results|data)\//.test(path));
    expect(strays).toEqual([]);
    const manifest = await manifestOf(scene, 'manifest~2.json');
    const held = scene.batch.objects.map((object) => object.sha256).sort();
    expect(manifest.files.map((file) => file.sha256).sort()).toEqual(held);
    const { 'manifest~2.json': _own, ...found } = await scene.files();
    expect(Object.values(found).sort()).toEqual(held);
  });

  test('of a person’s own files are left to them', async () => {
    const scene = await createOutputScene();
    await scene.put('one', 'mine.csv', contentOf(1, 300));
    await scene.put('one', 'same.csv', contentOf(2, 300));
    await scene.put('one', 'dir.csv', contentOf(3, 300));
    await mkdir(join(scene.target, 'one/dir.csv'), { recursive: true });
    await writeFile(join(scene.target, 'one/mine.csv'), 'mine');
    await writeFile(join(scene.target, 'one/same.csv'), contentOf(2, 300));
    await writeFile(join(scene.target, 'manifest.json'), '{"mine":true}');
    const fetched = await scene.fetch();
    expect(fetched).toMatchObject({ ok: true, value: { files: 3, parked: [] } });
    const found = await scene.files();
    expect(found).toMatchObject({
      'manifest.json': sha256(Buffer.from('{"mine":true}')),
      'one/mine.csv': sha256(Buffer.from('mine')),
      'one/mine~2.csv': sha256(contentOf(1, 300)),
      'one/same.csv': sha256(contentOf(2, 300)),
      'one/dir~2.csv': sha256(contentOf(3, 300)),
    });
    expect(Object.keys(found)).toHaveLength(6);
    const manifest = await manifestOf(scene, 'manifest~2.json');
    expect(manifest.files.map(({ path }) => path).sort()).toEqual([
      'one/dir~2.csv',
      'one/mine~2.csv',
      'one/same.csv',
    ]);
    scene.service.log.clear();
    expect(await scene.fetch()).toEqual(fetched);
    expect(scene.gets()).toBe(0);
    expect(await scene.files()).toEqual(found);
  });
});

async function archive(members: readonly TarMember[]): Promise<Buffer> {
  return gzipSync(await tarOf(members));
}

describe('archives', () => {
  test('are unpacked each into its own directory, also when they come before the list is complete', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    for (let number = 0; number < 7; number += 1) {
      const bytes = await archive([{ name: 'same/name.json', content: `${number}` }]);
      await scene.put('one', `shard-${number}.tar.gz`, bytes);
    }
    // Listed last: the first archive must not unpack over its name.
    await scene.put('one', 'shard-0', contentOf(1, 100));
    await scene.put('one', 'shard-1.zip', contentOf(2, 100));
    const fetched = await scene.fetch({ unpack: true });
    const parked = [{ error: { code: 'output.damaged' } }];
    expect(fetched).toMatchObject({ ok: true, value: { files: 8, parked } });
    const found = await scene.files();
    expect(found['one/shard-0']).toBe(sha256(contentOf(1, 100)));
    expect(found['one/shard-0.tar.gz.unpacked/same/name.json']).toBe(sha256(Buffer.from('0')));
    expect(found['one/shard-1.tar.gz.unpacked/same/name.json']).toBe(sha256(Buffer.from('1')));
    expect(found['one/shard-6/same/name.json']).toBe(sha256(Buffer.from('6')));
    expect((await scene.fetch({ unpack: true })).ok).toBe(true);
    expect(await scene.files()).toEqual(found);
  });

  test('that reach outside leave nothing there, and are kept for a person', async () => {
    const scene = await createOutputScene();
    const evil: Readonly<Record<string, readonly TarMember[]>> = {
      'slip.tar.gz': [{ name: '../../slipped.txt', content: 'x' }],
      'absolute.tar.gz': [{ name: `${scene.directory}/absolute.txt`, content: 'x' }],
      'symlink.tar.gz': [
        { name: 'door', type: 'symlink', linkname: '../..' },
        { name: 'door/through.txt', content: 'x' },
      ],
      'hardlink.tar.gz': [{ name: 'door', type: 'link', linkname: '../../../data/ledger.db' }],
      'device.tar.gz': [{ name: 'null', type: 'character-device' }],
    };
    for (const [name, members] of Object.entries(evil)) {
      await scene.put('one', name, await archive(members));
    }
    await scene.put(
      'one',
      'cut.tar.gz',
      (await archive([{ name: 'a', content: 'x' }])).subarray(0, 40),
    );
    await scene.put('one', 'good.tar.gz', await archive([{ name: 'a/b.json', content: 'good' }]));
    const fetched = await scene.fetch({ unpack: true });
    const parked = fetched.ok ? fetched.value.parked : [];
    expect(
      parked.map(({ path, error }) => `${path.split('/').at(-1)} ${error.code}`).sort(),
    ).toEqual(
      [
        'cut.tar.gz part.damaged',
        ...Object.keys(evil).map((name) => `${name} part.unsafeName`),
      ].sort(),
    );
    const around = Object.keys(await scene.files(scene.directory)).filter(
      (path) => !path.startsWith('data/'),
    );
    expect(around.sort()).toEqual(
      [
        'results/manifest.json',
        'results/one/cut.tar.gz',
        'results/one/good.tar.gz',
        'results/one/good/a/b.json',
        ...Object.keys(evil).map((name) => `results/one/${name}`),
      ].sort(),
    );
  });
});
