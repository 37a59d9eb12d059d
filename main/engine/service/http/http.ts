/** The only HTTP client: the Http port, which finds a route to each origin. */
import type { Http, HttpRequest, NetworkFault } from '../../core/ports.ts';
import { isLoopback } from '../../core/plainHttp.ts';
import type { Route } from '../../core/proxyRoutes.ts';
import { createConnections, refused } from './connections.ts';
import { detailOf, faultOf } from './httpFaults.ts';
import { expectEmpty } from './outgoingBody.ts';

export interface HttpOptions {
  /** Certificates to trust in addition to the usual ones, PEM. */
  readonly caPem?: string;
  /** The routes to an origin, best first; never called for this computer itself. */
  readonly routesFor?: (origin: string) => readonly Route[];
}

/** The Http port, plus what only its owner needs. */
export interface HttpClient extends Http {
  /** Drops idle connections, for use after sleep or a change of network; running requests continue. */
  reset(): void;
}

/** Faults after which another route may reach the service. */
const MAY_GO_AROUND: readonly NetworkFault[] = [
  'refused',
  'unresolved',
  'offline',
  'timeout',
  'proxy',
];

/** Makes the client. It never follows redirects. Stalls, aborts and cut bodies are returned as failures, never thrown. */
export function createHttp(options: HttpOptions = {}): HttpClient {
  const caPem = options.caPem ?? null;
  const connections = createConnections(caPem);
  /** Counts resets, so that other threads drop their connections, too. */
  let generation = 0;
  /** The last route that reached each origin. */
  const worked = new Map<string, Route>();

  function routesTo({ origin, hostname }: URL): readonly Route[] {
    const routes = isLoopback(hostname) ? [] : (options.routesFor?.(origin) ?? []);
    const good = worked.get(origin);
    if (good === undefined || !routes.includes(good)) return routes.length === 0 ? [null] : routes;
    return [good, ...routes.filter((route) => route !== good)];
  }

  /** One attempt, by the thread that reads the body if there is one. */
  function attempt(url: URL, route: Route, request: HttpRequest): ReturnType<Http['request']> {
    const { body } = request;
    if (body === null || !('sendFrom' in body) || body.sendFrom === undefined)
      return connections.request(url, route, request);
    return body.sendFrom({ route, generation, caPem }, request);
  }

  /** Takes the first route, and the next one when a proxy or the direct connection cannot be reached. */
  async function along(
    url: URL,
    [route = null, ...others]: readonly Route[],
    request: HttpRequest,
  ): ReturnType<Http['request']> {
    const end = await attempt(url, route, request);
    const isStuck = end.kind === 'failure' && !end.maybeSent && MAY_GO_AROUND.includes(end.fault);
    if (isStuck && others.length > 0 && end.begun !== true && !request.signal.aborted)
      return along(url, others, request);
    if (!isStuck) worked.set(url.origin, route);
    return end;
  }

  return {
    async request(request) {
      try {
        const url = URL.parse(request.url);
        if (url === null) return refused('unresolved', 'no valid address');
        if (!/^https?:$/.test(url.protocol)) return refused('refused', 'neither http nor https');
        const { body } = request;
        if (body !== null && !(body instanceof Uint8Array) && body.lengthBytes === 0)
          await expectEmpty(body);
        return await along(url, routesTo(url), request);
      } catch (error) {
        return refused(faultOf(error), detailOf(error));
      }
    },
    reset() {
      generation += 1;
      worked.clear();
      connections.retire();
    },
    close: () => connections.close(),
  };
}
