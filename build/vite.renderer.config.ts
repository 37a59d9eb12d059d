/** The window: out/renderer/index.html and what it loads, all of it local. */
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { LICENCES_FILE } from './licences.ts';

export default defineConfig({
  root: join(import.meta.dirname, '../renderer'),
  logLevel: 'warn',
  publicDir: false,
  // Addresses relative to the page work both under app:// and in the Chromium host.
  base: './',
  plugins: [svelte({ configFile: false })],
  build: {
    target: 'chrome150',
    outDir: join(import.meta.dirname, '../out/renderer'),
    emptyOutDir: true,
    reportCompressedSize: false,
    license: { fileName: LICENCES_FILE },
    // The content security policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Each file is a request to the main process, which is busy at startup: a few larger ones load sooner.
    cssCodeSplit: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
    },
  },
});
