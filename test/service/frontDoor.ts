/** The entry for every request: it is logged, meets its fault, and goes to the storage or the API. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { keepExchange, type Exchange } from './exchange.ts';
import { applyFault } from './faultEffects.ts';
import type { Faults } from './faults.ts';
import { ClientGone } from './refusal.ts';
import type { Hooks } from './hooks.ts';
import type { Outages } from './outages.ts';
import type { LogEntry, RequestLog } from './requestLog.ts';
import type { ServiceClock } from './testClock.ts';

export interface Rooms {
  readonly clock: ServiceClock;
  readonly faults: Faults;
  readonly outages: Outages;
  readonly hooks: Hooks;
  /** Runs before any client request is handled. */
  readonly before: (entry: LogEntry) => Promise<void>;
  /** Whether answers carry a `Date`: by the service's clock, never this computer's. */
  readonly statesDate: () => boolean;
  readonly log: RequestLog;
  /** Delay before every request is handled, ms. */
  readonly latencyMs: number;
  readonly storage: (exchange: Exchange) => Promise<void>;
  readonly api: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called for every request when it is over. */
  readonly onDone: (entry: LogEntry) => void;
}

/** Creates the server; it does not listen yet. */
export function createFrontDoor(rooms: Rooms): Server {
  const numbers = new WeakMap<Socket, number>();
  let connections = 0;
  let requests = 0;
  const numberOf = (socket: Socket): number => {
    const known = numbers.get(socket);
    if (known !== undefined) return known;
    connections += 1;
    numbers.set(socket, connections);
    return connections;
  };

  const server = createServer(
    // A slow body of two gigabytes is legal here; only the client ends a request.
    { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000, noDelay: true },
    (request, response) => {
      requests += 1;
      const exchange = open(rooms, request, response, requests, numberOf(request.socket));
      enter(rooms, exchange).catch((problem: unknown) => {
        // Closing the service removes the store while requests run: not worth reporting.
        const isNews = !(problem instanceof ClientGone) && server.listening;
        if (isNews) process.stderr.write(`${String(problem)}\n`);
        response.destroy();
      });
    },
  );
  return server;
}

function open(
  rooms: Rooms,
  request: IncomingMessage,
  response: ServerResponse,
  id: number,
  connection: number,
): Exchange {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const method = request.method ?? 'GET';
  const outage = rooms.outages.take(method, path);
  const fault = outage ?? rooms.faults.take(method, path);
  const length = request.headers['content-length'];
  const entry: LogEntry = {
    id,
    at: rooms.clock.now(),
    method,
    path,
    query,
    queryNames: [...query.keys()],
    rawHeaders: request.rawHeaders,
    connection,
    declaredBytes: length === undefined ? null : Number(length),
    receivedBytes: 0,
    status: null,
    durationMs: 0,
    fault: outage === null ? (fault?.kind ?? null) : `outage ${outage.kind}`,
  };
  dateAnswer(rooms, response);
  const exchange = { method, path, query, request, response, entry, fault, clock: rooms.clock };
  keepExchange(exchange);
  follow(rooms, exchange);
  return exchange;
}

/** Logs the request now, and its outcome when it is over. */
function follow(rooms: Rooms, exchange: Exchange): void {
  const { log } = rooms;
  const { entry, response } = exchange;
  const began = performance.now();
  log.add(entry);
  log.inFlight.now += 1;
  log.inFlight.most = Math.max(log.inFlight.most, log.inFlight.now);
  response.on('close', () => {
    log.inFlight.now -= 1;
    entry.status = response.headersSent ? response.statusCode : null;
    entry.durationMs = performance.now() - began;
    rooms.onDone(entry);
    rooms.hooks.after(entry);
  });
}

/** Sets the date when the answer's head is written: Node's own date would be this computer's. */
function dateAnswer(rooms: Rooms, response: ServerResponse): void {
  response.sendDate = false;
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...given: readonly unknown[]) => {
    if (rooms.statesDate()) response.setHeader('date', new Date(rooms.clock.now()).toUTCString());
    Reflect.apply(writeHead, response, given);
    return response;
  };
}

async function enter(rooms: Rooms, exchange: Exchange): Promise<void> {
  if (rooms.latencyMs > 0) await rooms.clock.wait(rooms.latencyMs);
  await rooms.hooks.before(exchange);
  if (exchange.fault === null) await rooms.before(exchange.entry);
  if (exchange.fault !== null && !(await applyFault(exchange))) return;
  if (exchange.path.startsWith('/storage/')) return rooms.storage(exchange);
  rooms.api(exchange.request, exchange.response);
}
