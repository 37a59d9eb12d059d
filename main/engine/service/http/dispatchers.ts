/** The parts of undici that Sluice uses: its main module also loads fetch, WebSocket and caches, 90 ms of an uncached start. */
import connect from 'undici/lib/api/api-connect.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';

// The main module does this for all methods; opening a tunnel through a proxy needs this one.
Object.assign(DispatcherBase.prototype, { connect });

export type { Dispatcher } from 'undici';
export { Pool, ProxyAgent };
