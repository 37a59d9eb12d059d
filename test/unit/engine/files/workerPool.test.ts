import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32c } from '../../../../main/engine/core/crc32c.ts';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { contentHash } from '../../../../main/engine/files/contentHash.ts';
import { createPool } from '../../../../main/engine/files/pool/threadPool.ts';
import { createFiles } from '../../../../main/engine/files/nodeFiles.ts';
import { createHttp } from '../../../../main/engine/service/http/http.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import type { SourcePlan } from '../../../../main/engine/core/model.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { collected, imagesIn, NEVER, PLAIN } from './scratch.ts';
import { portOf } from '../../../helpers/listen.ts';
import { createSink, trickle } from './sink.ts';
import { codeOf, valueOf } from '../../../helpers/results.ts';

const WORKER = '../../../../main/engine/files/pool/fileWorker.ts';

function open(worker: string, workers = 2): Files {
  return createFiles(createPool({ workerUrl: new URL(worker, import.meta.url), workers }));
}

/** Files of a pool with this worker, which is closed after the test. */
function openedWith(worker: string): Files {
  const files = open(worker);
  onTestFinished(() => files.close());
  return files;
}

/** By their number of threads. Tests share them, because most of them take less time than starting a thread. */
const shared = new Map<number, Files>();
afterAll(async () => {
  await Promise.all([...shared.values()].map((files) => files.close()));
});

function pooled(workers = 2): Files {
  const files = shared.get(workers) ?? open(WORKER, workers);
  shared.set(workers, files);
  return files;
}

async function planOf(
  files: Files,
  paths: readonly string[],
  frame: SourcePlan['frame'] = { kind: 'bare' },
): Promise<SourcePlan> {
  const found = (await files.inspect(paths)).map(valueOf);
  const members = found.map(({ sizeBytes, fingerprint }, index) => ({
    path: paths[index] ?? '',
    name: `${index}.jpg`,
    mtimeMs: 0,
    sizeBytes,
    fingerprint,
  }));
  return { members, frame };
}

const images = (count: number): readonly string[] => imagesIn(scratch(), count);

