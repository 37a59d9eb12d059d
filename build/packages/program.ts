/** The command line as it is packaged: the bundle, its start script, and its description. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LICENCES_FILE } from '../licences.ts';
import { ROOT } from '../runStage.ts';

/** Files next to the bundle for other uses: the list of licences for licences.txt, the man page for its own directory. */
const NOT_PROGRAM = [LICENCES_FILE, 'sluice.1'];

/** Puts the program into `directory`; `sluice.js` starts it. `out/cli` must have been built. */
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
