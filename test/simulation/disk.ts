/** A computer's disk, in memory: files with times and inode numbers as on a real one. Outlives processes. */
import { createHash } from 'node:crypto';
import { isStamp } from '../../main/engine/core/ids.ts';
import type { FileFacts } from '../../main/engine/core/model.ts';
import type { WallClock } from './clocks.ts';

export interface FileNode {
  readonly type: 'file';
  readonly bytes: Buffer;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: number;
}

export interface DirectoryNode {
  readonly type: 'directory';
  readonly inode: number;
}

/** Who writes: the user (and their cameras), or the program under test. */
export type Writer = 'user' | 'sluice';

export interface Disk {
  get(path: string): FileNode | DirectoryNode | null;
  names(directory: string): readonly string[];
  write(writer: Writer, path: string, bytes: Buffer): void;
  remove(writer: Writer, path: string): void;
  move(writer: Writer, from: string, to: string): void;
  makeDirectory(path: string): void;
  /** Paths of all files under a directory, sorted. */
  filesBelow(directory: string): readonly string[];
  /** Called for every path that the user touches. */
  onTouched(listener: (path: string) => void): () => void;
  /** What the program did to user files that it had no permission to change. */
  trespasses(): readonly string[];
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function factsOf(node: FileNode): FileFacts {
  const { bytes, mtimeNs, ctimeNs, inode } = node;
  const stamp = `${bytes.length}:${mtimeNs}:${ctimeNs}:${inode}`;
  if (!isStamp(stamp)) throw new Error('a file without a stamp');
  const touched = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return { sizeBytes: bytes.length, touchedAt: Number(touched / 1_000_000n), stamp };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Creates an empty disk. */
export function createDisk(wall: WallClock): Disk {
  const nodes = new Map<string, FileNode | DirectoryNode>();
  const owners = new Map<string, Writer>();
  const trespasses: string[] = [];
  const listeners = new Set<(path: string) => void>();
  let inode = 100;
  const nowNs = (): bigint => BigInt(Math.round(wall.now())) * 1_000_000n;
  const tell = (writer: Writer, path: string): void => {
    if (writer === 'user') for (const listener of listeners) listener(path);
  };
  const guard = (writer: Writer, act: string, path: string): void => {
    if (writer === 'sluice' && owners.get(path) === 'user') trespasses.push(`${act} ${path}`);
  };
  const makeDirectory = (path: string): void => {
    if (path === '/' || nodes.has(path)) return;
    makeDirectory(parentOf(path));
    nodes.set(path, { type: 'directory', inode: inode++ });
  };
  const remove: Disk['remove'] = (writer, path) => {
    guard(writer, 'removed', path);
    nodes.delete(path);
    owners.delete(path);
    tell(writer, path);
  };
  return {
    get: (path) => nodes.get(path) ?? null,
    names: (directory) => {
      const start = `${directory}/`;
      return [...nodes.keys()]
        .filter((path) => path.startsWith(start) && !path.slice(start.length).includes('/'))
        .map((path) => path.slice(start.length));
    },
    write: (writer, path, bytes) => {
      guard(writer, 'wrote', path);
      makeDirectory(parentOf(path));
      const before = nodes.get(path);
      const number = before?.type === 'file' ? before.inode : inode++;
      const at = nowNs();
      nodes.set(path, { type: 'file', bytes, mtimeNs: at, ctimeNs: at, inode: number });
      owners.set(path, writer);
      tell(writer, path);
    },
    remove,
    move: (writer, from, to) => {
      const node = nodes.get(from);
      if (node?.type !== 'file') return;
      guard(writer, 'moved', from);
      guard(writer, 'replaced', to);
      makeDirectory(parentOf(to));
      nodes.set(to, { ...node, ctimeNs: nowNs() });
      owners.set(to, owners.get(from) ?? writer);
      nodes.delete(from);
      owners.delete(from);
      tell(writer, from);
      tell(writer, to);
    },
    makeDirectory,
    filesBelow: (directory) =>
      [...nodes]
        .filter(([path, node]) => node.type === 'file' && path.startsWith(`${directory}/`))
        .map(([path]) => path)
        .sort(),
    onTouched: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    trespasses: () => trespasses,
  };
}
