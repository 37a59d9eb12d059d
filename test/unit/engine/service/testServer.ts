/** A small HTTP server for one test: it records every request and answers as the test says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { portOf } from '../../../helpers/listen.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, reply: Reply): void {
  const { body = null } = reply;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(reply.status ?? 200, reply.headers);
  response.end(body === null ? undefined : raw ? body : JSON.stringify(body));
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly seen: SeenRequest[];
}

async function listening(server: Server, seen: SeenRequest[]): Promise<TestServer> {
  const port = await portOf(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${port}`, port, server, seen };
}

/** Starts a server that reads each request whole and answers it. */
export async function answering(answer: (request: SeenRequest) => Reply): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://server.test');
      const one = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: await bodyOf(request),
      };
      seen.push(one);
      send(response, answer(one));
    })().catch(() => response.destroy());
  });
  return listening(server, seen);
}

/** Starts a server whose handler does everything itself. */
export function handling(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  return listening(createServer(handler), []);
}
