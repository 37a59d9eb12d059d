/** Downloads over a connection that is cut: each try makes progress, or the download ends, and no file is a mix of two. */
import { link, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../service/state.ts';
import { contentOf, createOutputScene, type OutputScene, sha256 } from './outputScene.ts';
import { requestsThrough, type Wrap } from './ports.ts';

const MIB = 1024 * 1024;

test('with a cut after every so many bytes, a small file arrives piece by piece', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'small.bin', contentOf(2, 800_000));
  const cut = { kind: 'cutWhileAnswering', afterBytes: 300_000 } as const;
  scene.service.faults.next('GET', /^\/storage\//, cut, 1000);
  expect((await scene.fetch()).ok).toBe(true);
  expect(await readFile(join(scene.target, 'one/small.bin'))).toEqual(contentOf(2, 800_000));
});

test('cuts at the same place of a file that cannot be resumed end the download, which says so', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'small.bin', contentOf(2, 800_000));
  const cut = { kind: 'cutWhileAnswering', afterBytes: 300_000 } as const;
  scene.service.faults.next('GET', /^\/storage\//, cut, 1000);
  const unmarked = requestsThrough(async (http, request) => {
    const answer = await http.request(request);
    if (!('headers' in answer)) return answer;
    const { etag: _etag, 'last-modified': _date, ...headers } = answer.headers;
    return { ...answer, headers };
  });
  const ended = await scene.fetch({ wraps: [unmarked], times: { silentMidwayMs: 500 } });
  expect(ended).toMatchObject({ ok: false, error: { code: 'network.lost' } });
});

const OLD = contentOf(11, 3_000_000);
const NEW = contentOf(12, 3_000_000);
const CUT_AT = 1_500_000;
const SHORT = NEW.subarray(0, CUT_AT);
const LATER_MS = 10_000;

/** A storage that ignores If-Range and states no checksum. Before the second request for bytes, it does what it is given. */
function ignoringIfRange(mark: 'etag' | 'date', beforeSecond: () => Promise<void>): Wrap {
  let requests = 0;
  return requestsThrough(async (http, request) => {
    if (!new URL(request.url).pathname.startsWith('/storage/')) return http.request(request);
    requests += 1;
    if (requests === 2) await beforeSecond();
    const { 'if-range': _condition, ...asked } = request.headers;
    const answer = await http.request({ ...request, headers: asked });
    if (mark === 'etag' || !('headers' in answer)) return answer;
    const { etag: _etag, ...headers } = answer.headers;
    return { ...answer, headers };
  });
}

/** Other bytes behind the same address, which the storage received this much later. */
async function replaceBehind(
  scene: OutputScene,
  old: StoredObject,
  bytes: Buffer,
  laterMs: number,
): Promise<void> {
  const object = await scene.replace(old, bytes);
  const arrivedAt = old.arrivedAt + laterMs;
  const replaced = { batch: scene.batch, object: { ...object, arrivedAt } };
  scene.service.state.objectsById.set(old.objectId, replaced);
}

