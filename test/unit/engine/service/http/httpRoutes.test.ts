/** Connecting when the service is not directly reachable: proxies, certificates, dead connections. */
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HttpRequest } from '../../../../../main/engine/core/ports.ts';
import { drain } from '../../../../../main/engine/service/api/sending.ts';
import { createHttp, type HttpClient } from '../../../../../main/engine/service/http/http.ts';
import { portOf } from '../../../../helpers/listen.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../testCertificate.ts';
import { answering, handling } from '../testServer.ts';

function client(options: Parameters<typeof createHttp>[0] = {}): HttpClient {
  const http = createHttp(options);
  onTestFinished(() => http.close());
  return http;
}

function request(url: string, fields: Partial<HttpRequest> = {}): HttpRequest {
  const { signal } = new AbortController();
  return { method: 'GET', url, headers: {}, body: null, stallMs: 10_000, signal, ...fields };
}

async function secureServer(): Promise<number> {
  const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_in, response) =>
    response.end('safe'),
  );
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return portOf(server);
}

it('trusts a certificate only when it is told to', async () => {
  const url = `https://127.0.0.1:${await secureServer()}/`;
  const doubtful = await client().request(request(url, { method: 'POST' }));
  expect(doubtful).toMatchObject({ kind: 'failure', fault: 'tls', maybeSent: false });
  const trusting = await client({ caPem: TEST_CERTIFICATE }).request(request(url));
  expect(trusting).toMatchObject({ kind: 'answer', status: 200 });
});

it('calls it a TLS fault when the other side speaks none', async () => {
  const server = await answering(() => ({}));
  const result = await client().request(request(server.url.replace('http:', 'https:')));
  expect(result).toMatchObject({ kind: 'failure', fault: 'tls', maybeSent: false });
});

it('sends plain requests through a proxy whole, with streamed bodies', async () => {
  const proxy = await answering(() => ({ body: 'forwarded' }));
  const asked: string[] = [];
  const http = client({
    routesFor: (origin) => {
      asked.push(origin);
      return [proxy.url];
    },
  });
  const bytes = Buffer.from('the body');
  const body = {
    lengthBytes: bytes.length,
    async *chunks() {
      yield bytes;
    },
  };
  const answer = await http.request(request('http://service.test/a?b=c', { method: 'PUT', body }));
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  expect(proxy.seen[0]).toMatchObject({ method: 'PUT', path: '/a', query: { b: 'c' } });
  expect(proxy.seen[0]?.headers).toMatchObject({ host: 'service.test', 'content-length': '8' });
  expect(proxy.seen[0]?.body.toString()).toBe('the body');
  expect(asked).toEqual(['http://service.test']);
});

it('reaches an https service through a tunnel, and reports when the proxy refuses one', async () => {
  const port = await secureServer();
  const proxy = await handling((_in, response) => response.end());
  const targets: (string | undefined)[] = [];
  proxy.server.on('connect', (incoming, socket) => {
    targets.push(incoming.url);
    if (incoming.url !== `service.test:${port}`) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => undefined);
    socket.on('error', () => undefined).on('close', () => onward.destroy());
  });
  const http = client({ routesFor: () => [proxy.url], caPem: TEST_CERTIFICATE });
  const answer = await http.request(request(`https://service.test:${port}/x`));
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  if (answer.kind === 'answer') answer.body.dispose();
  const refused = await http.request(request('https://other.test/', { method: 'POST' }));
  expect(refused).toMatchObject({ kind: 'failure', fault: 'proxy', maybeSent: false });
  expect(targets).toEqual([`service.test:${port}`, 'other.test:443']);
});

it('never uses a proxy to this computer, and survives an invalid proxy setting', async () => {
  const server = await answering(() => ({}));
  const http = client({ routesFor: () => ['not a proxy'] });
  expect(await http.request(request(server.url))).toMatchObject({ kind: 'answer' });
  const broken = await http.request(request('http://service.test/'));
  expect(broken).toMatchObject({ kind: 'failure', fault: 'proxy', maybeSent: false });
});

it('blames the proxy, not the service, while the proxy cannot be reached', async () => {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  for (const scheme of ['http', 'socks5']) {
    const http = client({ routesFor: () => [`${scheme}://127.0.0.1:${port}`] });
    for (const url of ['http://service.test/', 'https://service.test/'])
      expect(await http.request(request(url)), url).toMatchObject({ fault: 'proxy' });
  }
});

