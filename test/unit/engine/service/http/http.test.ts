import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SluiceFailure } from '../../../../../main/engine/core/errors.ts';
import type {
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  StreamBody,
} from '../../../../../main/engine/core/ports.ts';
import { createHttp, type HttpClient } from '../../../../../main/engine/service/http/http.ts';
import { portOf } from '../../../../helpers/listen.ts';
import { answering, handling } from '../testServer.ts';

const clients: HttpClient[] = [];
function client(options: Parameters<typeof createHttp>[0] = {}): HttpClient {
  const http = createHttp(options);
  clients.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(clients.splice(0).map((http) => http.close()));
});

function request(url: string, fields: Partial<HttpRequest> = {}): HttpRequest {
  const signal = new AbortController().signal;
  return { method: 'GET', url, headers: {}, body: null, stallMs: 10_000, signal, ...fields };
}

function stream(chunks: readonly Uint8Array[], lengthBytes?: number): StreamBody {
  const sum = chunks.reduce((total, chunk) => total + chunk.length, 0);
  return {
    lengthBytes: lengthBytes ?? sum,
    async *chunks() {
      yield* chunks;
    },
  };
}

/** Chunks, then a wait for the gate, then more chunks. */
function gated(before: Uint8Array, gate: Promise<void>, after: Uint8Array): StreamBody {
  return {
    lengthBytes: before.length + after.length,
    async *chunks() {
      yield before;
      await gate;
      yield after;
    },
  };
}

