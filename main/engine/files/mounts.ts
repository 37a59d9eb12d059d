/**
 * Which file systems are mounted at and below a directory, and on which drive they are. Listeners of a directory are not told when
 * something is mounted there.
 */
import { readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, resolve } from 'node:path';
import { isGone } from '../core/errno.ts';
import type { MountedPath } from '../core/model.ts';
import { decodeName, encodeBytes, encodePath } from './names/pathBytes.ts';
import { isRemote } from './networkShare.ts';
import { realPathOf } from './realPathOf.ts';

/** The kernel's list of mounts, in which paths are bytes, some of them written as octal numbers. Only Linux has it. */
export const MOUNTS = '/proc/self/mountinfo';

function asListed(path: string): string {
  const octal = (sign: string): string => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return encodeBytes(path)
    .toString('latin1')
    .replaceAll(/[ \t\n\\]/g, octal);
}

/** Number and path of each mount below the directory, according to the kernel's list, read as latin1. Pure. */
export function mountsIn(list: string, directory: string): string {
  const start = asListed(directory.endsWith('/') ? directory : `${directory}/`);
  return list
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([id, , , , path]) => (path?.startsWith(start) === true ? `${id} ${path}` : []))
    .join('\n');
}

/** The mount points in the kernel's list, as it writes them, without the root. Pure. */
export function mountsListed(list: string): readonly string[] {
  const paths = list.split('\n').map((line) => line.split(' ', 5)[4] ?? '/');
  return paths.filter((path) => path !== '/');
}

/** The number of the mount at a directory, the last one if there are several, according to the kernel's list, read as latin1. Pure. */
export function mountIdIn(list: string, mount: string): string | null {
  const listed = asListed(mount);
  const lines = list.split('\n').map((line) => line.split(' ', 5));
  return lines.findLast(([, , , , path]) => path === listed)?.[0] ?? null;
}

/** Which of these mount points the file system of an absolute path is mounted at; null for the root. Follows no links. Pure. */
export function mountAbove(mounts: readonly string[], path: string): string | null {
  const listed = `${asListed(path)}/`;
  const depths = mounts.flatMap((mount) =>
    listed.startsWith(`${mount}/`) ? [mount.split('/').length] : [],
  );
  return depths.length === 0
    ? null
    : path
        .split('/')
        .slice(0, Math.max(...depths))
        .join('/');
}

/** The places below a directory where disks of this computer are mounted, according to the kernel's list, read as latin1. Pure. */
export function disksIn(list: string, directory: string): readonly string[] {
  const start = asListed(directory.endsWith('/') ? directory : `${directory}/`);
  return list.split('\n').flatMap((line) => {
    const [, , , , path = ''] = line.split(' ');
    const [, source = ''] = line.split(' - ')[1]?.split(' ') ?? [];
    if (!path.startsWith(start) || !source.startsWith('/dev/')) return [];
    const bytes = path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [decodeName(Buffer.from(bytes, 'latin1'))];
  });
}

/** See Files.disksBelow. */
export async function disksBelow(directory: string): Promise<readonly string[]> {
  try {
    return disksIn(await readFile(MOUNTS, 'latin1'), await realPathOf(directory));
  } catch {
    return [];
  }
}

/** A text that changes when something is mounted or unmounted below the directory; null when the system does not say. */
export async function mountsBelow(directory: string): Promise<string | null> {
  try {
    return mountsIn(await readFile(MOUNTS, 'latin1'), directory);
  } catch {
    return null;
  }
}

/**
 * The device of a directory. An automount is mounted only when something in it is looked up, so this looks up the directory's own entry for
 * itself.
 */
async function deviceOf(directory: string): Promise<bigint> {
  return (await stat(encodePath(`${directory}/.`), { bigint: true })).dev;
}

/** The real path of a directory and its device; null when there is no such directory. */
async function directoryOn(
  path: string,
): Promise<{ readonly real: string; readonly device: bigint } | null> {
  try {
    const real = await realPathOf(path);
    return { real, device: await deviceOf(real) };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** The highest parent on the same device. */
async function mountPointOf(directory: string, device: bigint): Promise<string> {
  const parent = dirname(directory);
  if (parent === directory || (await deviceOf(parent)) !== device) return directory;
  return mountPointOf(parent, device);
}

/** The target of a link, which need not exist, in a directory whose path contains no links; null if the name is not a link. */
export async function behindLink(directory: string, name: string): Promise<string | null> {
  try {
    const link = encodePath(join(directory, name));
    return resolve(directory, decodeName(await readlink(link, { encoding: 'buffer' })));
  } catch {
    return null;
  }
}

/** False on Windows for the root of a drive or a network share that is not connected; on other systems the root is always there. */
async function hasRoot(path: string): Promise<boolean> {
  try {
    await stat(parse(path).root);
    return true;
  } catch {
    return false;
  }
}

/** See Files.mountOf. */
export async function mountOf(path: string): Promise<MountedPath | null> {
  if (!(await hasRoot(path))) return { path, mount: null };
  try {
    for (let at = path; ; at = dirname(at)) {
      const found = await directoryOn(at);
      // A link to a drive that is not connected leads nowhere now.
      const parent = found === null ? await realPathOf(dirname(at)).catch(() => null) : null;
      const named = parent === null ? null : await behindLink(parent, basename(at));
      if (named !== null) return await mountOf(join(named, relative(at, path)));
      if (found !== null) {
        const mount = await mountPointOf(found.real, found.device);
        // If a drive was connected or removed meanwhile, a directory on it may look like the place where it is mounted.
        if ((await directoryOn(mount))?.device !== found.device) return await mountOf(path);
        return { path: join(found.real, relative(at, path)), mount };
      }
      if (dirname(at) === at) return null;
    }
  } catch {
    return null;
  }
}

/** A text in a file of the system; null when there is none. */
async function textIn(path: string, pattern: RegExp): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return pattern.exec(text)?.[1] ?? null;
}

/** The number of a block device as Linux writes it; null for another file system. */
function blockOf(device: bigint): string | null {
  const major = (device >> 8n) & 0xfffn;
  return major === 0n ? null : `${major}:${(device & 0xffn) | ((device >> 12n) & 0xfff00n)}`;
}

/**
 * See Files.driveAt. A file system without an id is identified by the time at which its root was made; some do not state that time. What
 * shares state is not used: Samba reports the oldest of a directory's other times, which change.
 */
export async function driveAt(mount: string, isShare = isRemote): Promise<string | null> {
  if (mount === '/') return null;
  try {
    const root = await stat(encodePath(`${mount}/.`), { bigint: true });
    // The serial number of the volume.
    if (process.platform === 'win32') return String(root.dev);
    // If the system does not state when the root was made, Node states the time of its last change instead.
    const isStated = root.birthtimeNs !== 0n && root.birthtimeNs !== root.ctimeNs;
    const made = isStated ? String(root.birthtimeNs) : null;
    const block = process.platform === 'linux' ? blockOf(root.dev) : null;
    if (block === null) return made === null || (await isShare(mount)) ? null : made;
    const id = await textIn(`/run/udev/data/b${block}`, /^E:ID_FS_UUID=(.+)$/m);
    // The root of FAT and exFAT (inode 1) gets a new creation time at each mount.
    return id ?? (root.ino === 1n ? null : made);
  } catch {
    return null;
  }
}