it('sends nothing a second time when a kept connection dies under it', async () => {
  const heads: string[] = [];
  const server = await handling((incoming, response) => {
    heads.push(`${incoming.method} ${incoming.url}`);
    if (incoming.method === 'POST') incoming.socket.destroy();
    else response.end('x');
  });
  const http = client();
  const first = await http.request(request(`${server.url}/1`));
  if (first.kind === 'answer') await drain(first);
  const second = await http.request(request(`${server.url}/2`, { method: 'POST' }));
  expect(second).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: true });
  const third = await http.request(request(`${server.url}/3`));
  if (third.kind === 'answer') await drain(third);
  expect(heads).toEqual(['GET /1', 'POST /2', 'GET /3']);
});

it('ends what is running when it is closed', async () => {
  let arrived: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (arrived = resolve));
  const server = await handling(() => arrived());
  const http = createHttp();
  const running = http.request(request(server.url));
  await waiting;
  await http.close();
  expect(await running).toMatchObject({ kind: 'failure', fault: 'lost', maybeSent: true });
});

/** A SOCKS5 proxy without a password that connects everything to one port, and records the requested names. RFC 1928. */
async function socksProxy(port: number): Promise<{ url: string; names: string[] }> {
  const names: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (asked) => {
        const length = asked[4] ?? 0;
        names.push(asked.subarray(5, 5 + length).toString());
        const onward = connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          onward.pipe(socket).pipe(onward);
        });
        onward.on('error', () => undefined);
        socket.on('close', () => onward.destroy());
      });
    });
  });
  onTestFinished(() => void server.close());
  return { url: `socks5://127.0.0.1:${await portOf(server)}`, names };
}

it('goes through a SOCKS proxy, which resolves the name', async () => {
  const server = await answering(() => ({ body: 'here' }));
  const proxy = await socksProxy(Number(new URL(server.url).port));
  const http = client({ routesFor: () => [proxy.url] });
  const answer = await http.request(request('http://service.test/a'));
  expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  if (answer.kind === 'answer') answer.body.dispose();
  expect(proxy.names).toEqual(['service.test']);
});

describe('several ways', () => {
  it('the next one is used if the first is not reachable, and remembered', async () => {
    const proxy = await answering(() => ({ body: 'x' }));
    const http = client({ routesFor: () => ['http://127.0.0.1:1', proxy.url] });
    const chunks = vi.fn(async function* chunks() {
      yield await Promise.resolve(Buffer.from('x'));
    });
    for (let count = 1; count <= 2; count += 1) {
      const body = { lengthBytes: 1, chunks };
      const answer = await http.request(request('http://service.test/', { method: 'PUT', body }));
      expect(answer).toMatchObject({ kind: 'answer', status: 200 });
      if (answer.kind === 'answer') answer.body.dispose();
      expect(chunks).toHaveBeenCalledTimes(count);
    }
    expect(proxy.seen).toHaveLength(2);
  });

  it('a request that may have arrived is not repeated on another way', async () => {
    const dying = await handling((incoming) => incoming.socket.destroy());
    const other = await answering(() => ({}));
    const http = client({ routesFor: () => [dying.url, other.url] });
    const end = await http.request(request('http://service.test/', { method: 'POST' }));
    expect(end).toMatchObject({ kind: 'failure', maybeSent: true });
    expect(other.seen).toEqual([]);
  });

  it('a body that a proxy took, in full or in part, is not repeated on another way', async () => {
    const CHUNK = Buffer.alloc(64 * 1024);
    const CHUNKS = 256;
    const BYTES = CHUNK.length * CHUNKS;
    for (const readBytes of [1, BYTES]) {
      const taking = await handling((incoming) => {
        let read = 0;
        incoming.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read >= readBytes) incoming.socket.destroy();
        });
      });
      const other = await answering(() => ({}));
      const http = client({ routesFor: () => [taking.url, other.url] });
      const stream = {
        lengthBytes: BYTES,
        async *chunks() {
          for (let sent = 0; sent < CHUNKS; sent += 1) yield await Promise.resolve(CHUNK);
        },
      };
      for (const body of [Buffer.alloc(BYTES), stream]) {
        const end = await http.request(request('http://service.test/', { method: 'POST', body }));
        expect(end).toMatchObject({ kind: 'failure', fault: 'lost' });
      }
      expect(other.seen).toEqual([]);
    }
  });
});
