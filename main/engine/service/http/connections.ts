/**
 * Connections kept open by origin and route, and one attempt of a request over them. undici is loaded with the first request:
 * it is most of the code of a bundle, and many commands send no request.
 */
import type { HttpAnswer, HttpFailure, HttpRequest, NetworkFault } from '../../core/ports.ts';
import type { Route } from '../../core/proxyRoutes.ts';
import { READ_BYTES, readInto } from '../../core/receiveMemory.ts';
import { trustedCertificates } from './certificates.ts';
import type * as Dispatchers from './dispatchers.ts';
import { exchange } from './exchange.ts';
import { detailOf, faultOf } from './httpFaults.ts';

/** Most connections to one origin: more than all lanes together, so that nothing waits here. Our choice. */
const CONNECTIONS = 64;
/** How long an idle connection is kept, in ms: well under the 5 s after which common servers close theirs. */
const IDLE_MS = 4000;
/** Upper limit for a server's own keep-alive hint, in ms. Our choice. */
const IDLE_MAX_MS = 60_000;
/** A connection must be established within this time, in ms. Our choice. */
const CONNECT_MS = 30_000;
/** Most origins with their own pool; further ones replace the oldest. Our choice: a service has two or three. */
const MAX_ORIGINS = 32;

export interface ConnectionOptions {
  /** Certificates to trust in addition to the usual ones, PEM. */
  readonly caPem?: string;
}

/** The connections of one thread. */
export interface Connections {
  /** One attempt over a route. Never rejects. */
  request(url: URL, route: Route, request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  /** Drops idle connections; running requests continue. */
  retire(): void;
  close(): Promise<void>;
}

/** The failure of a request that never left. */
export function refused(fault: NetworkFault, detail: string): HttpFailure {
  return { kind: 'failure', fault, maybeSent: false, detail };
}

function openDispatcher(
  { Pool, ProxyAgent }: typeof Dispatchers,
  origin: string,
  route: Route,
  options: ConnectionOptions,
): Dispatchers.Dispatcher {
  const isSafe = origin.startsWith('https:') || route?.startsWith('https:') === true;
  const connect = isSafe ? { ca: trustedCertificates(options.caPem ?? null) } : {};
  const shared = {
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    connectTimeout: CONNECT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    autoSelectFamily: true,
  };
  if (route === null) {
    const onread = readInto(isSafe ? READ_BYTES.encrypted : READ_BYTES.plain);
    return new Pool(origin, { ...shared, connect: { ...connect, onread } });
  }
  // undici speaks TLS to a SOCKS proxy as soon as this is set.
  const proxyTls = route.startsWith('https:') ? { proxyTls: connect } : {};
  return new ProxyAgent({ ...shared, uri: route, requestTls: connect, ...proxyTls });
}

/** Makes the connections of a thread; none is opened yet. */
export function createConnections(options: ConnectionOptions): Connections {
  let parts: typeof Dispatchers | null = null;
  const open = new Map<string, Dispatchers.Dispatcher>();
  const retiring = new Set<Dispatchers.Dispatcher>();
  const retire = (key: string, dispatcher: Dispatchers.Dispatcher): void => {
    open.delete(key);
    retiring.add(dispatcher);
    const gone = (): boolean => retiring.delete(dispatcher);
    dispatcher.close().then(gone, gone);
  };
  const dispatcherTo = async (origin: string, route: Route): Promise<Dispatchers.Dispatcher> => {
    parts ??= await import('./dispatchers.ts');
    const key = `${origin} ${route ?? ''}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const oldest = open.entries().next().value;
    if (oldest !== undefined && open.size >= MAX_ORIGINS) retire(...oldest);
    const opened = openDispatcher(parts, origin, route, options);
    open.set(key, opened);
    return opened;
  };
  return {
    request: async (url, route, request) => {
      try {
        return await exchange(await dispatcherTo(url.origin, route), url, request);
      } catch (error) {
        return refused(faultOf(error), detailOf(error));
      }
    },
    retire: () => {
      for (const [key, dispatcher] of [...open]) retire(key, dispatcher);
    },
    close: async () => {
      const all = [...open.values(), ...retiring];
      open.clear();
      await Promise.all(all.map((dispatcher) => dispatcher.destroy().catch(() => undefined)));
    },
  };
}
