/** The Files port on a disk in memory, with the delays and failures of a real disk. */
import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import type { Result } from '../../preload/contract/errors.ts';
import { fail, ok } from '../../main/engine/core/errors.ts';
import { bufferSource } from '../../main/engine/files/byteSource.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { largeFingerprint, smallFingerprint } from '../../main/engine/files/fingerprint.ts';
import { checkMedia } from '../../main/engine/files/media/mediaCheck.ts';
import { WHOLE_HASH_MAX_BYTES } from '../../main/engine/core/limits.ts';
import type { FileFacts, HashKind, Inspection } from '../../main/engine/core/model.ts';
import type { Files } from '../../main/engine/core/ports.ts';
import { factsOf, type FileNode, sha256Hex } from './disk.ts';
import type { FilesGround } from './filesGround.ts';
import { createMemoryParts } from './memoryParts.ts';
import { createMemorySources } from './memorySources.ts';

function inspection(path: string, node: FileNode, kind: HashKind = 'b3'): Inspection {
  const { bytes } = node;
  const facts = factsOf(node);
  const media = checkMedia(path, bufferSource(bytes));
  if (bytes.length <= WHOLE_HASH_MAX_BYTES) {
    const hash = contentHash(bytes, kind);
    return {
      ...facts,
      ...media,
      contentHash: hash,
      fingerprint: smallFingerprint(bytes.length, hash),
    };
  }
  const fingerprint = largeFingerprint(bufferSource(bytes), kind);
  if (fingerprint === null) throw new Error('a file that ends before its size');
  return { ...facts, ...media, contentHash: null, fingerprint };
}

/** Creates the Files port of a process. */
export function createMemoryFiles(ground: FilesGround): Files {
  const { disk, life, dice, trouble } = ground;
  const pause = (most: number): Promise<void> => life.wait(dice.int(0, most));
  const nodeAt = (path: string): Result<FileNode> => {
    const code = trouble.read(path);
    if (code !== null) return fail(code, { path, errno: 'EIO' });
    const node = disk.get(path);
    if (node === null) return fail('item.gone', { path });
    return node.type === 'file' ? ok(node) : fail('item.unsupported', { path });
  };
  const stat = async (path: string): Promise<Result<FileFacts>> => {
    const node = nodeAt(path);
    await pause(2);
    return node.ok ? ok(factsOf(node.value)) : node;
  };
  /** Reads a file; fails if it changes meanwhile. */
  const read = async <T>(path: string, use: (node: FileNode) => T): Promise<Result<T>> => {
    const before = nodeAt(path);
    if (!before.ok) return before;
    await pause(15);
    const after = nodeAt(path);
    if (!after.ok) return after;
    const same = factsOf(before.value).stamp === factsOf(after.value).stamp;
    return same ? ok(use(after.value)) : fail('item.changed', { path });
  };
  return {
    list: async (directory) => {
      await pause(5);
      const code = trouble.read(directory);
      if (code !== null) return fail(code, { path: directory, errno: 'EIO' });
      const node = disk.get(directory);
      if (node === null) return fail('item.gone', { path: directory });
      if (node.type === 'file') return fail('item.unreadable', { path: directory });
      return ok(
        disk.names(directory).map((name) => ({
          name,
          type: disk.get(`${directory}/${name}`)?.type ?? 'file',
        })),
      );
    },
    facts: stat,
    stat: (paths) => Promise.all(paths.map(stat)),
    typeOf: async (path) => {
      await pause(1);
      return disk.get(path)?.type ?? null;
    },
    placeOf: async (path) => {
      await pause(1);
      const node = disk.get(path);
      return node?.type === 'directory'
        ? { device: '1', inode: String(node.inode), mounts: null }
        : null;
    },
    mountOf: async (path) => {
      await pause(1);
      return { path, mount: '/' };
    },
    driveAt: () => Promise.resolve(null),
    disksBelow: () => Promise.resolve([]),
    directoryAt: async (path) => {
      await pause(1);
      const node = disk.get(path);
      if (node === null) return fail('item.gone', { path });
      return node.type === 'directory' ? ok(path) : fail('item.unsupported', { path });
    },
    realPath: async (path) => {
      await pause(1);
      return disk.get(path) === null ? null : path;
    },
    inspect: (paths, kind) =>
      Promise.all(paths.map((path) => read(path, (node) => inspection(path, node, kind)))),
    hash: (path, kind) => read(path, ({ bytes }) => contentHash(bytes, kind)),
    checksums: (path) =>
      read(path, ({ bytes }) => ({
        crc32c: crc32c(bytes).toString(16).padStart(8, '0'),
        md5: createHash('md5').update(bytes).digest('hex'),
        sha256: sha256Hex(bytes),
        lengthBytes: bytes.length,
      })),
    makeDirectory: () => Promise.resolve(ok(undefined)),
    ...createMemorySources(ground),
    ...createMemoryParts(ground),
    notify: (directory, wants) => {
      const stop = disk.onTouched((path) => {
        if (!path.startsWith(`${directory}/`)) return;
        const type = disk.get(path)?.type ?? null;
        if (wants.leftOut(path, type)) return;
        // Sometimes the system loses a hint.
        if (!dice.chance(0.1)) life.after(dice.int(0, 200), () => wants.onTouched(path, type));
      });
      return {
        ready: life.wait(5),
        close: () => {
          stop();
          return Promise.resolve();
        },
      };
    },
    isRemote: () => Promise.resolve(false),
    freeBytes: () => Promise.resolve(1e12),
    close: () => Promise.resolve(),
  };
}
