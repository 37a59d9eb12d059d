/** The command line: out/cli/cli.js and its workers. */
import { defineConfig } from 'vite';
import { nodeBundle } from './nodeBundle.ts';

export default defineConfig(() => nodeBundle('main/cli.ts', 'out/cli', 'node'));
