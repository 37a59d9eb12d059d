/** `npm run pack -- --npm`: the command line as an npm package, laid out in out/npm and packed. It has no dependencies. */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BUNDLES } from '../bundles.ts';
import { licencesOf } from '../licences.ts';
import { ROOT } from '../runStage.ts';
import PROJECT from '../../package.json' with { type: 'json' };
import { layOutProgram } from './program.ts';

const run = promisify(execFile);

/** The package's manifest. It exports nothing: the program is its only entry point. */
function manifestOf(): object {
  const { name, version, description, keywords, license, author, engines } = PROJECT;
  return {
    name,
    version,
    description,
    keywords,
    license,
    author,
    type: 'module',
    bin: { [name]: 'sluice.js' },
    exports: { './package.json': './package.json' },
    files: ['*.js', '*.mjs', 'migrations', 'licences.txt'],
    engines,
    publishConfig: { access: 'public', provenance: true },
  };
}

function readmeOf(): string {
  return `# Sluice

${PROJECT.description} This package is the command line.

\`\`\`sh
npm install --global sluice
export SLUICE_API_KEY=…
sluice doctor
sluice run pictures --batch cups --workflow count-cups --to results
sluice help
\`\`\`

It needs Node 22.22 or newer. \`sluice completion bash|zsh|fish\` prints the completions of a shell.
`;
}

/** Lays out the package in an empty directory. `out/cli` must have been built. */
export async function layOutNpm(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await layOutProgram(directory, manifestOf());
  await writeFile(join(directory, 'README.md'), readmeOf());
  await cp(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
  // It contains nothing native.
  const cli = BUNDLES.filter(({ name }) => name === 'cli');
  await writeFile(join(directory, 'licences.txt'), await licencesOf(ROOT, cli, []));
}

/** Packs it with npm; returns the path. Throws npm's message. */
export async function packNpm(directory: string, dist: string): Promise<string> {
  await mkdir(dist, { recursive: true });
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--loglevel=error', `--pack-destination=${dist}`],
    { cwd: directory },
  );
  const [{ filename }] = JSON.parse(stdout);
  return join(dist, String(filename));
}
