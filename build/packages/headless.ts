/** `npm run pack -- --headless`: the command line for Linux with its own Node, as an archive and as a Debian package. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { completionScript } from '../../main/cli/commands/completion.ts';
import { BUNDLES } from '../bundles.ts';
import { licencesOf } from '../licences.ts';
import { ROOT } from '../runStage.ts';
import PROJECT from '../../package.json' with { type: 'json' };
import { layOutProgram } from './program.ts';
import type { Architecture, Runtime } from './runtime.ts';

const run = promisify(execFile);

/** zsh loads this file as the function _sluice at the first completion; from then on bash's function does the completion. */
function zshFile(): string {
  const [script] = completionScript('bash').split('complete -o default -F _sluice sluice');
  return `#compdef sluice
autoload -Uz bashcompinit
bashcompinit
${script}complete -o default -F _sluice sluice
_bash_complete -o default -F _sluice
`;
}

/** The files that belong under `share/`, by path. */
async function sharedFiles(nodeLicence: string): Promise<Readonly<Record<string, string>>> {
  const cli = BUNDLES.filter(({ name }) => name === 'cli');
  return {
    'man/man1/sluice.1': await readFile(join(ROOT, 'out/cli/sluice.1'), 'utf8'),
    'bash-completion/completions/sluice': completionScript('bash'),
    'zsh/vendor-completions/_sluice': zshFile(),
    'fish/vendor_completions.d/sluice.fish': completionScript('fish'),
    'doc/sluice/LICENSE': await readFile(join(ROOT, 'LICENSE'), 'utf8'),
    'doc/sluice/licences.txt': await licencesOf(ROOT, cli),
    'doc/sluice/licence-of-node.txt': await readFile(nodeLicence, 'utf8'),
  };
}

/** Creates `bin`, `lib` and `share` below `prefix`; they can be used in place or moved together. */
export async function layOutHeadless(prefix: string, runtime: Runtime): Promise<void> {
  const home = join(prefix, 'lib/sluice');
  const { name, version } = PROJECT;
  await layOutProgram(home, { name, version, private: true, type: 'module' });
  await cp(runtime.node, join(home, 'node'));
  for (const native of runtime.native) {
    await cp(join(runtime.modules, native), join(home, 'node_modules', native), {
      recursive: true,
      filter: (path) => !/(\.d\.ts|\.md|browser\.js)$/.test(path),
    });
  }
  await mkdir(join(prefix, 'bin'), { recursive: true });
  await cp(join(ROOT, 'build/packages/linux/sluice.sh'), join(prefix, 'bin/sluice'));
  await Promise.all(
    ['bin/sluice', 'lib/sluice/node'].map((path) => chmod(join(prefix, path), 0o755)),
  );
  for (const [path, text] of Object.entries(await sharedFiles(runtime.nodeLicence))) {
    const target = join(prefix, 'share', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** When the sources last changed, in s since 1970: the date of every packed file, so that the same sources give the same package. */
export async function sourceDate(): Promise<string> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && given !== '') return given;
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: ROOT });
  return stdout.trim();
}

/** Packs a directory that `layOutHeadless` filled. `level` is gzip's, 1 to 9. Returns the path of the archive. */
export async function packArchive(
  prefix: string,
  dist: string,
  architecture: Architecture,
  level: number,
): Promise<string> {
  const name = `sluice-${PROJECT.version}-linux-${architecture}`;
  const archive = join(dist, `${name}.tar.gz`);
  await mkdir(dist, { recursive: true });
  await rm(archive, { force: true });
  await run('tar', [
    ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'],
    `--mtime=@${await sourceDate()}`,
    `--use-compress-program=gzip -n -${level}`,
    `--transform=s,^\\.,${name},`,
    ...['--create', '--file', archive, '--directory', prefix, '.'],
  ]);
  return archive;
}
