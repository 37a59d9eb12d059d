/** Runs in the page's own world before the page: receives the bridge and keeps window.open inside. */
import { startBridge } from './bridge.ts';

/** Prepares the page's world. Sent into the page as source text, so it uses nothing but `startBridge`. */
export function startPageWorld(token: string): void {
  if (window !== window.top) return;
  const end = startBridge(token, '>page', '>preload', (message) => {
    if (Reflect.get(message, 'op') !== 'expose') return;
    const value = end.unwrap(Reflect.get(message, 'value'), true);
    Object.defineProperty(window, String(Reflect.get(message, 'key')), {
      value,
      enumerable: true,
      writable: false,
      configurable: false,
    });
  });
  // The host decides about new windows only after this call must return; null is what a refusal returns.
  window.open = (url, target, features) => {
    const href = new URL(String(url ?? 'about:blank'), document.baseURI).href;
    end.send({ op: 'open', href, target: target ?? '', features: features ?? '' });
    return null;
  };
}
