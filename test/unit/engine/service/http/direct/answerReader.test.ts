import { request } from 'node:http';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  keptMs,
  MalformedAnswer,
  parseHead,
} from '../../../../../../main/engine/service/http/direct/answerHead.ts';
import { AnswerReader } from '../../../../../../main/engine/service/http/direct/answerReader.ts';
import { portOf } from '../../../../../helpers/listen.ts';

interface Read {
  readonly statuses: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `open`: more is to come. */
  readonly end: 'clean' | 'unclean' | 'open' | 'malformed';
}

/** Reads an answer that arrives in these pieces, and whose connection is closed then if `closes`. */
function read(pieces: readonly Buffer[], closes = false): Read {
  const statuses: number[] = [];
  let headers: Read['headers'] = {};
  const body: Buffer[] = [];
  let end: Read['end'] = 'open';
  const reader = new AnswerReader({
    head(head) {
      statuses.push(head.status);
      headers = { ...head.headers };
    },
    data: (bytes) => void body.push(Buffer.from(bytes)),
    end: (isClean) => (end = isClean ? 'clean' : 'unclean'),
  });
  reader.begin();
  try {
    for (const piece of pieces) reader.read(piece);
    if (closes) reader.closed();
  } catch (error) {
    if (!(error instanceof MalformedAnswer)) throw error;
    if (end === 'open') end = 'malformed';
  }
  return { statuses, headers, body: Buffer.concat(body).toString('latin1'), end };
}

const whole = (text: string, closes = false): Read => read([Buffer.from(text, 'latin1')], closes);

