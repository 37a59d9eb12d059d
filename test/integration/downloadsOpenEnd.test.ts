/** Answers that state neither a length nor a checksum, and end when the connection does: a part of a file is never taken for it. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { contentOf, createOutputScene, sha256 } from './outputScene.ts';
import { storageAnswers } from './ports.ts';

type Headers = Readonly<Record<string, string>>;

/** A storage that cuts its first answers cleanly to so many bytes, and answers requests for one byte as given. */
function createStorage(
  cuts: readonly number[],
  framing: Headers,
  describing: (answer: { status: number; headers: Headers }) => object,
) {
  const asked = { files: 0, lengths: 0 };
  const wrap = storageAnswers(async (answer, request) => {
    const { 'content-type': type = '', 'content-range': range = '' } = answer.headers;
    const headers = { 'content-type': type, ...(range === '' ? {} : { 'content-range': range }) };
    if (request.headers['range'] === 'bytes=0-0') {
      asked.lengths += 1;
      return { ...answer, headers, ...describing({ status: answer.status, headers }) };
    }
    const bytes = (await buffer(answer.body)).subarray(0, cuts[asked.files]);
    asked.files += 1;
    const body = Object.assign(Readable.from([bytes]), { dispose: () => answer.body.dispose() });
    return { ...answer, headers: { ...headers, ...framing }, body };
  });
  return {
    wrap /** How often a file was asked for, and how often only its first byte was. */,
    asked,
  };
}

const SIZE = 60_000;
const MARKED = { 'last-modified': 'Mon, 02 Mar 2026 10:00:00 GMT' };
const stating = (length: number) => () => ({
  status: 200,
  headers: { 'content-length': String(length) },
});
const silent = (): object => ({ status: 200, headers: {} });
const refused = (): object => ({ status: 416, headers: {} });
const odd = (): object => ({ status: 206, headers: { 'content-length': '1' } });

describe('a connection that ends too early', () => {
  test.each([
    ['the range of one byte tells the length', {}, () => ({}), { files: 2, lengths: 2 }],
    ['an answer with the whole file does', {}, stating(SIZE), { files: 2, lengths: 2 }],
    ['nothing does: the same bytes come twice', {}, silent, { files: 3, lengths: 3 }],
    ['ranges are refused', {}, refused, { files: 3, lengths: 3 }],
    ['the range is not stated', {}, odd, { files: 3, lengths: 3 }],
    ['nothing does, with a date', MARKED, silent, { files: 3, lengths: 3 }],
  ])('%s', async (_, framing, describing, asked) => {
    const scene = await createOutputScene();
    const bytes = contentOf(7, SIZE);
    await scene.put('one', 'table.csv', bytes);
    const storage = createStorage([SIZE / 2], framing, describing);
    expect(await scene.fetch({ wraps: [storage.wrap] })).toMatchObject({
      ok: true,
      value: { files: 1, parked: [] },
    });
    expect((await scene.files())['one/table.csv']).toBe(sha256(bytes));
    expect(storage.asked).toEqual(asked);
  });
});

test.each([
  ['its chunks show its end', { 'transfer-encoding': 'chunked' }, { files: 1, lengths: 0 }],
  ['its length is asked for', {}, { files: 1, lengths: 1 }],
])('a whole file comes once: %s', async (_, framing, asked) => {
  const scene = await createOutputScene();
  const bytes = contentOf(8, SIZE);
  await scene.put('one', 'table.csv', bytes);
  const storage = createStorage([], framing, () => ({}));
  expect((await scene.fetch({ wraps: [storage.wrap] })).ok).toBe(true);
  expect((await scene.files())['one/table.csv']).toBe(sha256(bytes));
  expect(storage.asked).toEqual(asked);
});