describe('worker threads', () => {
  test('answer in the order of the paths, as the inline ones do', async () => {
    const paths = [...images(300)];
    paths.splice(77, 0, join(scratch(), 'none.jpg'));
    const inline = createInlineFiles();
    const files = pooled();
    expect(await files.inspect(paths)).toEqual(await inline.inspect(paths));
    expect(await files.stat(paths)).toEqual(await inline.stat(paths));
    expect(await files.inspect([])).toEqual([]);
    expect(await files.facts(paths[0] ?? '')).toEqual(await inline.facts(paths[0] ?? ''));
    expect(codeOf(await files.facts(paths[77] ?? ''))).toBe('item.gone');
  });

  test('hash a large file while a body is sent, and know how its sources read', async () => {
    const path = join(scratch(), 'a.mp4');
    const content = Buffer.alloc(5_000_003, tinyJpeg(1));
    writeFileSync(path, content);
    const files = pooled(1);
    const plan = await planOf(files, [path]);
    const hashing = files.hash(path, 'b3');
    const sink = await createSink();
    const body = files.openSources(plan, PLAIN, NEVER);
    expect(await sink.put(body)).toMatchObject({ kind: 'answer', status: 200 });
    expect(sink.bodies[0]?.equals(content)).toBe(true);
    expect(valueOf(await hashing)).toBe(contentHash(content));
    expect(body.outcome()).toEqual({ kind: 'complete', hashes: [contentHash(content)] });
    expect(body.checksums()).toEqual({
      crc32c: crc32c(content, 0).toString(16).padStart(8, '0'),
      md5: null,
      sha256: null,
      lengthBytes: content.length,
    });
    const md5 = createHash('md5').update(content).digest('hex');
    expect(await files.sumSources(plan, NEVER)).toEqual({ ...body.checksums(), md5 });
  });

  test('send shards side by side, each whole', async () => {
    const files = pooled();
    const sink = await createSink();
    const bodies = await Promise.all(
      [0, 1, 2, 3].map(async (number) => {
        const plan = await planOf(files, images(50 + number), { kind: 'archive', extra: [] });
        return files.openSources(plan, PLAIN, NEVER);
      }),
    );
    await Promise.all(bodies.map((body) => sink.put(body)));
    expect(sink.bodies.map(({ length }) => length).sort()).toEqual(
      bodies.map(({ lengthBytes }) => lengthBytes).sort(),
    );
    expect(bodies.map((body) => body.outcome().kind)).toEqual(Array(4).fill('complete'));
  });

  test('hold the last chunk back until they know how the reading ended', async () => {
    const files = pooled();
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, Buffer.alloc(3_500_000, 5));
    const body = files.openSources(await planOf(files, [path]), PLAIN, NEVER);
    const kinds: string[] = [];
    for await (const chunk of body.chunks()) if (chunk.length > 0) kinds.push(body.outcome().kind);
    expect(kinds.length).toBeGreaterThan(1);
    expect(kinds.pop()).toBe('complete');
    expect(new Set(kinds)).toEqual(new Set(['reading']));
  });

  test('never complete a body whose source is gone, and say which', async () => {
    const files = pooled();
    const sink = await createSink();
    const paths = images(3);
    const plan = await planOf(files, paths, { kind: 'archive', extra: [] });
    rmSync(paths[1] ?? '');
    const body = files.openSources(plan, PLAIN, NEVER);
    expect(await sink.put(body)).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(body.outcome()).toEqual({ kind: 'changed', index: 1, code: 'item.gone' });
    await expect(collected(body.chunks())).rejects.toMatchObject({
      error: { code: 'item.gone', context: { path: paths[1] } },
    });
    expect(sink.bodies).toEqual([]);
  });

  test('send one small file as a whole, with what surrounds it', async () => {
    const files = pooled();
    const sink = await createSink();
    const [path = ''] = images(1);
    const content = readFileSync(path);
    const [prefix, suffix] = [Buffer.from('--b\r\n\r\n'), Buffer.from('\r\n--b--\r\n')];
    const plan = await planOf(files, [path], { kind: 'form', prefix, suffix });
    for (let count = 0; count < 2; count += 1) {
      let told = 0;
      const onSent = (bytes: number): number => (told += bytes);
      const body = files.openSources(plan, { ...PLAIN, withMd5: true, onSent }, NEVER);
      expect(await sink.put(body)).toMatchObject({ kind: 'answer', status: 200 });
      expect(sink.bodies[count]?.equals(Buffer.concat([prefix, content, suffix]))).toBe(true);
      expect(body.outcome()).toEqual({ kind: 'complete', hashes: [contentHash(content)] });
      expect(body.checksums()).toEqual({
        crc32c: crc32c(content, 0).toString(16).padStart(8, '0'),
        md5: createHash('md5').update(content).digest('hex'),
        sha256: null,
        lengthBytes: content.length,
      });
      expect(told).toBe(body.lengthBytes);
    }
    writeFileSync(path, Buffer.concat([content.subarray(1), Buffer.alloc(1)]));
    const changed = files.openSources(plan, PLAIN, NEVER);
    expect(await sink.put(changed)).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(changed.outcome()).toEqual({ kind: 'changed', index: 0, code: 'item.changed' });
    rmSync(path);
    const gone = files.openSources(plan, PLAIN, NEVER);
    expect(await sink.put(gone)).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(gone.outcome()).toEqual({ kind: 'changed', index: 0, code: 'item.gone' });
    expect(sink.bodies).toHaveLength(2);
  });

  test('count no byte of a small file as sent while nothing can be reached', async () => {
    const files = pooled(1);
    const plan = await planOf(files, images(1));
    let told = 0;
    const onSent = (bytes: number): number => (told += bytes);
    const body = files.openSources(plan, { ...PLAIN, onSent }, NEVER);
    const http = createHttp();
    const server = createServer();
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    await new Promise((resolve) => server.close(resolve));
    const request = {
      method: 'PUT',
      url,
      headers: {},
      body,
      stallMs: 30_000,
      signal: NEVER,
    } as const;
    expect(await http.request(request)).toMatchObject({ fault: 'refused', maybeSent: false });
    await http.close();
    expect(told).toBe(0);
  });

  test('stop on the signal: an unfinished body is never completed', async () => {
    const files = pooled(1);
    const sink = await createSink();
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, Buffer.alloc(60_000_000, 5));
    const plan = await planOf(files, [path]);
    const stopper = new AbortController();
    const options = { ...PLAIN, onSent: () => stopper.abort(new Error('enough')) };
    // Progress is reported at intervals: a body that finishes before the first report could not be stopped any more.
    const throttle = {
      isBound: () => true,
      take: (wanted: number, signal: AbortSignal) =>
        setTimeout(10, signal.aborted ? 0 : Math.min(1_000_000, wanted)),
    };
    const body = files.openSources(plan, { ...options, throttle }, NEVER);
    const end = await sink.put(body, stopper.signal);
    expect(end).toMatchObject({ kind: 'failure', fault: 'aborted', maybeSent: false });
    const never = await sink.put(files.openSources(plan, PLAIN, NEVER), stopper.signal);
    expect(never).toMatchObject({ kind: 'failure', fault: 'aborted', maybeSent: false });
    // The same worker still works.
    expect((await files.stat([path])).map(({ ok }) => ok)).toEqual([true]);
    expect(sink.bodies).toEqual([]);
  });

  test('ask for each byte while there is a bound, and for none when it is lifted', async () => {
    const files = pooled(1);
    const sink = await createSink();
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, Buffer.alloc(3_000_000, 5));
    const throttle = trickle(100_000, 5);
    let told = 0;
    const onSent = (bytes: number): number => (told += bytes);
    const options = { ...PLAIN, throttle, onSent };
    const body = files.openSources(await planOf(files, [path]), options, NEVER);
    expect(await sink.put(body)).toMatchObject({ kind: 'answer' });
    expect(throttle.asked()).toBe(5);
    expect(told).toBe(3_000_000);
  });

  test('pass on an answer with its body, and one that is cut', async () => {
    const files = pooled(1);
    const sink = await createSink((answer) => {
      answer.writeHead(422, { 'x-told': 'yes' });
      answer.end('{"error":"no"}');
    });
    const plan = await planOf(files, images(1));
    const end = await sink.put(files.openSources(plan, PLAIN, NEVER));
    if (end.kind === 'failure') throw new Error(end.detail);
    expect(end).toMatchObject({ status: 422, headers: { 'x-told': 'yes' } });
    expect((await collected(end.body)).toString()).toBe('{"error":"no"}');
    const cutting = await createSink((answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('{"half');
      setImmediate(() => answer.destroy());
    });
    const cut = await cutting.put(files.openSources(plan, PLAIN, NEVER));
    if (cut.kind === 'failure') throw new Error(cut.detail);
    await expect(collected(cut.body)).rejects.toMatchObject({ error: { code: 'network.lost' } });
  });
});

