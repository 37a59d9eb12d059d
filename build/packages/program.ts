/** The command line as packages carry it: the bundle, what starts it, and its description. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LICENCES_FILE } from '../licences.ts';
import { ROOT } from '../runStage.ts';

/** What packages state of the project, from its package.json. */
export interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly author: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
}

/** Reads the project's package.json. */
export async function readProject(): Promise<Project> {
  return JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
}

/** Beside the bundle for other uses: the list of licences for licences.txt, the man page for its own folder. */
const NOT_PROGRAM = [LICENCES_FILE, 'sluice.1'];

/** Puts the program into `directory`; its start is `sluice.js`. `out/cli` has been built. */
export async function layOutProgram(directory: string, manifest: object): Promise<void> {
  await mkdir(directory, { recursive: true });
  await cp(join(ROOT, 'out/cli'), directory, {
    recursive: true,
    filter: (path) => !NOT_PROGRAM.includes(basename(path)),
  });
  await cp(join(ROOT, 'build/launcher.mjs'), join(directory, 'launcher.mjs'));
  await cp(join(ROOT, 'build/installed.mjs'), join(directory, 'sluice.js'));
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
