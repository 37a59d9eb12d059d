/**
 * The one HTTP client: the Http port on undici, one pool of kept-alive connections per origin. undici is loaded with the
 * first request: it is most of the code of a bundle, and many commands ask nobody.
 */
import type { Http, HttpFailure, HttpRequest, NetworkFault } from '../../core/ports.ts';
import { trustedCertificates } from './certificates.ts';
import type * as Dispatchers from './dispatchers.ts';
import { exchange } from './exchange.ts';
import { detailOf, faultOf } from './httpFaults.ts';
import { expectEmpty } from './outgoingBody.ts';
import { isLoopback } from '../../core/plainHttp.ts';
import type { Route } from '../../core/proxyRoutes.ts';

/** Connections to one origin; more than all lanes together, so that nothing waits here. Ours. */
const CONNECTIONS = 64;
/** An idle connection is kept this long, ms: well under the 5 s after which common servers close theirs. */
const IDLE_MS = 4000;
/** The longest that a server's own keep-alive hint is believed, ms. Ours. */
const IDLE_MAX_MS = 60_000;
/** A connection must stand within this time, ms. Ours. */
const CONNECT_MS = 30_000;
/** Origins with a pool of their own; the oldest goes when more come. Ours: a service has two or three. */
const MAX_ORIGINS = 32;

export interface HttpOptions {
  /** The ways to an origin, best first; never asked for this computer itself. */
  readonly routesFor?: (origin: string) => readonly Route[];
  /** Certificates to trust beside the usual ones, PEM. */
  readonly caPem?: string;
  /** Most connections to one origin. */
  readonly connections?: number;
}

/** The Http port with what only its owner needs. */
export interface HttpClient extends Http {
  /** Drops idle connections, for use after sleep or a change of network; running requests go on. */
  reset(): void;
}

function refused(fault: NetworkFault, detail: string): HttpFailure {
  return { kind: 'failure', fault, maybeSent: false, detail };
}

function openDispatcher(
  { Pool, ProxyAgent }: typeof Dispatchers,
  origin: string,
  route: Route,
  options: HttpOptions,
): Dispatchers.Dispatcher {
  const isSafe = origin.startsWith('https:') || route?.startsWith('https:') === true;
  const connect = isSafe ? { ca: trustedCertificates(options.caPem ?? null) } : {};
  const shared = {
    connections: options.connections ?? CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    connectTimeout: CONNECT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    autoSelectFamily: true,
  };
  if (route === null) return new Pool(origin, { ...shared, connect });
  // undici speaks TLS to a SOCKS proxy as soon as this is set.
  const proxyTls = route.startsWith('https:') ? { proxyTls: connect } : {};
  return new ProxyAgent({ ...shared, uri: route, requestTls: connect, ...proxyTls });
}

/** Faults after which another way may lead to the service. */
const MAY_GO_AROUND: readonly NetworkFault[] = ['refused', 'unresolved', 'offline', 'timeout'];

/** A request whose body tells whether it was asked for: what was begun on one way cannot be repeated on another. */
function watched(request: HttpRequest): { readonly request: HttpRequest; begun(): boolean } {
  const { body } = request;
  if (body === null || body instanceof Uint8Array) return { request, begun: () => false };
  let begun = false;
  const chunks = (): AsyncIterable<Uint8Array> => {
    begun = true;
    return body.chunks();
  };
  return { request: { ...request, body: { ...body, chunks } }, begun: () => begun };
}

/** The connections that are kept, by origin and route. */
interface Pools {
  of(origin: string, route: Route): Promise<Dispatchers.Dispatcher>;
  /** Lets go of idle connections; running requests go on. */
  retire(): void;
  close(): Promise<void>;
}

function createPools(options: HttpOptions): Pools {
  let parts: typeof Dispatchers | null = null;
  const open = new Map<string, Dispatchers.Dispatcher>();
  const retiring = new Set<Dispatchers.Dispatcher>();
  const retire = (key: string, dispatcher: Dispatchers.Dispatcher): void => {
    open.delete(key);
    retiring.add(dispatcher);
    const gone = (): boolean => retiring.delete(dispatcher);
    dispatcher.close().then(gone, gone);
  };
  return {
    of: async (origin, route) => {
      parts ??= await import('./dispatchers.ts');
      const key = `${origin} ${route ?? ''}`;
      const known = open.get(key);
      if (known !== undefined) return known;
      const oldest = open.entries().next().value;
      if (oldest !== undefined && open.size >= MAX_ORIGINS) retire(...oldest);
      const opened = openDispatcher(parts, origin, route, options);
      open.set(key, opened);
      return opened;
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

/** Makes the client. Redirects are never followed; stalls, aborts and cut bodies are told as failures, never thrown. */
export function createHttp(options: HttpOptions = {}): HttpClient {
  const pools = createPools(options);
  /** The way that led to an origin last. */
  const worked = new Map<string, Route>();

  function routesTo({ origin, hostname }: URL): readonly Route[] {
    const routes = isLoopback(hostname) ? [] : (options.routesFor?.(origin) ?? []);
    const good = worked.get(origin);
    if (good === undefined || !routes.includes(good)) return routes.length === 0 ? [null] : routes;
    return [good, ...routes.filter((route) => route !== good)];
  }

  async function attempt(
    url: URL,
    route: Route,
    request: HttpRequest,
  ): ReturnType<Http['request']> {
    try {
      return await exchange(await pools.of(url.origin, route), url, request);
    } catch (error) {
      return refused(faultOf(error), detailOf(error));
    }
  }

  /** Takes the first way, and the next one when a proxy or the direct connection does not stand. */
  async function along(
    url: URL,
    [route = null, ...others]: readonly Route[],
    given: HttpRequest,
  ): ReturnType<Http['request']> {
    const { request, begun } = watched(given);
    const end = await attempt(url, route, request);
    const isStuck = end.kind === 'failure' && !end.maybeSent && MAY_GO_AROUND.includes(end.fault);
    if (isStuck && others.length > 0 && !begun() && !given.signal.aborted)
      return along(url, others, given);
    if (!isStuck) worked.set(url.origin, route);
    return end;
  }

  return {
    async request(request) {
      try {
        if (!URL.canParse(request.url)) return refused('unresolved', 'no valid address');
        const url = new URL(request.url);
        if (!/^https?:$/.test(url.protocol)) return refused('refused', 'neither http nor https');
        if (request.body !== null && !(request.body instanceof Uint8Array)) {
          if (request.body.lengthBytes === 0) await expectEmpty(request.body);
        }
        return await along(url, routesTo(url), request);
      } catch (error) {
        return refused(faultOf(error), detailOf(error));
      }
    },
    reset() {
      worked.clear();
      pools.retire();
    },
    close: () => pools.close(),
  };
}
