/** Connections to one origin, against servers that write bytes by hand. */
import { createServer, Socket } from 'node:net';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONNECTIONS } from '../../../../../../main/engine/service/http/connectionLimits.ts';
import { MalformedAnswer } from '../../../../../../main/engine/service/http/direct/answerHead.ts';
import { createDirectPool } from '../../../../../../main/engine/service/http/direct/directPool.ts';
import type {
  Transport,
  TransportController,
  TransportRequest,
} from '../../../../../../main/engine/service/http/transport.ts';
import { portOf } from '../../../../../helpers/listen.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../testCertificate.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

type Hear = (socket: Socket, head: string) => void;

/** Calls `hear` for each request's head. */
async function rawServer(hear: Hear, isSafe = false) {
  const sockets: Socket[] = [];
  const serve = (socket: Socket): void => {
    sockets.push(socket);
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      for (let end = heard.indexOf('\r\n\r\n'); end >= 0; end = heard.indexOf('\r\n\r\n')) {
        hear(socket, heard.slice(0, end));
        heard = heard.slice(end + 4);
      }
    });
  };
  const server = isSafe
    ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, serve)
    : createServer(serve);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const origin = new URL(`${isSafe ? 'https' : 'http'}://127.0.0.1:${await portOf(server)}`);
  /** `sockets`: every connection so far. */
  return { origin, sockets };
}

type RawServer = Awaited<ReturnType<typeof rawServer>>;

function poolOf({ origin }: RawServer): Transport {
  const pool = createDirectPool(origin, TEST_CERTIFICATE);
  onTestFinished(() => pool.destroy());
  return pool;
}

interface Ended {
  readonly status: number | null;
  readonly body: string;
  readonly error: unknown;
}

function ask(
  pool: Transport,
  fields: Partial<TransportRequest> = {},
  events: { started?: (controller: TransportController) => void; data?: () => void } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    let status: number | null = null;
    let body = '';
    const request = { path: '/', method: 'GET', headers: {}, body: null, ...fields };
    pool.dispatch(request, {
      onRequestStart: (controller) => events.started?.(controller),
      onBodySent: () => undefined,
      onResponseStart: (newest) => (status = newest),
      onResponseData(chunk) {
        body += Buffer.from(chunk).toString('latin1');
        events.data?.();
      },
      onResponseEnd: () => resolve({ status, body, error: null }),
      onResponseError: (error) => resolve({ status, body, error }),
    });
  });
}

const closing = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => (socket.destroyed ? resolve(null) : socket.once('close', resolve)));

