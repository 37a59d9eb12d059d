/** Which proxy a request goes through when the usual environment variables say. */

import { isLoopback } from '../../core/plainHttp.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function variable(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
}

/** One entry of NO_PROXY: a host, a domain with or without a leading dot, either with a port, or "*". */
function matches(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const parts = /^(\[[^\]]+\]|[^:]+|.*:.*:.*)(?::(\d+))?$/.exec(entry);
  const name = parts?.[1];
  if (name === undefined) return false;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  if (parts?.[2] !== undefined && parts[2] !== port) return false;
  const domain = name.replace(/^\*?\./, '').toLowerCase();
  const host = url.hostname.toLowerCase();
  return host === domain || host === `[${domain}]` || host.endsWith(`.${domain}`);
}

/** Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY (lower case goes first); answers the proxy's address for an origin, or null. */
export function proxyFromEnvironment(environment: Environment): (origin: string) => string | null {
  const exceptions = variable(environment, 'NO_PROXY')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  return (origin) => {
    if (!URL.canParse(origin)) return null;
    const url = new URL(origin);
    const proxy = variable(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
    if (proxy === '' || isLoopback(url.hostname)) return null;
    if (exceptions.some((entry) => matches(entry, url))) return null;
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  };
}
