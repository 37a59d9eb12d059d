/** Whether a listed object is ours if the storage states no checksum and fetching it whole is too expensive. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type ErrorCode, fail, ok, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { contentHash } from '../../../../../main/engine/files/contentHash.ts';
import { bufferSource } from '../../../../../main/engine/files/byteSource.ts';
import { largeFingerprint } from '../../../../../main/engine/files/fingerprint.ts';
import {
  areEqual,
  compareContent,
  isRefusal,
} from '../../../../../main/engine/pipeline/presence/sameContent.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const SIZE = 6 * 1024 * 1024;
const OURS = Buffer.alloc(SIZE, 'ours');
/** Differs only in its last bytes. */
const THEIRS = Buffer.concat([OURS.subarray(0, -4), Buffer.from('them')]);

type Reading = 'stretches' | 'no stretches' | 'cut short' | 'nothing' | 'odd once';

/** Compares by samples, on a storage that states only the length. Returns the verdict and how many bytes were read. */
async function compare(
  object: Buffer,
  reading: Reading,
  headers = {},
  kind: 'b3' | 'sha256' = 'b3',
  code: ErrorCode = 'network.lost',
) {
  let readBytes = 0;
  let asked = 0;
  const pipeline = createTestPipeline(createTestLedger(), {
    client: {
      describeSigned: () =>
        Promise.resolve(ok({ status: 206, lengthBytes: object.length, headers })),
      readSigned: (_, { fromByte, lengthBytes }) => {
        asked += 1;
        if (reading === 'nothing') return Promise.resolve(fail(code));
        if (reading === 'no stretches' || reading === 'cut short') return Promise.resolve(ok(null));
        const bytes = object.subarray(fromByte, fromByte + lengthBytes);
        readBytes += bytes.length;
        return Promise.resolve(
          ok(reading === 'odd once' && asked === 1 ? Buffer.alloc(bytes.length) : bytes),
        );
      },
      getSigned: () => {
        readBytes += object.length;
        const sent = reading === 'cut short' ? object.subarray(0, 1000) : object;
        const body = Object.assign(Readable.from([sent]), { dispose: () => undefined });
        return Promise.resolve(ok({ kind: 'answer', status: 200, headers: {}, body } as const));
      },
    },
  });
  const file = {
    path: '/clip.mp4',
    stamp: '',
    sizeBytes: SIZE,
    contentHash: contentHash(OURS, kind),
    fingerprint: largeFingerprint(bufferSource(OURS), kind),
  };
  const match = await compareContent(pipeline, 'http://127.0.0.1/o', file, 'samples');
  return { sameness: match, readBytes };
}

test('equal samples are enough, and no proof of the content', async () => {
  const { sameness: match, readBytes } = await compare(OURS, 'stretches');
  expect(match).toEqual({ kind: 'same', proof: null });
  expect(readBytes).toBeLessThan(SIZE / 4);
});

test('another file of the same length is found, with two checks', async () => {
  expect((await compare(THEIRS, 'stretches')).sameness).toEqual({ kind: 'different' });
  expect((await compare(OURS, 'odd once')).sameness).toMatchObject({ kind: 'unknown' });
});

test('a storage without ranges is read completely', async () => {
  expect((await compare(OURS, 'no stretches')).sameness).toEqual({
    kind: 'same',
    proof: 'content',
  });
  expect((await compare(THEIRS, 'no stretches')).sameness).toEqual({ kind: 'different' });
});

test('an object whose reading ends too early is not taken for another one', async () => {
  const { sameness } = await compare(OURS, 'cut short');
  expect(sameness).toMatchObject({ kind: 'unknown', error: { code: 'network.lost' } });
});

test('a stated SHA-256 that is ours is proof, and nothing is read', async () => {
  const stating = (bytes: Buffer) => ({
    'content-range': `bytes 0-0/${SIZE}`,
    'x-amz-checksum-sha256': Buffer.from(contentHash(bytes, 'sha256'), 'hex').toString('base64'),
  });
  const proved = { sameness: { kind: 'same', proof: 'checksum' }, readBytes: 0 };
  expect(await compare(OURS, 'nothing', stating(OURS), 'sha256')).toEqual(proved);
  // A different checksum may be of the requested range only: the samples decide.
  const byPart = await compare(OURS, 'stretches', stating(OURS.subarray(0, 1)), 'sha256');
  expect(byPart.sameness).toEqual({ kind: 'same', proof: null });
});