describe('a connection', () => {
  it('carries one request after the other', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const pool = poolOf(server);
    for (const body of [null, Buffer.from('a'), null])
      expect(await ask(pool, { method: 'PUT', body })).toMatchObject({ status: 200, body: 'ok' });
    expect(server.sockets).toHaveLength(1);
  });

  it('that is encrypted is kept when the answer is there before it reports that all has left', async () => {
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const thread = new Worker(new URL('./safeServerThread.ts', import.meta.url), {
      workerData: counts.buffer,
    });
    onTestFinished(() => void thread.terminate());
    const [port] = await once(thread, 'message');
    const pool = createDirectPool(new URL(`https://127.0.0.1:${Number(port)}`), TEST_CERTIFICATE);
    onTestFinished(() => pool.destroy());
    await ask(pool);
    for (const asked of [1, 2, 3]) {
      // Microtasks run once the request is written.
      const started = (): void => queueMicrotask(() => void Atomics.wait(counts, 0, asked, 10_000));
      expect(await ask(pool, {}, { started })).toMatchObject({ body: 'ok', error: null });
    }
    // The last answer may be here before the other thread has counted it.
    Atomics.wait(counts, 0, 3, 10_000);
    expect(counts).toEqual(new Int32Array([4, 1]));
  });

  it.each([
    ['says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'],
    ['keeps it for no longer than the margin', OK.replace('\r\n', '\r\nkeep-alive: timeout=2\r\n')],
    ['speaks an old version', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['sends more than it should', `${OK}more`],
  ])('is closed after an answer when the server %s', async (_, answer) => {
    const server = await rawServer((socket) => socket.write(answer));
    const pool = poolOf(server);
    for (let count = 1; count <= 2; count += 1) {
      expect(await ask(pool)).toMatchObject({ status: 200, error: null });
      expect(server.sockets).toHaveLength(count);
    }
    await closing(server.sockets[0] ?? expect.fail());
  });

  it.each([
    ['sends something unasked', (socket: Socket) => socket.write('HTTP/1.1 408 -\r\n\r\n')],
    ['closes it', (socket: Socket) => socket.end()],
    ['resets it', (socket: Socket) => socket.resetAndDestroy()],
  ])('that is idle is no longer used when the server %s', async (_, act) => {
    const server = await rawServer((socket) => socket.write(OK));
    const pool = poolOf(server);
    await ask(pool);
    const [first = expect.fail()] = server.sockets;
    act(first);
    await closing(first);
    // Its end may still be on the way: a request that meets it ends with an error, and the next one opens another connection.
    await vi.waitFor(async () => expect(await ask(pool)).toMatchObject({ body: 'ok' }));
    expect(server.sockets.length).toBeGreaterThan(1);
  });

  it('that failed while it was idle carries nothing more, even if it is not closed yet', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const pool = poolOf(server);
    await ask(pool);
    const { destroy } = Socket.prototype;
    const next = Promise.withResolvers<Ended>();
    const spy = vi.spyOn(Socket.prototype, 'destroy').mockImplementation(function (
      this: Socket,
      error?: Error,
    ) {
      destroy.call(this, error);
      // After 'error', before 'close'.
      if (error !== undefined) process.nextTick(() => next.resolve(ask(pool)));
      return this;
    });
    try {
      server.sockets[0]?.resetAndDestroy();
      expect(await next.promise).toMatchObject({ body: 'ok', error: null });
    } finally {
      spy.mockRestore();
    }
  });

  it.each([
    ['of ours', OK, 4_000],
    ['that the server states', OK.replace('\r\n', '\r\nkeep-alive: timeout=32\r\n'), 30_000],
  ])('is closed when it was idle for the time %s', async (_, answer, idleMs) => {
    const server = await rawServer((socket) => socket.write(answer));
    const pool = poolOf(server);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await ask(pool);
      vi.advanceTimersByTime(idleMs - 1);
      await ask(pool);
      expect(server.sockets).toHaveLength(1);
      vi.advanceTimersByTime(idleMs);
      await ask(pool);
      expect(server.sockets).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not used again when an answer came before the whole body', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 413 -\r\ncontent-length: 0\r\n\r\n');
    });
    const pool = poolOf(server);
    let isClosed = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('half');
        await closing(server.sockets[0] ?? expect.fail());
        yield Buffer.from('rest');
      } finally {
        isClosed = true;
      }
    }
    const fields = { method: 'PUT', body: body(), headers: { 'content-length': '8' } };
    expect(await ask(pool, fields)).toMatchObject({ status: 413, error: null });
    await vi.waitFor(() => expect(isClosed).toBe(true));
    await ask(pool);
    expect(server.sockets).toHaveLength(2);
  });

  it.each([
    ['plain', false],
    ['encrypted', true],
  ])(
    'that the server closes after each answer without a word loses no request: %s',
    async (_, isSafe) => {
      let heard = 0;
      const server = await rawServer((socket) => {
        heard += 1;
        socket.end(OK);
      }, isSafe);
      const pool = poolOf(server);
      for (const method of ['GET', 'POST', 'GET', 'POST', 'POST'])
        expect(await ask(pool, { method })).toMatchObject({ body: 'ok', error: null });
      expect(heard).toBe(5);
    },
  );

  it.each([
    ['GET', 'is repeated on a new one', 3],
    ['POST', 'is not repeated', 2],
  ])('that the server closed before it answered a %s: that %s', async (method, _, requests) => {
    const heard: string[] = [];
    const server = await rawServer((socket, head) => {
      heard.push(head);
      if (heard.length === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const pool = poolOf(server);
    await ask(pool);
    let starts = 0;
    const end = await ask(pool, { method }, { started: () => (starts += 1) });
    expect(end.error === null).toBe(method === 'GET');
    expect(heard).toHaveLength(requests);
    expect(starts).toBe(requests - 1);
  });

  it('that is closed after a part of an answer ends the request, also a GET', async () => {
    let heard = 0;
    const server = await rawServer((socket) => {
      heard += 1;
      if (heard === 2) socket.end('HTTP/1.1 200');
      else socket.write(OK);
    });
    const pool = poolOf(server);
    await ask(pool);
    expect((await ask(pool)).error).toBeInstanceOf(Error);
    expect(heard).toBe(2);
  });

  it('that is new and closed before its answer is not replaced by another one', async () => {
    const server = await rawServer((socket) => socket.end());
    expect((await ask(poolOf(server))).error).toBeInstanceOf(Error);
    expect(server.sockets).toHaveLength(1);
  });

  it('stays whole when an earlier request is ended once more', async () => {
    const answers: (() => void)[] = [];
    const server = await rawServer((socket) => answers.push(() => socket.write(OK)));
    const pool = poolOf(server);
    let old: TransportController | null = null;
    const first = ask(pool, {}, { started: (controller) => (old = controller) });
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers[0]?.();
    await first;
    const second = ask(pool);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    Object(old).abort(new Error('late'));
    Object(old).pause();
    answers[1]?.();
    expect(await second).toMatchObject({ body: 'ok', error: null });
  });
});

describe('a body', () => {
  it('is written whole and in order, however slowly the other side reads', async () => {
    const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(300_000, index));
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    let handedOut = 0;
    const received: Buffer[] = [];
    let left = size;
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        received.push(chunk);
        const isFirst = received.length === 1;
        left -= isFirst ? chunk.length - chunk.indexOf('\r\n\r\n') - 4 : chunk.length;
        if (left === 0) socket.write(OK);
        else if (received.length % 20 === 0) {
          socket.pause();
          setImmediate(() => socket.resume());
        }
      });
    });
    onTestFinished(() => void server.close());
    const pool = createDirectPool(new URL(`http://127.0.0.1:${await portOf(server)}`), null);
    onTestFinished(() => pool.destroy());
    async function* body(): AsyncGenerator<Uint8Array> {
      const memory = [Buffer.alloc(300_000), Buffer.alloc(300_000)];
      for (const piece of pieces) {
        // A piece may be used again when the second one after it is requested.
        const own = memory[handedOut % 2] ?? expect.fail();
        piece.copy(own);
        handedOut += 1;
        yield own;
        await Promise.resolve();
      }
    }
    const headers = { 'content-length': String(size) };
    expect(await ask(pool, { method: 'PUT', body: body(), headers })).toMatchObject({ body: 'ok' });
    const all = Buffer.concat(received);
    expect(all.subarray(all.indexOf('\r\n\r\n') + 4).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('that fails ends the request and its connection', async () => {
    const server = await rawServer(() => undefined);
    const pool = poolOf(server);
    async function* body(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('a'));
      throw new Error('changed');
    }
    const fields = { method: 'PUT', body: body(), headers: { 'content-length': '8' } };
    expect(await ask(pool, fields)).toMatchObject({ error: new Error('changed') });
    await closing(server.sockets[0] ?? expect.fail());
  });
});

