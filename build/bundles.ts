/** What is built, as data: the name, entry, configuration and output directory of each bundle. */
export const BUNDLES = [
  { name: 'main', entry: 'main/main.ts', config: 'vite.main.config.ts', out: 'out/main' },
  { name: 'cli', entry: 'main/cli.ts', config: 'vite.cli.config.ts', out: 'out/cli' },
  {
    name: 'preload',
    entry: 'preload/bridge.ts',
    config: 'vite.preload.config.ts',
    out: 'out/preload',
  },
  {
    name: 'renderer',
    entry: 'renderer/index.html',
    config: 'vite.renderer.config.ts',
    out: 'out/renderer',
  },
] as const;

/** Built only by `npm run dev`; never packed. */
export const DEV_BUNDLE = {
  name: 'dev',
  entry: 'main/main.ts',
  config: 'vite.dev.config.ts',
  out: 'out/dev',
} as const;

/** Native libraries cannot be bundled: electron-builder.yml packs them next to the bundles, a checkout has them installed. */
export const NATIVE = ['@node-rs/crc32', '@napi-rs/blake-hash'];