describe('a file that is replaced after a cut, on a storage that ignores If-Range, is saved whole', () => {
  test.each([
    ['with another ETag', 'etag', NEW, 0],
    ['with another date', 'date', NEW, LATER_MS],
    ['with another length and the same date', 'date', Buffer.concat([NEW, NEW]), 0],
    ['with another ETag and exactly as long as what was here', 'etag', SHORT, 0],
  ] as const)('%s', async (_, mark, bytes, laterMs) => {
    const scene = await createOutputScene();
    const object = await scene.put('one', 'big.bin', OLD);
    const cut = { kind: 'cutWhileAnswering', afterBytes: CUT_AT } as const;
    scene.service.faults.next('GET', /^\/storage\//, cut);
    const replace = (): Promise<void> => replaceBehind(scene, object, bytes, laterMs);
    expect((await scene.fetch({ wraps: [ignoringIfRange(mark, replace)] })).ok).toBe(true);
    const { 'manifest.json': _manifest, ...found } = await scene.files();
    expect(found).toEqual({ 'one/big.bin': sha256(bytes) });
  });
});

describe('a storage whose rest of a file does not say which bytes it is', () => {
  const ALWAYS = Number.POSITIVE_INFINITY;
  const CONTINUED = ['whole', 'rest', 'rest'];
  const STARTED_OVER = ['whole', 'rest', 'rest', 'whole'];
  type Headers = Readonly<Record<string, string>>;
  const unsaidIn = ({ 'content-range': _range, ...headers }: Headers): Headers => headers;
  const packedIn = (headers: Headers): Headers => ({ ...headers, 'content-encoding': 'gzip' });
  test.each([
    ['once: the download goes on where it was', 1, unsaidIn, CONTINUED],
    ['always: the file comes from its beginning', ALWAYS, unsaidIn, STARTED_OVER],
    ['because it is packed: the file comes from its beginning', ALWAYS, packedIn, STARTED_OVER],
  ])('%s', async (_, oddTimes, spoil, expected) => {
    const scene = await createOutputScene();
    const object = await scene.put('one', 'big.bin', OLD);
    const cut = { kind: 'cutWhileAnswering', afterBytes: CUT_AT } as const;
    scene.service.faults.next('GET', /^\/storage\//, cut);
    const asked: string[] = [];
    const offsets = new Set<string>();
    let odd = 0;
    const unsaid = requestsThrough(async (http, request) => {
      if (!new URL(request.url).pathname.startsWith('/storage/')) return http.request(request);
      const from = /^bytes=(\d+)-$/.exec(request.headers['range'] ?? '')?.[1];
      asked.push(from === undefined ? 'whole' : 'rest');
      if (from !== undefined) offsets.add(from);
      const answer = await http.request(request);
      if (!('status' in answer) || answer.status !== 206 || odd >= oddTimes) return answer;
      odd += 1;
      return { ...answer, headers: spoil(answer.headers) };
    });
    expect((await scene.fetch({ wraps: [unsaid] })).ok).toBe(true);
    expect((await scene.files())['one/big.bin']).toBe(object.sha256);
    expect(asked).toEqual(expected);
    // The first odd answer cost nothing of what was here.
    expect(offsets.size).toBe(1);
  });
});

test('a kill between the two names of a complete file leaves one file, whole', async () => {
  const scene = await createOutputScene();
  const bytes = contentOf(1, 4 * MIB);
  await scene.put('one', 'big.bin', bytes);
  const stop = new AbortController();
  const slow = { kind: 'slow', bytesPerSecond: 20 * MIB } as const;
  scene.service.faults.next('GET', /^\/storage\//, slow);
  const onProgress = (now: { bytes: number }): void => {
    if (now.bytes >= MIB) stop.abort();
  };
  expect((await scene.fetch({ signal: stop.signal, onProgress })).ok).toBe(false);
  const directory = join(scene.target, 'one');
  const [part = ''] = await readdir(directory);
  await writeFile(join(directory, part), bytes);
  await link(join(directory, part), join(directory, 'big.bin'));
  expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
  expect(await readdir(directory)).toEqual(['big.bin']);
  expect((await scene.files())['one/big.bin']).toBe(sha256(bytes));
});

test('bytes of a part that were not synced before a power cut are downloaded again', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'big.bin', OLD);
  const stop = new AbortController();
  const slow = { kind: 'slow', bytesPerSecond: 10 * MIB } as const;
  scene.service.faults.next('GET', /^\/storage\//, slow);
  const wraps = [ignoringIfRange('date', () => Promise.resolve())];
  const stopping = { wraps, signal: stop.signal, onProgress: () => stop.abort() };
  expect((await scene.fetch(stopping)).ok).toBe(false);
  const directory = join(scene.target, 'one');
  const [part = ''] = await readdir(directory);
  const synced = await readFile(join(directory, part));
  expect(synced.length).toBeGreaterThan(0);
  // As after a power cut while the next bytes were written: a hole, and something behind it.
  const hole = Buffer.alloc(100_000);
  const behind = OLD.subarray(synced.length + hole.length, synced.length + 300_000);
  await writeFile(join(directory, part), Buffer.concat([synced, hole, behind]));
  expect((await scene.fetch({ wraps })).ok).toBe(true);
  expect((await scene.files())['one/big.bin']).toBe(sha256(OLD));
});
