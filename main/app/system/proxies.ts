/** The ways to an origin that the system knows: its proxy settings, its PAC file. */
import { session } from 'electron';
import { type Route, routesOfPac } from '../../engine/core/proxyRoutes.ts';

export interface Proxies {
  /** What is known now; an unknown origin is looked up in the background. */
  routesFor(origin: string): readonly Route[];
  /** Asks the system. Never rejects. */
  lookUp(origin: string): Promise<void>;
}

/**
 * What the system says is done, a direct connection too; the environment variables apply until it has answered, and where it answers
 * nothing that can be used. `onChange` is called when a lookup differs from what was used before.
 */
export function createProxies(
  fromEnvironment: (origin: string) => Route,
  onChange: () => void,
): Proxies {
  const known = new Map<string, readonly Route[]>();
  const lookUp = async (origin: string): Promise<void> => {
    let routes: readonly Route[] = [];
    try {
      routes = routesOfPac(await session.defaultSession.resolveProxy(origin));
    } catch {
      // No answer from the system: the variables apply.
    }
    const before = known.get(origin) ?? [fromEnvironment(origin)];
    const now = routes.length === 0 ? [fromEnvironment(origin)] : routes;
    known.set(origin, now);
    if (before.join(' ') !== now.join(' ')) onChange();
  };
  return {
    routesFor: (origin) => {
      const found = known.get(origin);
      if (found !== undefined) return found;
      void lookUp(origin);
      return [fromEnvironment(origin)];
    },
    lookUp,
  };
}
