/** The gallery as a site on this computer: built once, served under the window's own policy. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, type Plugin, preview } from 'vite';
import { VIEWS } from '../../../renderer/state/route.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'test-results');
/** The policy of the window, verbatim: whatever breaks under it breaks here. */
const POLICY = "default-src 'self'; img-src 'self' data: blob:";

export interface Gallery {
  /** Ends with a slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Leaves out views that were not requested: pictures come sooner, and one unfinished view does not affect the others. */
function onlyAsked(asked: readonly string[]): Plugin {
  return {
    name: 'only-asked-views',
    enforce: 'pre',
    resolveId(id) {
      // A component that is only named like a view, such as SplitView, is not one of the window's views.
      const folder = /\/([a-z]+)\/[A-Z]\w*View\.svelte$/.exec(id)?.[1];
      const name = VIEWS.find((view) => view === folder);
      const left = name !== undefined && !asked.some((view) => view.startsWith(name));
      return left ? '\0no-view' : null;
    },
    load: (id) => (id === '\0no-view' ? 'export default null;' : null),
  };
}

/** Builds the gallery with these views (a view may name an id) and serves it on a free port. */
export async function openGallery(views: readonly string[]): Promise<Gallery> {
  await mkdir(RESULTS, { recursive: true });
  const site = await mkdtemp(join(RESULTS, 'gallery-site-'));
  const common = {
    configFile: false,
    root: import.meta.dirname,
    base: './',
    logLevel: 'warn',
  } as const;
  await build({
    ...common,
    publicDir: false,
    plugins: [onlyAsked(views), svelte({ configFile: false })],
    build: {
      target: 'chrome150',
      outDir: site,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      minify: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        checks: { bundlerTimings: false },
        input: join(import.meta.dirname, 'gallery.html'),
      },
    },
  });
  const server = await preview({
    ...common,
    build: { outDir: site },
    preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': POLICY } },
  });
  return {
    url: server.resolvedUrls?.local[0] ?? '',
    close: async () => {
      await server.close();
      await rm(site, { recursive: true, force: true });
    },
  };
}
