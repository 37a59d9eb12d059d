/** Routes to an origin, as a system's proxy settings name them. Pure. */

/** A route to an origin: the address of a proxy, or null for a direct connection. */
export type Route = string | null;

const PAC_SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks5',
  SOCKS5: 'socks5',
};

/**
 * The routes that a PAC result names, best first; entries of unknown kinds are left out. Empty when none is known. Source: MDN,
 * "Proxy Auto-Configuration file", return value format. SOCKS without a number is tried as version 5.
 */
export function routesOfPac(answer: string): readonly Route[] {
  return answer.split(';').flatMap((entry): readonly Route[] => {
    const [kind = '', place = ''] = entry.trim().split(/\s+/);
    if (/^direct$/i.test(kind)) return [null];
    const scheme = PAC_SCHEMES[kind.toUpperCase()];
    return scheme === undefined || place === '' ? [] : [`${scheme}://${place}`];
  });
}
