/** Requests through a proxy, with undici: tunnels, HTTPS proxies, SOCKS5. Loaded on demand, without the rest of its main module. */
import connect from 'undici/lib/api/api-connect.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { Dispatcher } from 'undici';
import { trustedContext } from './certificates.ts';
import { CONNECT_MS, CONNECTIONS, IDLE_MAX_MS, IDLE_MS } from './connectionLimits.ts';
import type { Transport, TransportHandler } from './transport.ts';

// undici's main module adds all methods to the prototype; opening a tunnel needs only this one.
Object.assign(DispatcherBase.prototype, { connect });

export { ProxyAgent };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

function plainHeaders(headers: Headers): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    plain[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

function handlerOf(handler: TransportHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller) => handler.onRequestStart(controller),
    onBodySent: () => handler.onBodySent(),
    onResponseStart: (_controller, status, headers) =>
      handler.onResponseStart(status, plainHeaders(headers)),
    onResponseData: (_controller, chunk) => handler.onResponseData(chunk),
    onResponseEnd: () => handler.onResponseEnd(),
    onResponseError: (_controller, error) => handler.onResponseError(error),
  };
}

/** Creates the transport to an origin through a proxy. `caPem`: certificates to trust in addition to the usual ones. */
export function createProxyTransport(origin: URL, proxy: string, caPem: string | null): Transport {
  const isSafe = origin.protocol === 'https:' || proxy.startsWith('https:');
  const tls = isSafe ? { secureContext: trustedContext(caPem) } : {};
  const agent = new ProxyAgent({
    uri: proxy,
    requestTls: tls,
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    connectTimeout: CONNECT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    autoSelectFamily: true,
    // Only set for https proxies: undici would otherwise speak TLS to a SOCKS proxy as well.
    ...(proxy.startsWith('https:') ? { proxyTls: tls } : {}),
  });
  return {
    dispatch({ body, ...request }, handler) {
      const rest = { origin: origin.origin, headersTimeout: 0, bodyTimeout: 0 };
      const options: Dispatcher.DispatchOptions = { ...request, ...rest };
      // undici accepts any async iterable as a body, though its types do not say so.
      agent.dispatch(Object.assign(options, { body }), handlerOf(handler));
    },
    close: () => agent.close(),
    destroy: () => agent.destroy(),
  };
}