test.each([
  ['network.lost', false],
  ['service.busy', false],
  ['service.notFound', false],
  ['upload.urlExpired', true],
  ['service.refused', true],
] as const)('nothing follows from a storage that cannot be asked: %s', async (code, isRefused) => {
  const { sameness } = await compare(THEIRS, 'nothing', {}, 'b3', code);
  expect(sameness).toMatchObject({ kind: 'unknown', error: { code } });
  expect(isRefusal(sluiceError(code))).toBe(isRefused);
});

test('small files are read at once where the storage states nothing, and asked about where they differ', async () => {
  const asked: string[] = [];
  const objects = new Map([
    ['http://127.0.0.1/a', Buffer.from('a')],
    ['http://127.0.0.1/b', Buffer.from('b')],
  ]);
  const pipeline = createTestPipeline(createTestLedger(), {
    client: {
      describeSigned: (url) => {
        asked.push(`describe ${url.slice(-1)}`);
        return Promise.resolve(ok({ status: 206, lengthBytes: 1, headers: {} }));
      },
      getSigned: (url) => {
        asked.push(`get ${url.slice(-1)}`);
        const bytes = objects.get(url) ?? Buffer.alloc(0);
        const body = Object.assign(Readable.from([bytes]), { dispose: () => undefined });
        return Promise.resolve(ok({ kind: 'answer', status: 200, headers: {}, body } as const));
      },
    },
  });
  const file = (content: string) => {
    const hash = contentHash(Buffer.from(content));
    return { path: '/i.jpg', stamp: '', sizeBytes: 1, contentHash: hash, fingerprint: null };
  };
  const compareSmall = (url: string, content: string) =>
    compareContent(pipeline, `http://127.0.0.1/${url}`, file(content), 'bytes');
  const same = { kind: 'same', proof: 'content' };
  expect(await compareSmall('a', 'a')).toEqual(same);
  expect(asked.splice(0)).toEqual(['describe a', 'get a']);
  expect(await compareSmall('b', 'b')).toEqual(same);
  expect(asked.splice(0)).toEqual(['get b']);
  expect(await compareSmall('a', 'b')).toEqual({ kind: 'different' });
  expect(asked.splice(0)).toEqual(['get a', 'describe a', 'get a', 'get a']);
});

/** A storage that states no lengths. Each answer is cut into other chunks than the one before. */
function withoutLengths(objects: ReadonlyMap<string, Buffer>) {
  let cut = 4;
  return createTestPipeline(createTestLedger(), {
    client: {
      describeSigned: () => Promise.resolve(ok({ status: 200, lengthBytes: null, headers: {} })),
      getSigned: (url) => {
        const bytes = objects.get(url) ?? Buffer.alloc(0);
        const at = (cut += 1);
        const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
        const body = Object.assign(Readable.from(chunks), { dispose: () => undefined });
        return Promise.resolve(ok({ kind: 'answer', status: 200, headers: {}, body } as const));
      },
    },
  });
}

test('a longer object of unknown length is another one, however it arrives', async () => {
  const ours = Buffer.from('ours');
  const pipeline = withoutLengths(new Map([['longer', Buffer.from('ours and more')]]));
  const hash = contentHash(ours);
  const file = { path: '/i.jpg', stamp: '', sizeBytes: 4, contentHash: hash, fingerprint: null };
  expect(await compareContent(pipeline, 'longer', file, 'bytes')).toEqual({ kind: 'different' });
});

test('objects of unknown length are compared by their beginning', async () => {
  const objects = { one: OURS, same: Buffer.from(OURS), other: Buffer.alloc(SIZE, 'them') };
  const pipeline = withoutLengths(new Map(Object.entries(objects)));
  expect(await areEqual(pipeline, 'one', 'same')).toBe(true);
  expect(await areEqual(pipeline, 'one', 'other')).toBe(false);
});

test('an object without a byte, whose length is not stated, is empty and not other content', async () => {
  const empty = () => Object.assign(Readable.from([]), { dispose: () => undefined });
  const object = { status: 206, lengthBytes: null, headers: {}, isBodiless: true };
  const pipeline = createTestPipeline(createTestLedger(), {
    client: {
      describeSigned: () => Promise.resolve(ok(object)),
      getSigned: () =>
        Promise.resolve(ok({ kind: 'answer', status: 200, headers: {}, body: empty() } as const)),
    },
  });
  const facts = { path: '/clip.mp4', stamp: '', sizeBytes: SIZE, fingerprint: null };
  const file = { ...facts, contentHash: contentHash(OURS) };
  const match = await compareContent(pipeline, 'http://127.0.0.1/o', file, 'bytes');
  expect(match).toEqual({ kind: 'different', isEmpty: true });
});
