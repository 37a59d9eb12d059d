/** Storages that keep results compressed and deliver them that way, although uncompressed content was requested. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { contentOf, createOutputScene, sha256 } from './outputScene.ts';
import { storageAnswers, type Wrap } from './ports.ts';

/** Every answer of the storage states this encoding; `pack` creates its body and is called with the number of the answer. */
function packing(pack: (bytes: Buffer, at: number) => Buffer, encoding = 'gzip'): Wrap {
  let asked = 0;
  return storageAnswers(async (answer) => {
    const packed = pack(await buffer(answer.body), asked);
    asked += 1;
    const length = String(packed.length);
    const headers = { 'content-encoding': encoding, 'content-length': length, etag: '"packed"' };
    const dispose = (): void => answer.body.dispose();
    return { ...answer, headers, body: Object.assign(Readable.from([packed]), { dispose }) };
  });
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  // Without the header of zlib, as some servers understand the word.
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
] as const)(
  'a result that arrives as %s is stored as the service made it',
  async (encoding, pack) => {
    const scene = await createOutputScene();
    const made = await scene.put('one', 'results.jsonl', contentOf(1, 3_000_000));
    const wraps = [packing((bytes) => pack(bytes), encoding)];
    expect(await scene.fetch({ wraps })).toMatchObject({ ok: true });
    expect(await scene.files()).toMatchObject({ 'one/results.jsonl': made.sha256 });
  },
);

test('a packed body that is cut or damaged is asked for again', async () => {
  const scene = await createOutputScene();
  const made = await scene.put('one', 'results.jsonl', contentOf(2, 50_000));
  const damage = (packed: Buffer, at: number): Buffer => {
    if (at === 0) return packed.subarray(0, packed.length / 2);
    if (at === 1) packed.writeUInt32LE(7, packed.length - 8);
    return packed;
  };
  const wraps = [packing((bytes, at) => damage(gzipSync(bytes), at))];
  expect(await scene.fetch({ wraps })).toMatchObject({ ok: true });
  expect(await scene.files()).toMatchObject({ 'one/results.jsonl': made.sha256 });
});

test.each([
  ['results.jsonl.gz', 'gzip', gzipSync],
  ['results.jsonl.zst', 'zstd', zstdCompressSync],
] as const)(
  'an archive that a storage calls packed stays what its name says: %s',
  async (name, encoding, pack) => {
    const scene = await createOutputScene();
    const bytes = pack(contentOf(3, 5000));
    await scene.put('one', name, bytes);
    expect(await scene.fetch({ wraps: [packing((kept) => kept, encoding)] })).toMatchObject({
      ok: true,
    });
    expect(await scene.files()).toMatchObject({ [`one/${name}`]: sha256(bytes) });
  },
);
