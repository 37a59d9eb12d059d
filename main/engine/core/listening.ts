/** HTTP servers of this program: each listens on one address of this computer until it is stopped. */
import type { Server, ServerOptions } from 'node:http';
import process from 'node:process';
import { errnoOf } from './errno.ts';
import { fail, ok, type Result, usage } from './errors.ts';

export interface ListeningServer {
  readonly port: number;
  /** Closes the port and every connection. */
  stop(): Promise<void>;
}

/** A request must have arrived completely within this time, in ms. */
const REQUEST_MS = 5_000;

/** Makes a server that does not listen yet; slow senders are cut off. */
export function createHttpServer(maxConnections: number, options: ServerOptions = {}): Server {
  // Not imported: an import of node:http would load all of it at each program start, even without a server.
  const server = process.getBuiltinModule('node:http').createServer({
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: REQUEST_MS,
    ...options,
  });
  server.maxConnections = maxConnections;
  return server;
}

/**
 * Opens the port; 0 means any free one. `purpose` says in the error what the address is for. Errors: usage.invalid when the
 * port is taken; net.offline when the address does not belong to this computer.
 */
export function listen(
  server: Server,
  address: string,
  port: number,
  purpose: string,
): Promise<Result<ListeningServer>> {
  return new Promise((resolve) => {
    server.once('error', (error) => {
      const errno = errnoOf(error) ?? '';
      const why = {
        EADDRINUSE: `port ${port} is taken by another program`,
        EACCES: `port ${port} needs more permissions; use one above 1023`,
        EADDRNOTAVAIL: `${address} is not an address of this computer`,
      }[errno];
      const said = why ?? `cannot listen on the address for ${purpose}`;
      // A computer that starts without its network gets the address later.
      resolve(errno === 'EADDRNOTAVAIL' ? fail('net.offline', { said }) : usage(said));
    });
    server.listen(port, address, () => {
      server.on('error', () => undefined);
      const bound = server.address();
      resolve(
        ok({
          port: typeof bound === 'object' && bound !== null ? bound.port : port,
          stop: () =>
            new Promise((stopped) => {
              server.close(() => stopped());
              server.closeAllConnections();
            }),
        }),
      );
    });
  });
}