test('writes small files out of shared memory', async () => {
  const files = pooled();
  const memory = new Uint8Array(new SharedArrayBuffer(64));
  const content = Buffer.from('one,two');
  memory.set(content, 3);
  const bytes = memory.subarray(3, 3 + content.length);
  const path = join(scratch(), 'a.csv');
  for (const kind of ['written', 'occupied']) {
    expect(
      valueOf(await files.writeWhole(path, `${path}.part`, bytes, { replace: false })),
    ).toMatchObject({
      kind,
    });
  }
  expect(readFileSync(path).equals(content)).toBe(true);
});

describe('a worker that dies', () => {
  test('costs only the file that killed it', async () => {
    const files = openedWith('./dyingWorker.ts');
    // Several requests, which one thread gets and answers together.
    const paths = Array.from({ length: 200 }, (_, index) => `file-${index}`);
    paths[100] = 'poison';
    const results = await files.inspect(paths);
    expect(results).toHaveLength(200);
    for (const [index, result] of results.entries()) {
      const expected = index === 100 ? 'item.unreadable' : 'no failure';
      expect(codeOf(result)).toBe(expected);
    }
    expect(codeOf(await files.hash('poison', 'b3'))).toBe('item.unreadable');
    expect(valueOf(await files.hash('fine', 'b3'))).toBe('fine');
    // It may have been written: checking again shows.
    expect(
      codeOf(await files.writeWhole('poison', 'part', new Uint8Array(0), { replace: false })),
    ).toBe('file.busy');
  });

  test('aborts what it sends; whether the last byte was sent is known all the same', async () => {
    const files = openedWith('./dyingWorker.ts');
    const sink = await createSink();
    const none: SourcePlan = { members: [], frame: { kind: 'archive', extra: [] } };
    const body = files.openSources(none, PLAIN, NEVER);
    expect(await sink.put(body)).toMatchObject({ fault: 'lost', maybeSent: false });
    expect(body.outcome()).toEqual({ kind: 'reading' });
    const late: SourcePlan = { members: [], frame: { kind: 'bare' } };
    const lost = await sink.put(files.openSources(late, PLAIN, NEVER));
    expect(lost).toMatchObject({ fault: 'lost', maybeSent: true });
    expect(await files.sumSources(none, NEVER)).toBeNull();
  });

  test('at every start is given up, and nothing hangs', async () => {
    const files = openedWith('./no-such-worker.ts');
    const codes = new Set((await files.inspect(images(40))).map(codeOf));
    expect([...codes]).toEqual(['file.busy']);
    expect(codeOf(await files.hash('x', 'b3'))).toBe('file.busy');
    const sink = await createSink();
    const none: SourcePlan = { members: [], frame: { kind: 'archive', extra: [] } };
    const end = await sink.put(files.openSources(none, PLAIN, NEVER));
    expect(end).toMatchObject({ kind: 'failure', fault: 'replaced', maybeSent: false });
  });

  test('by closing answers all that still wait', async () => {
    const files = open(WORKER);
    const waiting = files.inspect(images(500));
    await files.close();
    expect(await waiting).toHaveLength(500);
    expect(codeOf(await files.hash('x', 'b3'))).toBe('file.busy');
  });
});
