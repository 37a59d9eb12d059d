/** The page server of `npm run dev`: Vite with hot replacement, on a free local port. */
import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { createServer, normalizePath, type Plugin } from 'vite';
import { ROOT } from '../runStage.ts';

const STATE = normalizePath(join(ROOT, 'renderer/state/'));

function isFullReload(message: unknown): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    Reflect.get(message, 'type') === 'full-reload'
  );
}

/** The window keeps its state in modules: reloading only some of them would make it inconsistent. */
function reloadsState(reload: () => void): Plugin {
  return {
    name: 'sluice-reloads-state',
    configureServer({ environments }) {
      const { hot } = environments.client;
      const { send } = hot;
      Reflect.set(hot, 'send', (...message: readonly unknown[]) => {
        if (isFullReload(message[0])) reload();
        else Reflect.apply(send, hot, message);
      });
    },
    hotUpdate({ file }) {
      if (!file.startsWith(STATE)) return undefined;
      reload();
      return [];
    },
  };
}

/** Starts the server; `reload` is called when the whole page must be reloaded. */
export async function startPageServer(reload: () => void) {
  const http = createHttpServer();
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const nonce = randomBytes(16).toString('base64');
  const vite = await createServer({
    configFile: join(ROOT, 'build/vite.renderer.config.ts'),
    base: '/',
    cacheDir: join(ROOT, 'out/dev-cache'),
    html: { cspNonce: nonce },
    plugins: [reloadsState(reload)],
    server: {
      middlewareMode: true,
      hmr: { server: http, protocol: 'ws', host: '127.0.0.1', clientPort: port },
      fs: { allow: [ROOT] },
    },
  });
  http.on('request', vite.middlewares);
  return {
    /** What the application needs to know about it. */
    env: { SLUICE_DEV_PAGE: `http://127.0.0.1:${port}`, SLUICE_DEV_NONCE: nonce },
    close: async () => {
      await vite.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
