/** Answers GET /metrics with a page that is made anew for each request; everything else is not found. */
import type { Server } from 'node:http';
import process from 'node:process';
import { errnoOf } from '../core/errno.ts';
import { fail, ok, type Result } from '../core/errors.ts';

const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
/** A whole request must be here within this time, ms. */
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 16;

export interface MetricsServer {
  readonly port: number;
  stop(): Promise<void>;
}

function listen(server: Server, address: string, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    server.once('error', (error) => {
      const why = {
        EADDRINUSE: `port ${port} is taken by another program`,
        EACCES: `port ${port} may not be used without more rights; take one above 1023`,
        EADDRNOTAVAIL: `${address} is no address of this computer`,
      }[errnoOf(error) ?? ''];
      resolve(
        fail('usage.invalid', { said: why ?? 'the address for metrics cannot be listened on' }),
      );
    });
    server.listen(port, address, () => {
      server.on('error', () => undefined);
      const bound = server.address();
      resolve(ok(typeof bound === 'object' && bound !== null ? bound.port : port));
    });
  });
}

/** Starts the server. Error: usage.invalid when the port is taken or the address is not ours. `page` is asked once for each request. */
export async function startMetricsServer(
  address: string,
  port: number,
  page: () => Promise<string>,
): Promise<Result<MetricsServer>> {
  // Not imported: an import of node:http loads every part of it at each start of the program, with or without metrics.
  const server = process.getBuiltinModule('node:http').createServer({
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: REQUEST_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const isAsked = request.method === 'GET' && /^\/metrics(?:\?|$)/.test(request.url ?? '');
    if (!isAsked) {
      response.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    page().then(
      (text) => response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(text),
      () => response.writeHead(503, { 'content-length': 0, connection: 'close' }).end(),
    );
  });
  const listening = await listen(server, address, port);
  if (!listening.ok) return listening;
  return ok({
    port: listening.value,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
