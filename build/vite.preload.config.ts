/** The preload: one CommonJS file, because a sandboxed preload can load no other. */
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { LICENCES_FILE } from './licences.ts';

const root = join(import.meta.dirname, '..');

export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    target: 'chrome150',
    outDir: 'out/preload',
    emptyOutDir: true,
    minify: false,
    reportCompressedSize: false,
    license: { fileName: LICENCES_FILE },
    lib: {
      entry: join(root, 'preload/bridge.ts'),
      formats: ['cjs'],
      fileName: () => 'preload.cjs',
    },
    rolldownOptions: {
      external: ['electron'],
      output: { codeSplitting: false },
    },
  },
});
