/** Answers GET /metrics with a page created for each request; everything else is not found. */
import { createHttpServer, listen, type ListeningServer } from '../core/listening.ts';
import type { Result } from '../core/errors.ts';

const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const MAX_CONNECTIONS = 16;

/** Starts the server. Errors: those of listen. Each request calls `page` once. */
export function startMetricsServer(
  address: string,
  port: number,
  page: () => Promise<string>,
): Promise<Result<ListeningServer>> {
  const server = createHttpServer(MAX_CONNECTIONS);
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
  return listen(server, address, port, 'metrics');
}
