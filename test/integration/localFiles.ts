/** The source directory of a world: the user's files. Every change goes through here, so that changes by Sluice are detected. */
import { createHash } from 'node:crypto';
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect } from 'vitest';
import { tinyImages } from '../helpers/media.ts';
import { decodeName, encodePath } from '../../main/engine/files/names/pathBytes.ts';

/** What is at one path. */
interface Standing {
  readonly type: 'file' | 'directory' | 'other';
  /** SHA-256 of a file's content, else ''. */
  readonly sha256: string;
  readonly mtimeMs: number;
}

interface LocalFile {
  readonly path: string;
  readonly sha256: string;
}

export interface LocalFiles {
  readonly root: string;
  /** Absolute path of a name within the source. */
  path(name: string): string;
  /** Writes a file as the user does; creates directories. */
  write(name: string, content: Uint8Array): Promise<string>;
  /** Writes that many images (tinyImages), and accepts the current files as `remember` does. */
  writeImages(count: number): Promise<void>;
  /** Sets a file's modification time to an earlier day. */
  age(name: string, daysAgo: number): Promise<void>;
  remove(name: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  link(name: string, target: string): Promise<void>;
  /** Accepts the current files as expected, after a change that was not made through this object. */
  remember(): Promise<void>;
  /** Regular files with their content as it is now, links not followed. */
  files(): Promise<readonly LocalFile[]>;
  expectUntouched(): Promise<void>;
}

/** SHA-256 in hex. */
export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Files under a directory by SHA-256, except the manifest of a finished download. */
export async function contentsBelow(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  for (const name of names) {
    const path = join(directory, name);
    if (name === 'manifest.json' || !(await stat(path)).isFile()) continue;
    found.push(sha256(await readFile(path)));
  }
  return found.sort();
}

async function standingAt(path: string): Promise<Standing> {
  const stats = await lstat(encodePath(path));
  const { mtimeMs } = stats;
  if (!stats.isFile())
    return { type: stats.isDirectory() ? 'directory' : 'other', sha256: '', mtimeMs };
  return { type: 'file', sha256: sha256(await readFile(encodePath(path))), mtimeMs };
}

async function walk(root: string, into: Map<string, Standing>, directory = root): Promise<void> {
  for (const name of await readdir(encodePath(directory), { encoding: 'buffer' })) {
    const path = join(directory, decodeName(name));
    const standing = await standingAt(path);
    into.set(path, standing);
    if (standing.type === 'directory') await walk(root, into, path);
  }
}

/** Creates an empty source directory whose changes are checked. */
export async function createLocalFiles(root: string): Promise<LocalFiles> {
  await mkdir(root, { recursive: true });
  let expected = new Map<string, Standing>();
  const remember = async (): Promise<void> => {
    const found = new Map<string, Standing>();
    await walk(root, found);
    expected = found;
  };
  const path = (name: string): string => join(root, name);
  const write = async (name: string, content: Uint8Array): Promise<string> => {
    await mkdir(encodePath(dirname(path(name))), { recursive: true });
    await writeFile(encodePath(path(name)), content);
    return path(name);
  };
  return {
    root,
    path,
    write,
    writeImages: async (count) => {
      for (const { name, content } of tinyImages(count)) await write(name, content);
      await remember();
    },
    age: async (name, daysAgo) => {
      const at = new Date(Date.now() - daysAgo * 86_400_000);
      await utimes(encodePath(path(name)), at, at);
    },
    remove: async (name) => rm(encodePath(path(name)), { recursive: true }),
    move: async (from, to) => rename(encodePath(path(from)), encodePath(path(to))),
    link: async (name, target) => symlink(target, encodePath(path(name))),
    remember,
    files: async () => {
      const found = new Map<string, Standing>();
      await walk(root, found);
      return [...found]
        .filter(([, standing]) => standing.type === 'file')
        .map(([file, standing]) => ({ path: file, sha256: standing.sha256 }));
    },
    expectUntouched: async () => {
      const found = new Map<string, Standing>();
      await walk(root, found);
      const readable = (map: ReadonlyMap<string, Standing>): readonly string[] =>
        [...map]
          .map(([file, { type, sha256: hash, mtimeMs }]) =>
            [relative(root, file), type, hash.slice(0, 12), mtimeMs].join(' '),
          )
          .sort();
      expect(readable(found), 'the source directory is as the user left it').toEqual(
        readable(expected),
      );
    },
  };
}
