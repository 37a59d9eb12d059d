/** The launcher, in a small separate checkout with a made-up command line and a made-up Node. */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const BUILD = join(import.meta.dirname, '../../../build');
/** Makes the launcher believe that it runs in an old Node. */
const OLD =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})";
const PROGRAM = `
  const [task = '', ...rest] = process.argv.slice(2);
  if (task === 'wait') {
    process.on('SIGTERM', () => process.exit(130));
    setInterval(() => undefined, 1000);
  } else process.exitCode = 3;
  const arenas = process.env.MALLOC_ARENA_MAX;
  console.log(JSON.stringify({ kind: KIND, rest, arenas, pid: process.pid }));
`;

let root = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sluice-launcher-')));
  await mkdir(join(root, 'build'));
  await mkdir(join(root, 'main'));
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  for (const name of ['sluice.mjs', 'launcher.mjs', 'compileCache.mjs', 'endWithLauncher.mjs']) {
    await cp(join(BUILD, name), join(root, 'build', name));
  }
  await writeFile(join(root, 'main/cli.ts'), PROGRAM.replace('KIND', "'source' satisfies string"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Puts this Node where npm would put one. */
async function installNode(version: string): Promise<void> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const home = join(root, 'node_modules', `node-${platform}-${process.arch}`);
  await mkdir(join(home, 'bin'), { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ version }));
  await symlink(process.execPath, join(home, 'bin/node'));
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly pid: number;
}

function launch(options: { old: boolean; kill?: NodeJS.Signals }, ...args: string[]) {
  const flags = options.old ? ['--import', OLD] : [];
  const { MALLOC_ARENA_MAX: _, ...env } = process.env;
  const child = spawn(process.execPath, [...flags, join(root, 'build/sluice.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  return new Promise<Ended>((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (options.kill !== undefined) child.kill(options.kill);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, pid: child.pid ?? 0 }));
  });
}

describe.each([
  { where: 'in this process', old: false },
  { where: 'in the installed Node', old: true },
])('$where', ({ old }) => {
  beforeEach(() => installNode('24.0.0'));

  test('passes arguments, output and the exit code', async () => {
    const ended = await launch({ old }, 'do', 'a b', '--json');
    expect(JSON.parse(ended.out)).toMatchObject({ kind: 'source', rest: ['a b', '--json'] });
    expect(ended).toMatchObject({ code: 3, err: '' });
  });

  test('passes signals', async () => {
    expect(await launch({ old, kill: 'SIGTERM' }, 'wait')).toMatchObject({ code: 130 });
  });

  test('ends with the program that was started, however that ends', async () => {
    // Its output ends only when nothing is left that could write any.
    expect(await launch({ old, kill: 'SIGKILL' }, 'wait')).toMatchObject({ code: null });
  });

  test('prefers the built program', async () => {
    await mkdir(join(root, 'out/cli'), { recursive: true });
    await writeFile(join(root, 'out/cli/cli.js'), PROGRAM.replace('KIND', "'built'"));
    expect(JSON.parse((await launch({ old })).out)).toMatchObject({ kind: 'built' });
  });
});

test.runIf(process.platform === 'linux')(
  'a watch keeps the memory of its threads together, in the same process',
  async () => {
    const watch = await launch({ old: false }, 'watch', 'a b');
    expect(JSON.parse(watch.out)).toMatchObject({ rest: ['a b'], arenas: '1', pid: watch.pid });
    expect(watch).toMatchObject({ code: 3, err: '' });
    const upload = await launch({ old: false }, 'upload');
    expect(JSON.parse(upload.out)).not.toHaveProperty('arenas');
  },
);

test.each([null, '20.3.0'])(
  'explains in one sentence when the installed Node is %s',
  async (version) => {
    if (version !== null) await installNode(version);
    const ended = await launch({ old: true }, 'status');
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(/^Sluice needs Node 22\.22 or newer .*\.\n$/);
  },
);