async function text(answer: HttpAnswer | HttpFailure): Promise<string> {
  if (answer.kind === 'failure') throw new Error(`${answer.fault}: ${answer.detail}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A raw TCP server; `act` gets the connection once `until` has arrived. */
async function raw(until: string, act: (socket: Socket, heard: () => string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let heard = '';
    let acted = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (acted || !heard.includes(until)) return;
      acted = true;
      act(socket, () => heard);
    });
  });
  return {
    url: `http://127.0.0.1:${await portOf(server)}/`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a request that works', () => {
  it('carries method, headers and a streamed body of the declared length', async () => {
    const server = await answering(() => ({ body: 'kept', headers: { 'X-Thing': 'a' } }));
    const body = stream([Buffer.from('one '), new Uint8Array(0), Buffer.from('two')]);
    const answer = await client().request(
      request(`${server.url}/a/b?c=d%20e`, { method: 'PUT', headers: { 'x-in': 'y' }, body }),
    );
    expect(await text(answer)).toBe('kept');
    expect(answer).toMatchObject({ kind: 'answer', status: 200, headers: { 'x-thing': 'a' } });
    expect(answer).not.toHaveProperty('early');
    expect(server.seen[0]).toMatchObject({ method: 'PUT', path: '/a/b', query: { c: 'd e' } });
    expect(server.seen[0]?.headers).toMatchObject({ 'content-length': '7', 'x-in': 'y' });
    expect(server.seen[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(server.seen[0]?.headers).not.toHaveProperty('content-type');
    expect(server.seen[0]?.body.toString()).toBe('one two');
  });

  it.each([
    ["?name=o'clock.png&sig=a%2Fb/c%27", "?name=o'clock.png&sig=a%2Fb/c%27"],
    ['?name=é a', '?name=%C3%A9%20a'],
    ['?', ''],
    ["?a='#part", "?a='"],
  ])('sends the query %s as %s: a signature may cover its bytes', async (given, sent) => {
    const targets: string[] = [];
    const server = await handling((incoming, response) => {
      targets.push(incoming.url ?? '');
      response.end();
    });
    await text(await client().request(request(`${server.url}/a${given}`)));
    expect(targets).toEqual([`/a${sent}`]);
  });

  it('sends chunks larger than a slice, byte arrays, empty streams and no body alike', async () => {
    const server = await answering(() => ({}));
    const http = client();
    const large = new Uint8Array(3_000_001).map((_, index) => index % 251);
    for (const body of [stream([large]), large, stream([]), null]) {
      await text(await http.request(request(server.url, { method: 'POST', body })));
    }
    const lengths = server.seen.map((one) => one.headers['content-length']);
    expect(lengths).toEqual(['3000001', '3000001', '0', '0']);
    expect(server.seen.slice(0, 2).every((one) => one.body.equals(large))).toBe(true);
  });

  it('keeps connections for requests that follow each other, and drops them on reset', async () => {
    const server = await answering(() => ({ body: 'x' }));
    let connections = 0;
    server.server.on('connection', () => (connections += 1));
    const http = client();
    for (let n = 0; n < 5; n += 1) await text(await http.request(request(server.url)));
    // undici releases a connection a moment after the last byte, so a second one may be opened.
    expect(connections).toBeLessThanOrEqual(2);
    const before = connections;
    http.reset();
    await text(await http.request(request(server.url)));
    expect(connections).toBe(before + 1);
  });

  it('answers redirects as they are and does not follow them', async () => {
    const target = await answering(() => ({}));
    const server = await answering(() => ({ status: 302, headers: { location: target.url } }));
    const answer = await client().request(request(server.url));
    expect(answer).toMatchObject({ status: 302 });
    expect(target.seen).toEqual([]);
  });
});

describe('what may have been sent', () => {
  it('nothing, when the connection is refused', async () => {
    const server = await raw('never', () => undefined);
    await server[Symbol.asyncDispose]();
    const result = await client().request(request(server.url, { method: 'POST' }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'refused', maybeSent: false });
  });

  it('nothing, when the name or the address is none', async () => {
    const http = client();
    expect(await http.request(request('http://[nonsense'))).toMatchObject({ fault: 'unresolved' });
    expect(await http.request(request('file:///etc/passwd'))).toMatchObject({ fault: 'refused' });
    const headers = { 'bad name\r\n': 'x' };
    const server = await answering(() => ({}));
    const bad = await http.request(request(server.url, { headers }));
    expect(bad).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(server.seen).toEqual([]);
  });

  it('no, when the connection is cut before the last byte was handed out', async () => {
    await using server = await raw('\r\n\r\n', (socket) => socket.resetAndDestroy());
    const body = gated(Buffer.alloc(1000), new Promise<void>(() => undefined), Buffer.alloc(1));
    const result = await client().request(request(server.url, { method: 'PUT', body }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: false });
  });

  it.each([
    ['a whole body', Buffer.from('all')],
    ['a stream', stream([Buffer.from('all')])],
  ])('no, when the last byte of %s may not leave any more', async (_, body) => {
    const server = await answering(() => ({}));
    const mayFinish = (): boolean => false;
    const result = await client().request(request(server.url, { method: 'PUT', body, mayFinish }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'aborted', maybeSent: false });
    expect(server.seen).toEqual([]);
  });

  it('yes, when the answer is lost after the last byte', async () => {
    await using server = await raw('END', (socket) => socket.destroy());
    const body = stream([Buffer.from('beginning '), Buffer.from('END')]);
    const result = await client().request(request(server.url, { method: 'PUT', body }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: true });
  });

  it('yes, when a request without a body loses its answer', async () => {
    await using server = await raw('\r\n\r\n', (socket) => socket.destroy());
    const result = await client().request(request(server.url, { method: 'POST' }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: true });
  });

  it.each([
    ['shorter', stream([Buffer.from('1234')], 5)],
    ['longer in its last chunk', stream([Buffer.from('1234'), Buffer.from('56')], 5)],
    ['longer by a chunk', stream([Buffer.from('12345'), Buffer.from('6')], 5)],
    ['longer than nothing', stream([Buffer.from('1')], 0)],
  ])('no, and never complete, when the source is %s than declared', async (_name, body) => {
    const server = await answering(() => ({}));
    const result = await client().request(request(server.url, { method: 'PUT', body }));
    expect(result).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(server.seen).toEqual([]);
  });

  it('no, when the source throws; and the source is given back', async () => {
    const server = await answering(() => ({}));
    let closed = false;
    const body: StreamBody = {
      lengthBytes: 10,
      async *chunks() {
        try {
          yield Buffer.from('12345');
          throw new Error('the file has changed');
        } finally {
          closed = true;
        }
      },
    };
    const result = await client().request(request(server.url, { method: 'PUT', body }));
    expect(result).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(closed).toBe(true);
    expect(server.seen).toEqual([]);
  });
});

describe('answers that come early', () => {
  it('hands over a refusal sent while the body is still going out', async () => {
    const never = new Promise<void>(() => undefined);
    const server = await handling((_incoming, response) => {
      response.writeHead(413, { 'content-type': 'application/json' });
      response.end('{"error":"too large"}');
    });
    const body = gated(Buffer.alloc(1000), never, Buffer.alloc(1000));
    const answer = await client().request(request(server.url, { method: 'PUT', body }));
    expect(answer).toMatchObject({ kind: 'answer', status: 413, early: true });
    expect(await text(answer)).toBe('{"error":"too large"}');
  });

  it('does not believe a success that comes before the body was complete', async () => {
    const never = new Promise<void>(() => undefined);
    const server = await handling((_incoming, response) => response.end('{}'));
    const body = gated(Buffer.alloc(1000), never, Buffer.alloc(1000));
    const result = await client().request(request(server.url, { method: 'PUT', body }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: false });
  });
});

describe('stalls and stops', () => {
  it('times out when nothing comes after the last byte', async () => {
    const server = await handling((incoming) => incoming.resume());
    const body = stream([Buffer.from('all of it')]);
    const result = await client().request(
      request(server.url, { method: 'PUT', body, stallMs: 30 }),
    );
    expect(result).toMatchObject({ kind: 'failure', fault: 'timeout', maybeSent: true });
  });

  it('does not take an answer that is only announced for one that comes', async () => {
    await using server = await raw('\r\n\r\n', (socket) => {
      const announcing = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
      socket.on('close', () => clearInterval(announcing));
    });
    const result = await client().request(request(server.url, { stallMs: 100 }));
    expect(result).toMatchObject({ kind: 'failure', fault: 'timeout', maybeSent: true });
  });

  it('times out when the other side stops reading', async () => {
    await using server = await raw('\r\n\r\n', (socket) => socket.pause());
    const piece = Buffer.alloc(1024 * 1024);
    const body = stream(Array.from({ length: 64 }, () => piece));
    const result = await client().request(
      request(server.url, { method: 'PUT', body, stallMs: 50 }),
    );
    expect(result).toMatchObject({ kind: 'failure', fault: 'timeout', maybeSent: false });
  });

  it('does not mistake a slow source for a stalled network', async () => {
    const server = await answering(() => ({ body: 'ok' }));
    const silent = await handling((incoming) => incoming.resume());
    const http = client();
    // Another request that stalls for twice the limit shows that the time has passed.
    const stalled = http.request(request(silent.url, { stallMs: 100 }));
    const body = gated(
      Buffer.from('a'),
      stalled.then(() => undefined),
      Buffer.from('b'),
    );
    const answer = await http.request(request(server.url, { method: 'PUT', body, stallMs: 50 }));
    expect(await text(answer)).toBe('ok');
  });

  it('throws while reading the answer when the rest never comes', async () => {
    const server = await handling((_incoming, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('12345');
    });
    const answer = await client().request(request(server.url, { stallMs: 1000 }));
    const failure = await text(answer).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SluiceFailure);
    expect(failure).toMatchObject({ error: { code: 'network.timeout' } });
  });

  it('lets a long answer take its time while enough of it comes, and no longer', async () => {
    const piece = 1024 * 1024;
    await using server = await raw('\r\n\r\n', (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${3 * piece}\r\n\r\n`);
      socket.write(Buffer.alloc(piece));
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { answerMs: 1000, stallMs: 100_000 };
    const answer = await client().request(request(server.url, limits));
    if (answer.kind === 'failure') throw new Error(answer.detail);
    const chunks = answer.body[Symbol.asyncIterator]();
    const readPiece = async (): Promise<void> => {
      let length = 0;
      while (length < piece) length += (await chunks.next()).value?.length ?? piece;
    };
    await readPiece();
    vi.advanceTimersByTime(1000);
    for (const socket of server.sockets) socket.write(Buffer.alloc(piece));
    await readPiece();
    vi.advanceTimersByTime(1000);
    for (const socket of server.sockets) socket.write('little');
    await chunks.next();
    vi.advanceTimersByTime(1000);
    await expect(chunks.next()).rejects.toMatchObject({ error: { code: 'network.timeout' } });
  });

  it('throws after the received bytes when the answer is cut off', async () => {
    await using server = await raw('\r\n\r\n', (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'),
    );
    const answer = await client().request(request(server.url));
    if (answer.kind === 'failure') throw new Error(answer.detail);
    const got: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of answer.body) got.push(Buffer.from(chunk).toString());
    };
    await expect(reading()).rejects.toMatchObject({ error: { code: 'network.lost' } });
    expect(got.join('')).toBe('12345');
  });

  it.each(['before', 'while waiting', 'while answering'])('stops at once: %s', async (when) => {
    const stop = new AbortController();
    const server = await handling((_incoming, response) => {
      if (when === 'while answering') response.write('1');
      else stop.abort();
    });
    if (when === 'before') stop.abort();
    const result = await client().request(request(server.url, { signal: stop.signal }));
    if (when === 'while answering') {
      const reading = text(result);
      stop.abort();
      await expect(reading).rejects.toMatchObject({ error: { code: 'network.lost' } });
      return;
    }
    const maybeSent = when === 'while waiting';
    expect(result).toMatchObject({ kind: 'failure', fault: 'aborted', maybeSent });
  });

  it('closes the connection of an answer that is disposed unread', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const server = await handling((incoming, response) => {
      incoming.socket.on('close', closed);
      response.write('endless');
    });
    const answer = await client().request(request(server.url));
    if (answer.kind === 'failure') throw new Error(answer.detail);
    answer.body.dispose();
    await gone;
  });
});

describe('memory', () => {
  it('streams 300 MB up and down without holding either', async () => {
    const total = 300 * 1024 * 1024;
    const piece = Buffer.alloc(1024 * 1024, 7);
    let received = 0;
    const server = await handling((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (received += chunk.length));
      incoming.on('end', () => {
        let sent = 0;
        const more = (): void => {
          while (sent < total) {
            sent += piece.length;
            if (!response.write(piece)) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      });
    });
    let peak = 0;
    const before = process.memoryUsage.rss();
    const watch = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
    const body: StreamBody = {
      lengthBytes: total,
      async *chunks() {
        for (let n = 0; n < 300; n += 1) {
          watch();
          yield Buffer.from(piece);
        }
      },
    };
    const answer = await client().request(request(server.url, { method: 'PUT', body }));
    if (answer.kind === 'failure') throw new Error(answer.detail);
    let downloaded = 0;
    for await (const chunk of answer.body) {
      downloaded += chunk.length;
      if (downloaded % (64 * 1024) === 0) watch();
    }
    expect([received, downloaded]).toEqual([total, total]);
    expect(peak - before).toBeLessThan(total);
  }, 60_000);
});
