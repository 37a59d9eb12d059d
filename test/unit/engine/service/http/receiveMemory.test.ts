/** Bodies arrive in memory that is used again: each reader must still see the bytes of its own body. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { giveBack, READ_BYTES, readInto } from '../../../../../main/engine/core/receiveMemory.ts';
import { createHttp, type HttpClient } from '../../../../../main/engine/service/http/http.ts';
import { portOf } from '../../../../helpers/listen.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../testCertificate.ts';

const BODY_BYTES = 3_000_000;
const BODIES = Array.from({ length: 6 }, () => randomBytes(BODY_BYTES));
/** Chunks that wait to be written, as in a part file. */
const HELD = 8;

/** Answers `/0` to `/5`, in pieces of any length; `?chunked` without a stated one. */
const answer: RequestListener = (incoming, response) => {
  const { pathname, search } = new URL(incoming.url ?? '', 'http://localhost');
  const body = BODIES[Number(pathname.slice(1))] ?? Buffer.alloc(0);
  if (search === '') response.setHeader('content-length', body.length);
  for (let at = 0, piece = 1; at < body.length; at += piece, piece = (piece * 7 + 1) % 200_000)
    response.write(body.subarray(at, at + piece));
  response.end();
};

async function serve(scheme: 'http' | 'https'): Promise<string> {
  const server: Server =
    scheme === 'http'
      ? createServer(answer)
      : createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, answer);
  onTestFinished(() => void server.close());
  return `${scheme}://127.0.0.1:${await portOf(server)}`;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Reads a body as a download does: chunks are used some time after they arrive, and given back then. */
async function read(http: HttpClient, url: string) {
  const { signal } = new AbortController();
  const asked = { method: 'GET', url, headers: {}, body: null, stallMs: 10_000, signal } as const;
  const answered = await http.request(asked);
  if (answered.kind !== 'answer') throw new Error(answered.detail);
  const hash = createHash('sha256');
  const held: Uint8Array[] = [];
  const memories = new Set<ArrayBufferLike>();
  let filled = 0;
  const use = (chunk: Uint8Array): void => {
    hash.update(chunk);
    giveBack(chunk);
  };
  for await (const chunk of answered.body) {
    if (chunk.length === chunk.buffer.byteLength) {
      filled += 1;
      memories.add(chunk.buffer);
    }
    held.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
    if (held.length > HELD) use(held.shift() ?? chunk);
  }
  held.forEach(use);
  return { hash: hash.digest('hex'), filled, memories };
}

test.each(['http', 'https'] as const)(
  'bodies that arrive at the same time over %s keep their bytes',
  async (scheme) => {
    const base = await serve(scheme);
    const http = createHttp({ caPem: TEST_CERTIFICATE });
    onTestFinished(() => http.close());
    for (const query of ['', '?chunked']) {
      const all = await Promise.all(
        BODIES.map((_, at) => read(http, `${base}/${String(at)}${query}`)),
      );
      expect(all.map(({ hash }) => hash)).toEqual(BODIES.map(sha256));
    }
    // One alone: what was given back is used again.
    const { filled, memories } = await read(http, `${base}/0`);
    expect(filled).toBeGreaterThan(2 * HELD);
    expect(memories.size).toBeLessThan(filled);
  },
);

test('memory that is not from a socket is never used again', async () => {
  const strange = new Uint8Array(READ_BYTES.plain);
  giveBack(strange);
  const base = await serve('http');
  const http = createHttp();
  onTestFinished(() => http.close());
  const { hash, memories } = await read(http, `${base}/1`);
  expect(hash).toBe(sha256(BODIES[1] ?? Buffer.alloc(0)));
  expect(memories.has(strange.buffer)).toBe(false);
});

test('of what is given back, 4 MiB are kept, each memory once', () => {
  const MIB = 1024 * 1024;
  const take = (): Uint8Array => readInto(MIB, () => undefined).buffer();
  const taken = Array.from({ length: 8 }, take);
  for (const memory of taken.slice(0, 2)) giveBack(memory);
  for (const memory of taken) giveBack(memory);
  const again = Array.from({ length: 8 }, take);
  expect(new Set(again).size).toBe(8);
  expect(again.filter((memory) => taken.includes(memory))).toHaveLength(4);
});

test('a read that fills only part of its memory copies its bytes and leaves the memory to the next', () => {
  const received: Uint8Array[] = [];
  const { buffer, callback } = readInto(4, (chunk) => void received.push(chunk));
  const memory = buffer();
  memory.set([1, 2, 3, 4]);
  callback(2, memory);
  expect(buffer()).toBe(memory);
  memory.set([5, 6, 7, 8]);
  callback(4, memory);
  expect(buffer()).not.toBe(memory);
  expect(received.map((chunk) => [...chunk])).toEqual([
    [1, 2],
    [5, 6, 7, 8],
  ]);
});