function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  const ends = [...places, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('the body ends where the head says', () => {
  it.each([
    ['after its length', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc', 'abc'],
    ['at once, with length 0', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', ''],
    ['at once, without content', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['at once, when nothing changed', 'HTTP/1.1 304 -\r\ncontent-length: 9\r\n\r\n', ''],
    [
      'after its last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n',
      'abc',
    ],
    [
      'after its trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\nA\r\n0123456789\r\n0\r\nx: 1\r\ny: 2\r\n\r\n',
      '0123456789',
    ],
    [
      'after an interim answer',
      'HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200\r\ncontent-length: 1\r\n\r\nz',
      'z',
    ],
  ])('%s', (_, text, body) => {
    const bytes = Buffer.from(text, 'latin1');
    expect(whole(text)).toMatchObject({ body, end: 'clean' });
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (at) => {
        expect(read(cut(bytes, at))).toEqual(whole(text));
      }),
    );
    for (let length = 0; length < bytes.length; length += 1)
      expect(whole(text.slice(0, length), true).end).toBe('open');
  });

  it('where the connection closes, when it does not say', () => {
    const text = 'HTTP/1.0 200 OK\r\n\r\nabc';
    expect(whole(text)).toMatchObject({ body: 'abc', end: 'open' });
    expect(whole(text, true)).toMatchObject({ body: 'abc', end: 'clean' });
  });

  it('and what comes after it makes the connection useless', () => {
    const length = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n';
    expect(whole(`${length}aHTTP/1.1 200`)).toMatchObject({ body: 'a', end: 'unclean' });
    expect(whole('HTTP/1.1 204 -\r\n\r\nx')).toMatchObject({ body: '', end: 'unclean' });
  });
});

describe('not an answer', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  it.each([
    ['a page', '<html>\r\n\r\n'],
    ['another protocol', 'SSH-2.0-x\r\n\r\n'],
    ['an old version', 'HTTP/0.9 200 OK\r\n\r\n'],
    ['a new version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 OK\r\n\r\n'],
    ['a status of zero', 'HTTP/1.1 000 OK\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nx\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nx : y\r\n\r\n'],
    ['a header on two lines', 'HTTP/1.1 200 OK\r\nx: y\r\n z\r\n\r\n'],
    ['a line feed in a value', 'HTTP/1.1 200 OK\r\nx: a\nb\r\n\r\n'],
    ['a zero byte in a value', 'HTTP/1.1 200 OK\r\nx: a\0\r\n\r\n'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a length with letters', 'HTTP/1.1 200 OK\r\ncontent-length: 1e3\r\n\r\n'],
    ['a length beyond all files', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(16)}\r\n\r\n`],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}`],
    ['a chunk without size', `${chunked}\r\n`],
    ['a chunk of odd size', `${chunked}0x1\r\n`],
    ['a chunk beyond all files', `${chunked}${'f'.repeat(13)}\r\n`],
    ['a chunk longer than its size', `${chunked}1\r\nabc\r\n`],
    ['a chunk line with only a line feed', `${chunked}1\nabc\n`],
    ['a chunk line without end', chunked + '1;'.repeat(9_000)],
    ['trailers without end', `${chunked}0\r\n${'x: y\r\n'.repeat(5_000)}`],
  ])('%s', (_, text) => {
    expect(whole(text).end).toBe('malformed');
  });
});

test('repeated headers are joined, and a name of JavaScript is only a name', () => {
  const { headers } = parseHead('HTTP/1.1 200 OK\r\nVia: a\r\nvia:b \r\n__proto__: c\r\nempty:');
  expect(Object.entries(headers)).toEqual([
    ['via', 'a, b'],
    ['__proto__', 'c'],
    ['empty', ''],
  ]);
});

test.each([
  ['HTTP/1.1 200 OK', null],
  ['HTTP/1.1 200 OK\r\nConnection: Close', 0],
  ['HTTP/1.1 200 OK\r\nconnection: x, close', 0],
  ['HTTP/1.1 200 OK\r\nkeep-alive: max=9, timeout = 7', 7000],
  ['HTTP/1.0 200 OK', 0],
  ['HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\nkeep-alive: timeout=5', 5000],
])('%j keeps the connection for %s ms', (text, kept) => {
  expect(keptMs(parseHead(text))).toBe(kept);
});

/** What Node's own client makes of the same bytes. */
async function nodeReads(
  bytes: Buffer,
): Promise<Pick<Read, 'body' | 'end'> & { readonly status: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  const port = await portOf(server);
  const bad = { status: 0, body: '', end: 'malformed' } as const;
  try {
    return await new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port, agent: false }, (answer) => {
        const body: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => body.push(chunk));
        answer.on('error', () => resolve(bad));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(body).toString('latin1'),
            end: 'clean',
          }),
        );
      });
      asked.on('error', () => resolve(bad));
      asked.end();
    });
  } finally {
    server.close();
  }
}

test("what it accepts, Node's own client reads in the same way", async () => {
  const pieces = fc.constantFrom(
    ...[
      'HTTP/1.1 200 OK',
      'HTTP/1.0 404 -',
      'HTTP/1.1 206',
      '\r\n',
      '\r\n\r\n',
      '\n',
      '\r',
      ' ',
      ':',
      ',',
    ],
    ...[
      'content-length: 3',
      'content-length: 5',
      'transfer-encoding: chunked',
      'connection: close',
    ],
    ...['transfer-encoding: gzip', 'x: y', 'abc', '3\r\nabc\r\n', '0\r\n\r\n', '0', '3', ';', 'é'],
  );
  const text = fc
    .tuple(
      fc.constantFrom('HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200\r\nx: y\r\n', ''),
      fc.array(pieces, { maxLength: 12 }),
    )
    .map(([start, rest]) => start + rest.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (answer) => {
      const ours = whole(answer, true);
      if (ours.end !== 'clean' || ours.statuses.some((status) => status < 200)) return;
      const theirs = await nodeReads(Buffer.from(answer, 'latin1'));
      expect(theirs).toEqual({ status: ours.statuses.at(-1), body: ours.body, end: 'clean' });
    }),
    { numRuns: 400 },
  );
});
