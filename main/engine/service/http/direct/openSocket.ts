/** Opens a connection to an origin: plain or encrypted, over IPv4 or IPv6, whichever answers. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSafe } from 'node:tls';
import { READ_BYTES, readInto } from '../../../core/receiveMemory.ts';
import { trustedContext } from '../certificates.ts';
import { CONNECT_MS } from '../connectionLimits.ts';

/** When the system begins to probe a silent connection, in ms. Our choice. */
const PROBE_MS = 60_000;

/**
 * Receives the events of a connection. `closed` comes last, and may come twice: at an error, as soon as nothing more can be sent, and when
 * the socket has closed.
 */
interface SocketEvents {
  connected(): void;
  received(bytes: Buffer): void;
  /** The other side sends no more. */
  ended(): void;
  drained(): void;
  closed(error: Error | null): void;
}

/** Opens the connections to one origin. */
export type SocketOpener = (events: SocketEvents) => Socket;

function follow(
  socket: Socket,
  connectedEvent: 'connect' | 'secureConnect',
  events: SocketEvents,
): void {
  const late = setTimeout(() => {
    const error = new Error(`no connection within ${CONNECT_MS} ms`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }, CONNECT_MS);
  socket.once(connectedEvent, () => {
    clearTimeout(late);
    socket.setKeepAlive(true, PROBE_MS);
    events.connected();
  });
  socket.on('end', events.ended);
  socket.on('drain', events.drained);
  // Other work may run before 'close'; after an error, nothing more may be sent over the socket.
  socket.on('error', events.closed);
  socket.once('close', () => {
    clearTimeout(late);
    events.closed(null);
  });
}

/** Creates the opener of an origin. `caPem`: certificates to trust in addition to the usual ones. */
export function createSocketOpener(origin: URL, caPem: string | null): SocketOpener {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const isSafe = origin.protocol === 'https:';
  const port = origin.port === '' ? (isSafe ? 443 : 80) : Number(origin.port);
  /** Lets the next connection skip half of the handshake. */
  let session: Buffer | undefined;
  return (events) => {
    const onread = readInto(isSafe ? READ_BYTES.encrypted : READ_BYTES.plain, events.received);
    const place = { host, port, autoSelectFamily: true, noDelay: true, onread };
    if (!isSafe) {
      const socket = connectPlain(place);
      follow(socket, 'connect', events);
      return socket;
    }
    const safe = { ALPNProtocols: ['http/1.1'], secureContext: trustedContext(caPem), session };
    // Node takes `onread` here, too, though its types do not say so.
    const socket = connectSafe({
      ...place,
      ...safe,
      ...(isIP(host) === 0 && { servername: host }),
    });
    socket.on('session', (newest) => (session = newest));
    follow(socket, 'secureConnect', events);
    return socket;
  };
}
