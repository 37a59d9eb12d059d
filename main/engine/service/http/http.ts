/**
 * The one HTTP client: the Http port on undici, one pool of kept-alive connections per origin. undici is loaded with the
 * first request: it is most of the code of a bundle, and many commands ask nobody.
 */
import { getCACertificates } from 'node:tls';

import type { Http, HttpFailure, NetworkFault } from '../../core/ports.ts';
import type * as Dispatchers from './dispatchers.ts';
import { exchange } from './exchange.ts';
import { detailOf, faultOf } from './httpFaults.ts';
import { expectEmpty } from './outgoingBody.ts';
import { isLoopback } from '../../core/plainHttp.ts';

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
  /** Address of the proxy for an origin, null for none; never asked for this computer itself. */
  readonly proxyUrlFor?: (origin: string) => string | null;
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

function connectOptions(options: HttpOptions): Record<string, unknown> {
  if (options.caPem === undefined) return {};
  return { ca: [...getCACertificates('default'), options.caPem] };
}

function openDispatcher(
  { Pool, ProxyAgent }: typeof Dispatchers,
  origin: string,
  options: HttpOptions,
): Dispatchers.Dispatcher {
  const connect = connectOptions(options);
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
  const proxy = isLoopback(new URL(origin).hostname) ? null : options.proxyUrlFor?.(origin);
  if (proxy === null || proxy === undefined) return new Pool(origin, { ...shared, connect });
  return new ProxyAgent({ ...shared, uri: proxy, requestTls: connect, proxyTls: connect });
}

/** Makes the client. Redirects are never followed; stalls, aborts and cut bodies are told as failures, never thrown. */
export function createHttp(options: HttpOptions = {}): HttpClient {
  let parts: typeof Dispatchers | null = null;
  const dispatchers = new Map<string, Dispatchers.Dispatcher>();
  const retiring = new Set<Dispatchers.Dispatcher>();

  function retire(origin: string, dispatcher: Dispatchers.Dispatcher): void {
    dispatchers.delete(origin);
    retiring.add(dispatcher);
    const gone = (): boolean => retiring.delete(dispatcher);
    dispatcher.close().then(gone, gone);
  }

  function dispatcherFor(from: typeof Dispatchers, origin: string): Dispatchers.Dispatcher {
    const known = dispatchers.get(origin);
    if (known !== undefined) return known;
    const oldest = dispatchers.entries().next().value;
    if (oldest !== undefined && dispatchers.size >= MAX_ORIGINS) retire(...oldest);
    const opened = openDispatcher(from, origin, options);
    dispatchers.set(origin, opened);
    return opened;
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
        parts ??= await import('./dispatchers.ts');
        return await exchange(dispatcherFor(parts, url.origin), url, request);
      } catch (error) {
        return refused(faultOf(error), detailOf(error));
      }
    },
    reset() {
      for (const [origin, dispatcher] of [...dispatchers]) retire(origin, dispatcher);
    },
    async close() {
      const open = [...dispatchers.values(), ...retiring];
      dispatchers.clear();
      await Promise.all(open.map((dispatcher) => dispatcher.destroy().catch(() => undefined)));
    },
  };
}
