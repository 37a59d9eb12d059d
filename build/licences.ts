/** The licences of what the application is built from, gathered for its "about" page. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Packages that the window is built from; they are no dependencies of the engine. */
const IN_THE_WINDOW = ['svelte', 'bits-ui', '@lucide/svelte'];

interface Manifest {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function manifestOf(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
}

async function licenceOf(root: string, name: string): Promise<string> {
  const directory = join(root, 'node_modules', name);
  const { version = '', license = 'unknown' } = await manifestOf(directory);
  const file = (await readdir(directory)).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  const text = file === undefined ? '' : await readFile(join(directory, file), 'utf8');
  return `${name} ${version}, ${license}\n\n${text.trim()}\n`;
}

/** Writes out/licences.txt. */
export async function writeLicences(root: string): Promise<void> {
  const { dependencies = {} } = await manifestOf(root);
  const names = [...Object.keys(dependencies), ...IN_THE_WINDOW].sort();
  const texts = await Promise.all(names.map((name) => licenceOf(root, name)));
  await writeFile(join(root, 'out', 'licences.txt'), texts.join(`\n${'—'.repeat(40)}\n\n`));
}
