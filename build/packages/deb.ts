/** The Debian package of the command line: the headless tree under /usr, a service, and the scripts for installation and removal. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, glob, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ROOT } from '../runStage.ts';
import { sourceDate } from './headless.ts';
import PROJECT from '../../package.json' with { type: 'json' };
import type { Architecture } from './runtime.ts';

const run = promisify(execFile);
const compress = promisify(gzip);

const DEBIAN_NAMES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };
const LINUX = join(ROOT, 'build/packages/linux');
const SCRIPTS = ['postinst', 'prerm', 'postrm'];

/** What Node itself is linked with; the versions of its symbols determine these. */
const DEPENDS = 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 6), passwd';

/** DEBIAN/control. `sizeBytes` is the installed size. */
function controlFile(architecture: Architecture, sizeBytes: number): string {
  return `Package: sluice
Version: ${debianVersion()}
Architecture: ${DEBIAN_NAMES[architecture]}
Maintainer: ${PROJECT.author}
Installed-Size: ${Math.ceil(sizeBytes / 1024)}
Depends: ${DEPENDS}
Section: net
Priority: optional
Description: command line that uploads images and videos exactly once
 Watches directories, sends every image and video to a batch of a vision data
 service exactly once, proves that each one arrived, and brings the results
 back. Comes with its own Node and a systemd service. The desktop window is
 the package sluice-desktop.
`;
}

/** A pre-release version sorts before its release: Debian writes the dash of 1.0.0-beta.1 as a tilde. */
function debianVersion(): string {
  return PROJECT.version.replace('-', '~');
}

async function place(from: string, to: string, mode: number): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
  await chmod(to, mode);
}

async function writeCompressed(path: string, text: string | Buffer): Promise<void> {
  await writeFile(path, await compress(text, { level: 9 }));
}

/** The licence, in the form and place that Debian requires. */
async function writeCopyright(docs: string): Promise<void> {
  const text = await readFile(join(docs, 'LICENSE'), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? ' .' : ` ${line}`));
  const head = 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/';
  const own = `Files: *\nCopyright: Sluice contributors\nLicense: Expat\n${lines.slice(2).join('\n')}`;
  const rest = 'Comment: What it contains of others is in licences.txt and licence-of-node.txt.';
  await writeFile(join(docs, 'copyright'), `${head}\n${rest}\n\n${own}\n`);
  await rm(join(docs, 'LICENSE'));
}

/** What Debian's tools read about a version; the actual changes are in CHANGELOG.md next to it. */
function changelog(date: string): string {
  const when = new Date(Number(date) * 1000).toUTCString().replace('GMT', '+0000');
  const head = `sluice (${debianVersion()}) unstable; urgency=medium`;
  return `${head}\n\n  * See CHANGELOG.md.\n\n -- ${PROJECT.author}  ${when}\n`;
}

/** Adds what Debian requires of a package to a headless tree at ROOT/usr. */
async function completeTree(root: string): Promise<void> {
  const docs = join(root, 'usr/share/doc/sluice');
  await place(
    join(LINUX, 'sluice@.service'),
    join(root, 'usr/lib/systemd/system/sluice@.service'),
    0o644,
  );
  await place(join(LINUX, 'camera.conf'), join(docs, 'examples/camera.conf'), 0o644);
  await mkdir(join(root, 'etc/sluice'), { recursive: true });
  await writeCopyright(docs);
  await place(join(ROOT, 'CHANGELOG.md'), join(docs, 'CHANGELOG.md'), 0o644);
  await writeCompressed(join(docs, 'changelog.gz'), changelog(await sourceDate()));
  const manual = join(root, 'usr/share/man/man1/sluice.1');
  await writeCompressed(`${manual}.gz`, await readFile(manual));
  await rm(manual);
}

/** Sets the permissions of every file, whatever this computer's umask; returns their checksums and total size. */
async function readContents(root: string) {
  const lines: string[] = [];
  let sizeBytes = 0;
  for await (const path of glob('**', { cwd: root })) {
    const full = join(root, path);
    const found = await lstat(full);
    const isProgram = found.isDirectory() || (found.mode & 0o100) !== 0;
    await chmod(full, isProgram ? 0o755 : 0o644);
    if (!found.isFile()) continue;
    sizeBytes += found.size;
    lines.push(
      `${createHash('md5')
        .update(await readFile(full))
        .digest('hex')}  ${path}\n`,
    );
  }
  return { sums: lines.sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join(''), sizeBytes };
}

/**
 * Makes the package from a headless tree, which it takes over. `compression` is passed to dpkg-deb. Returns the path of the package.
 * Throws when dpkg-deb is missing or fails.
 */
export async function packDeb(
  prefix: string,
  dist: string,
  architecture: Architecture,
  compression: readonly string[],
): Promise<string> {
  const root = `${prefix}.deb`;
  const name = `sluice_${debianVersion()}_${DEBIAN_NAMES[architecture]}.deb`;
  const target = join(dist, name);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await rename(prefix, join(root, 'usr'));
  await completeTree(root);
  const { sums, sizeBytes } = await readContents(root);
  const control = join(root, 'DEBIAN');
  await mkdir(control);
  for (const directory of [root, control]) await chmod(directory, 0o755);
  const texts = { md5sums: sums, control: controlFile(architecture, sizeBytes) };
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(control, name), text);
    await chmod(join(control, name), 0o644);
  }
  for (const script of SCRIPTS) await place(join(LINUX, script), join(control, script), 0o755);
  await run('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, target], {
    env: { ...process.env, SOURCE_DATE_EPOCH: await sourceDate() },
  });
  await rm(root, { recursive: true });
  return target;
}
