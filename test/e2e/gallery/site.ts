/** The gallery as a site on this computer: built once, served under the window's own policy. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, preview } from 'vite';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'test-results');
/** The policy of the window, verbatim: whatever breaks under it breaks here. */
const POLICY = "default-src 'self'; img-src 'self' data: blob:";

export interface Gallery {
  /** Ends with a slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Builds the gallery and serves it on a free port. */
export async function openGallery(): Promise<Gallery> {
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
    plugins: [svelte({ configFile: false })],
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
