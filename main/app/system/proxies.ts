/** Which proxy leads to an origin, as the system says (its settings, its PAC file), else as the usual variables say. */
import { session } from 'electron';

export interface Proxies {
  /** What is known now; an origin that was never asked for is asked for in the background. */
  urlFor(origin: string): string | null;
  /** Asks the system. */
  learn(origin: string): Promise<void>;
}

/** The first way of a PAC answer; null for a direct one or a kind that we do not speak. Pure. */
export function proxyUrlOf(answer: string): string | null {
  const [first = ''] = answer.split(';');
  const found = /^\s*(PROXY|HTTPS)\s+(\S+)\s*$/i.exec(first);
  if (found === null) return null;
  const scheme = found[1]?.toUpperCase() === 'HTTPS' ? 'https' : 'http';
  return `${scheme}://${found[2] ?? ''}`;
}

/** Makes the memory. `changed` is called when an answer differs from what was used before. */
export function createProxies(
  fromEnvironment: (origin: string) => string | null,
  changed: () => void,
): Proxies {
  const known = new Map<string, string | null>();
  const learn = async (origin: string): Promise<void> => {
    let told: string | null = null;
    try {
      told = proxyUrlOf(await session.defaultSession.resolveProxy(origin));
    } catch {
      // The system does not say: the variables hold.
    }
    const now = told ?? fromEnvironment(origin);
    const before = known.has(origin) ? known.get(origin) : fromEnvironment(origin);
    known.set(origin, now);
    if (before !== now) changed();
  };
  return {
    urlFor: (origin) => {
      const found = known.get(origin);
      if (found !== undefined) return found;
      void learn(origin);
      return fromEnvironment(origin);
    },
    learn,
  };
}
