/** Which view is shown, with back and forward. */
import { onPush } from './bridge.ts';
import { formatRoute, parseRoute, type Route, type ViewName } from './route.ts';

let current = $state.raw<Route>(parseRoute(''));

export function route(): Route {
  return current;
}

/** Goes to a view; `id` opens the detail. */
export function go(view: ViewName, id: string | null = null, params: Route['params'] = {}): void {
  const next = { view, id, params };
  if (formatRoute(next) === formatRoute(current)) return;
  current = next;
  history.pushState(null, '', `#/${formatRoute(next)}`);
}

/** Changes the detail or its parameters without adding a history entry. */
export function replaceRoute(id: string | null, params: Route['params'] = {}): void {
  current = { view: current.view, id, params };
  history.replaceState(null, '', `#/${formatRoute(current)}`);
}

/** Starts following the address and what main asks for; returns a function that stops it. */
export function followRoutes(): () => void {
  const read = (): void => {
    current = parseRoute(location.hash);
  };
  read();
  window.addEventListener('popstate', read);
  const stop = onPush('navigate', ({ to }) => {
    const { view, id, params } = parseRoute(to);
    go(view, id, params);
  });
  return () => {
    window.removeEventListener('popstate', read);
    stop();
  };
}
