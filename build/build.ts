/**
 * `npm run build`: builds all bundles, or those named as arguments, and reports how long each took. With --watch it rebuilds what
 * changes, and sends its parent process the message `built` whenever all of them are ready. Exits with 1 when a bundle failed.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { BUNDLES, DEV_BUNDLE } from './bundles.ts';
import { writeManPage } from './commandDocs.ts';
import { writeLicences } from './licences.ts';

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const watch = words.includes('--watch') ? {} : null;
const every = [...BUNDLES, DEV_BUNDLE];
const wrong = names.filter((name) => !every.some((bundle) => bundle.name === name));
if (wrong.length > 0) {
  const known = every.map(({ name }) => name).join(', ');
  process.stderr.write(`No such bundle: ${wrong.join(', ')}. There are ${known}.\n`);
  process.exit(2);
}

const root = join(import.meta.dirname, '..');
const chosen = names.length === 0 ? BUNDLES : every.filter(({ name }) => names.includes(name));
// With --watch: the bundles that are not usable now, because they are being built or have failed.
const unbuilt = new Set<string>(chosen.map(({ name }) => name));

/** Follows a bundle that is rebuilt on changes. */
function follow(name: string, out: string, watcher: Awaited<ReturnType<typeof build>>): void {
  if (!('on' in watcher)) return;
  watcher.on('event', (event) => {
    if (event.code === 'BUNDLE_START') unbuilt.add(name);
    if (event.code !== 'BUNDLE_END') return;
    unbuilt.delete(name);
    process.stdout.write(`✓ ${out} (${(event.duration / 1000).toFixed(1)} s)\n`);
    if (unbuilt.size === 0) process.send?.('built');
  });
}

for (const bundle of chosen) {
  const startedAt = performance.now();
  try {
    await access(join(root, bundle.entry));
    const built = await build({
      configFile: join(import.meta.dirname, bundle.config),
      build: { watch },
    });
    if (watch !== null) {
      follow(bundle.name, bundle.out, built);
      continue;
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`✓ ${bundle.out} (${seconds} s)\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`✗ ${bundle.out}: ${error instanceof Error ? error.message : error}\n`);
  }
}
if (watch === null && chosen.some(({ name }) => name === 'cli')) await writeManPage(root);
if (names.length === 0 && process.exitCode !== 1) await writeLicences(root);
