/** The writing half of the Files port on a disk in memory. */
import { fail, ok } from '../../main/engine/core/errors.ts';
import type { Files, PartFile, Written } from '../../main/engine/core/ports.ts';
import type { Result } from '../../preload/contract/errors.ts';
import { factsOf } from './disk.ts';
import type { FilesGround } from './filesGround.ts';

/** The part of the Files port that writes. */
export function createMemoryParts({
  disk,
  life,
  dice,
  trouble,
}: FilesGround): Pick<Files, 'openPart' | 'writeWhole' | 'remove' | 'moveFile' | 'unpack'> {
  const writing = async (path: string, act: () => void): Promise<Result<void>> => {
    await life.wait(dice.int(0, 5));
    const code = trouble.write(path);
    if (code !== null) return fail(code, { path, errno: 'ENOSPC' });
    act();
    return ok(undefined);
  };
  const bytesAt = (path: string): Buffer => {
    const node = disk.get(path);
    return node?.type === 'file' ? node.bytes : Buffer.alloc(0);
  };
  const rename = async (part: string, path: string): Promise<Result<Written>> => {
    const moved = await writing(path, () => disk.move('sluice', part, path));
    if (!moved.ok) return moved;
    const node = disk.get(path);
    return ok({ kind: 'written', stamp: node?.type === 'file' ? factsOf(node).stamp : null });
  };
  const openPart: Files['openPart'] = async (path, part) => {
    let kept = bytesAt(part);
    const opened = await writing(part, () => disk.write('sluice', part, kept));
    if (!opened.ok) return opened;
    const offsetBytes = kept.length;
    async function* keptBytes(): AsyncGenerator<Uint8Array> {
      await life.wait(1);
      if (offsetBytes > 0) yield Uint8Array.from(bytesAt(part).subarray(0, offsetBytes));
    }
    const file: PartFile = {
      offsetBytes,
      kept: keptBytes,
      write: (chunk) =>
        writing(part, () => {
          kept = Buffer.concat([kept, chunk]);
          disk.write('sluice', part, kept);
        }),
      truncate: () =>
        writing(part, () => {
          kept = Buffer.alloc(0);
          disk.write('sluice', part, kept);
        }),
      commit: async ({ replace }) =>
        replace || disk.get(path) === null ? rename(part, path) : ok({ kind: 'occupied' }),
      close: () => Promise.resolve(),
    };
    return ok(file);
  };
  const writeWhole: Files['writeWhole'] = async (path, part, bytes, { replace }) => {
    // Copied, because the caller reuses the memory.
    const content = Buffer.from(bytes);
    const written = await writing(part, () => disk.write('sluice', part, content));
    if (!written.ok) return written;
    if (!replace && disk.get(path) !== null) {
      disk.remove('sluice', part);
      return ok({ kind: 'occupied' });
    }
    return rename(part, path);
  };
  return {
    openPart,
    writeWhole,
    remove: (path) => writing(path, () => disk.remove('sluice', path)),
    moveFile: async (from, to) => {
      if (disk.get(to) !== null) return fail('item.changed', { path: to });
      if (disk.get(from) === null) return fail('item.gone', { path: from });
      return writing(to, () => disk.move('sluice', from, to));
    },
    // Archives stay packed in a simulation: unpacking has its own tests.
    unpack: (archive) => Promise.resolve(fail('part.damaged', { path: archive })),
  };
}
