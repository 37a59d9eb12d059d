/** What a headless package contains besides the program: Node and the native files, for its target processor. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NATIVE } from '../bundles.ts';
import { ROOT } from '../runStage.ts';

const run = promisify(execFile);

export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

export interface Runtime {
  /** The node_modules directory that has it all. */
  readonly modules: string;
  readonly node: string;
  readonly nodeLicence: string;
  /** Packages to include. */
  readonly native: readonly string[];
}

function describe(modules: string, architecture: Architecture): Runtime {
  const home = join(modules, `node-linux-${architecture}`);
  return {
    modules,
    node: join(home, 'bin/node'),
    nodeLicence: join(home, 'LICENSE'),
    native: NATIVE.flatMap((name) => [name, `${name}-linux-${architecture}-gnu`]),
  };
}

function isWhole({ modules, node, native }: Runtime): boolean {
  return [node, ...native.map((name) => join(modules, name))].every((path) => existsSync(path));
}

/** The versions in the lock file, so that both processors get the same. */
async function wanted(architecture: Architecture): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  return [`node-linux-${architecture}`, ...NATIVE].map(
    (name) => `${name}@${packages[`node_modules/${name}`].version}`,
  );
}

/**
 * What npm installed for this computer, if it has that architecture; otherwise npm installs it, once, into the project's cache. Throws
 * npm's message.
 */
export async function runtimeFor(architecture: Architecture): Promise<Runtime> {
  const own = describe(join(ROOT, 'node_modules'), architecture);
  if (isWhole(own)) return own;
  const home = join(ROOT, 'node_modules/.cache/packages', `linux-${architecture}`);
  const fetched = describe(join(home, 'node_modules'), architecture);
  if (isWhole(fetched)) return fetched;
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), '{"private":true}\n');
  const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  // Without --force npm refuses packages for another processor, even when it is told the target.
  const quiet = [
    '--force',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
  ];
  const packages = await wanted(architecture);
  await run('npm', ['install', ...platform, ...quiet, ...packages], { cwd: home });
  return fetched;
}
