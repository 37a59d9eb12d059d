/**
 * Connections that are kept open, by origin and route, and one attempt of a request over them. The code for connections is loaded on
 * demand, because many commands send no request.
 */
import type { HttpAnswer, HttpFailure, HttpRequest, NetworkFault } from '../../core/ports.ts';
import type { Route } from '../../core/proxyRoutes.ts';
import { exchange } from './exchange.ts';
import { detailOf, faultOf } from './httpFaults.ts';
import type { Transport } from './transport.ts';

/** Most origins with their own connections; further ones replace the oldest. Our choice: a service has two or three. */
const MAX_ORIGINS = 32;

/** The failure of a request that never left. */
export function refused(fault: NetworkFault, detail: string): HttpFailure {
  return { kind: 'failure', fault, maybeSent: false, detail };
}

/** If a request through a proxy did not leave, these faults are the proxy's: only the proxy was looked up and connected to. */
const OF_THE_PROXY: readonly NetworkFault[] = ['refused', 'unresolved', 'lost', 'timeout'];

/** The end of a request through a proxy: if the request did not get through the proxy, that is not the service's fault. */
function throughProxy(end: HttpAnswer | HttpFailure): HttpAnswer | HttpFailure {
  const hasLeft = end.kind === 'answer' || end.maybeSent || end.begun === true;
  return hasLeft || !OF_THE_PROXY.includes(end.fault) ? end : { ...end, fault: 'proxy' };
}

async function openTransport(
  origin: string,
  route: Route,
  caPem: string | null,
): Promise<Transport> {
  const url = new URL(origin);
  if (route === null) return (await import('./direct/directPool.ts')).createDirectPool(url, caPem);
  const { createProxyTransport } = await import('./proxyTransport.ts');
  return createProxyTransport(url, route, caPem);
}

/** Makes the connections of a thread; none is opened yet. `caPem`: certificates to trust in addition to the usual ones. */
export function createConnections(caPem: string | null) {
  const open = new Map<string, Promise<Transport>>();
  const retiring = new Set<Transport>();
  const retire = (key: string, opened: Promise<Transport>): void => {
    open.delete(key);
    void opened.then(
      async (transport) => {
        retiring.add(transport);
        await transport.close().catch(() => undefined);
        retiring.delete(transport);
      },
      // The request that needed it has failed.
      () => undefined,
    );
  };
  const transportTo = (origin: string, route: Route): Promise<Transport> => {
    const key = `${origin} ${route ?? ''}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const oldest = open.entries().next().value;
    if (oldest !== undefined && open.size >= MAX_ORIGINS) retire(...oldest);
    const opened = openTransport(origin, route, caPem);
    open.set(key, opened);
    // Loading the code may fail for a while, for example when there are no free file descriptors.
    opened.catch(() => open.delete(key));
    return opened;
  };
  return {
    /** One attempt over a route. Never rejects. */
    request: async (url: URL, route: Route, request: HttpRequest) => {
      const end = await transportTo(url.origin, route).then(
        (transport) => exchange(transport, url, request),
        (error: unknown) => refused(faultOf(error), detailOf(error)),
      );
      return route === null ? end : throughProxy(end);
    },
    /** Drops idle connections; running requests continue. */
    retire: () => {
      for (const [key, opened] of [...open]) retire(key, opened);
    },
    close: async () => {
      const opened = await Promise.allSettled(open.values());
      const all = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      open.clear();
      await Promise.all(
        [...all, ...retiring].map((transport) => transport.destroy().catch(() => undefined)),
      );
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
