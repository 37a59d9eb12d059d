/** The routes to an origin according to the system: its proxy settings and its PAC file. */
import { session } from 'electron';
import { type Route, routesOfPac } from '../../engine/core/proxyRoutes.ts';

/**
 * Follows the system's answer, even if that is a direct connection. The environment variables apply until the system has answered, and
 * whenever its answer is unusable. `onChange` is called when a lookup changes the routes.
 */
export function createProxies(fromEnvironment: (origin: string) => Route, onChange: () => void) {
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
    /** The routes known now; an unknown origin is looked up in the background. */
    routesFor: (origin: string) => {
      const found = known.get(origin);
      if (found !== undefined) return found;
      void lookUp(origin);
      return [fromEnvironment(origin)];
    },
    /** Asks the system. Never rejects. */
    lookUp,
  };
}

export type Proxies = ReturnType<typeof createProxies>;
