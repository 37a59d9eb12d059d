/** The proxy for an origin: from the system (its settings, its PAC file), else from the usual environment variables. */
import { session } from 'electron';

export interface Proxies {
  /** What is known now; an unknown origin is looked up in the background. */
  urlFor(origin: string): string | null;
  /** Asks the system. Never rejects. */
  lookUp(origin: string): Promise<void>;
}

/** The first entry of a PAC result; null for DIRECT or an unsupported kind. Pure. */
export function proxyUrlOf(answer: string): string | null {
  const [first = ''] = answer.split(';');
  const found = /^\s*(PROXY|HTTPS)\s+(\S+)\s*$/i.exec(first);
  if (found === null) return null;
  const scheme = found[1]?.toUpperCase() === 'HTTPS' ? 'https' : 'http';
  return `${scheme}://${found[2] ?? ''}`;
}

/** `onChange` is called when a lookup differs from what was used before. */
export function createProxies(
  fromEnvironment: (origin: string) => string | null,
  onChange: () => void,
): Proxies {
  const known = new Map<string, string | null>();
  const lookUp = async (origin: string): Promise<void> => {
    let fromSystem: string | null = null;
    try {
      fromSystem = proxyUrlOf(await session.defaultSession.resolveProxy(origin));
    } catch {
      // No answer from the system: the variables apply.
    }
    const now = fromSystem ?? fromEnvironment(origin);
    const before = known.has(origin) ? known.get(origin) : fromEnvironment(origin);
    known.set(origin, now);
    if (before !== now) onChange();
  };
  return {
    urlFor: (origin) => {
      const found = known.get(origin);
      if (found !== undefined) return found;
      void lookUp(origin);
      return fromEnvironment(origin);
    },
    lookUp,
  };
}