describe('an answer', () => {
  it('is not read while nobody takes it', async () => {
    const size = 30_000_000;
    let left = size;
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
      const more = (): void => {
        for (let isRoom = true; isRoom && left > 0; left -= 100_000)
          isRoom = socket.write(Buffer.alloc(100_000, 'x'));
        if (left > 0) socket.once('drain', more);
      };
      more();
    });
    const pool = poolOf(server);
    let control: TransportController | null = null;
    let pauses = 0;
    const answer = ask(
      pool,
      {},
      {
        started: (controller) => (control = controller),
        data() {
          if (pauses === 3) return;
          pauses += 1;
          Object(control).pause();
          setImmediate(() => Object(control).resume());
        },
      },
    );
    expect((await answer).body).toHaveLength(size);
    expect(pauses).toBe(3);
  });

  it.each([
    ['another protocol', '220 mail.test ready\r\n\r\n'],
    ['the start of one', '220 mail'],
    ['lines without a carriage return', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'],
  ])('that is none ends with an error: %s', async (_, text) => {
    const server = await rawServer((socket) => socket.write(text));
    const { error } = await ask(poolOf(server));
    expect(error).toBeInstanceOf(MalformedAnswer);
    await closing(server.sockets[0] ?? expect.fail());
  });
});

describe('a pool', () => {
  it('lets requests wait when all its connections are in use', async () => {
    const answers: (() => void)[] = [];
    const server = await rawServer((socket) => answers.push(() => socket.write(OK)));
    const pool = poolOf(server);
    const all = Array.from({ length: CONNECTIONS + 6 }, () => ask(pool));
    await vi.waitFor(() => expect(answers).toHaveLength(CONNECTIONS));
    // One of them dies: a waiting request takes its place.
    server.sockets[0]?.destroy();
    await vi.waitFor(() => expect(answers).toHaveLength(CONNECTIONS + 1));
    for (let count = 0; count < answers.length; count += 1) {
      answers[count]?.();
      await vi.waitFor(() =>
        expect(answers.length).toBe(Math.min(CONNECTIONS + 6, CONNECTIONS + 1 + count)),
      );
    }
    const ends = await Promise.all(all);
    expect(ends.filter(({ error }) => error !== null)).toHaveLength(1);
    expect(server.sockets).toHaveLength(CONNECTIONS + 1);
  });

  it('lets running requests end when it closes, and starts no more', async () => {
    const answers: (() => void)[] = [];
    const server = await rawServer((socket) => answers.push(() => socket.write(OK)));
    const pool = poolOf(server);
    const running = ask(pool);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    const closed = pool.close();
    await expect(ask(pool)).rejects.toThrow('closed');
    answers[0]?.();
    expect(await running).toMatchObject({ body: 'ok' });
    await closed;
    await closing(server.sockets[0] ?? expect.fail());
  });

  it('ends everything when it is destroyed, also what is not connected yet', async () => {
    const server = await rawServer(() => undefined);
    const pool = poolOf(server);
    const running = ask(pool);
    await vi.waitFor(() => expect(server.sockets).toHaveLength(1));
    const connecting = ask(pool);
    await pool.destroy();
    const error = { message: 'the connections are closed' };
    expect(await Promise.all([running, connecting])).toMatchObject([{ error }, { error }]);
  });

  it('resumes an encrypted session', async () => {
    const reused: boolean[] = [];
    const server = await rawServer((socket) => {
      reused.push(Object(socket).isSessionReused());
      socket.write(OK.replace('\r\n', '\r\nconnection: close\r\n'));
    }, true);
    const pool = poolOf(server);
    for (let count = 0; count < 3; count += 1)
      expect(await ask(pool)).toMatchObject({ body: 'ok' });
    expect(reused).toEqual([false, true, true]);
  });
});
