/** The main process of `npm run dev`: out/dev/main.js. The same as what ships, except that the window comes from the page server. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, normalizePath, type Plugin } from 'vite';
import PROJECT from '../package.json' with { type: 'json' };
import { nodeBundle } from './nodeBundle.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = 'out/dev';
const APP = normalizePath(join(ROOT, 'main/app/'));

function fromPageServer(): Plugin {
  return {
    name: 'sluice-window-from-page-server',
    enforce: 'pre',
    resolveId: (id, from) =>
      id.endsWith('/appProtocol.ts') && from?.startsWith(APP) === true
        ? join(ROOT, 'build/dev/appProtocol.ts')
        : null,
    // Lets Electron be pointed at the directory, gives it the application's name, and provides its licence to the window.
    closeBundle: async () => {
      const own = {
        ...PROJECT,
        main: 'main.js',
        scripts: {},
        dependencies: {},
        devDependencies: {},
      };
      await writeFile(join(ROOT, OUT, 'package.json'), JSON.stringify(own, null, 2));
      await copyFile(join(ROOT, 'LICENSE'), join(ROOT, OUT, 'LICENSE'));
    },
  };
}

export default defineConfig(async () => {
  const bundle = await nodeBundle('main/main.ts', OUT, 'electron');
  return { ...bundle, plugins: [fromPageServer(), ...(bundle.plugins ?? [])] };
});
