/** The proxy for a request, as the usual environment variables say. */
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../core/plainHttp.ts';
import type { Route } from '../../core/proxyRoutes.ts';
import type { Environment } from '../../core/ports.ts';

function variable(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
}

/** The port of an address, including the default one. */
function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** True for an address within a range such as 10.0.0.0/8; names are not looked up. */
function inRange(range: string, host: string): boolean {
  const [base = '', prefix = ''] = range.split('/');
  const [family, own] = [isIP(base), isIP(host)];
  const bits = Number(prefix);
  const isRange = /^\d{1,3}$/.test(prefix) && family !== 0 && bits <= (family === 4 ? 32 : 128);
  if (!isRange || own !== family) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(base, bits, type);
  return list.check(host, type);
}

/** Matches one entry of NO_PROXY: a host or a domain (with or without a leading dot), either with a port, an address range, or "*". */
function matches(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (entry.includes('/')) return inRange(entry, host);
  const parts = /^(\[[^\]]+\]|[^:]+|.*:.*:.*)(?::(\d+))?$/.exec(entry);
  const name = parts?.[1];
  if (name === undefined) return false;
  if (parts?.[2] !== undefined && parts[2] !== portOf(url)) return false;
  const domain = name
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .toLowerCase();
  return host === domain || host.endsWith(`.${domain}`);
}

/**
 * A proxy's address with a scheme; all spellings of SOCKS become socks5. Any other text is kept: then a request fails instead of bypassing
 * the proxy.
 */
function proxyAddress(given: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  return address.replace(/^socks(?:5h?)?:/i, 'socks5:');
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY (lower case first). Returns the proxy for an origin; null if there is none, and for
 * this computer.
 */
export function proxyFromEnvironment(environment: Environment): (origin: string) => Route {
  const exceptions = variable(environment, 'NO_PROXY')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  return (origin) => {
    if (!URL.canParse(origin)) return null;
    const url = new URL(origin);
    const own = variable(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
    const proxy = own === '' ? variable(environment, 'ALL_PROXY') : own;
    if (proxy === '' || isLoopback(url.hostname)) return null;
    if (exceptions.some((entry) => matches(entry, url))) return null;
    return proxyAddress(proxy);
  };
}
