/** The desktop application's main process: out/main/main.js and its workers. */
import { defineConfig } from 'vite';
import { nodeBundle } from './nodeBundle.ts';

export default defineConfig(() => nodeBundle('main/main.ts', 'out/main', 'electron'));
