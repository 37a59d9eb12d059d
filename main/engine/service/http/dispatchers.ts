/**
 * The two parts of undici that Sluice uses. Its entry also loads fetch, WebSocket, caches and mocks: half of the bundle,
 * and 90 ms of an uncached start.
 */
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

export type { Dispatcher } from 'undici';
export { Pool, ProxyAgent };
