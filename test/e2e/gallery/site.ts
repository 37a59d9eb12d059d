/** The gallery as a site on this computer: the built window with a fake main before it, served under the window's own policy. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, preview } from 'vite';

const ROOT = join(import.meta.dirname, '../../..');
const WINDOW = join(ROOT, 'out/renderer');
const RESULTS = join(ROOT, 'test-results');
const FAKE_MAIN = 'fakeMain.js';
/** The policy of the window, verbatim: whatever breaks under it breaks here. */
const POLICY = "default-src 'self'; img-src 'self' data: blob:";

export interface Gallery {
  /** Ends with a slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Makes the gallery of what `npm run build` has built, and serves it on a free port. */
export async function openGallery(): Promise<Gallery> {
  await mkdir(RESULTS, { recursive: true });
  const site = await mkdtemp(join(RESULTS, 'gallery-site-'));
  const common = {
    configFile: false,
    root: import.meta.dirname,
    base: './',
    logLevel: 'warn',
  } as const;
  await cp(WINDOW, site, { recursive: true });
  await build({
    ...common,
    publicDir: false,
    build: {
      target: 'chrome150',
      outDir: site,
      emptyOutDir: false,
      minify: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(import.meta.dirname, 'galleryPage.ts'),
        output: { entryFileNames: FAKE_MAIN },
      },
    },
  });
  const page = await readFile(join(site, 'index.html'), 'utf8');
  const before = `<script type="module" src="./${FAKE_MAIN}"></script>`;
  await writeFile(join(site, 'gallery.html'), page.replace('<script', `${before}<script`));
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
