/** The writing half of the Files port on a disk in memory. */
import { fail, ok } from '../../main/engine/core/errors.ts';
import type { Files, PartFile, Written } from '../../main/engine/core/ports.ts';
import type { Result } from '../../preload/contract/errors.ts';
import { factsOf } from './disk.ts';
import type { FilesGround } from './filesGround.ts';

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
  /** The disk has zeros where a part is not synced, as after a power cut: only the process that writes it sees its bytes. */
  const openPart: Files['openPart'] = async (path, part, synced) => {
    let kept = bytesAt(part).subarray(0, synced?.bytes ?? 0);
    let syncedBytes = kept.length;
    const save = (): void =>
      disk.write(
        'sluice',
        part,
        Buffer.concat([kept.subarray(0, syncedBytes), Buffer.alloc(kept.length - syncedBytes)]),
      );
    const sync = async (): Promise<void> => {
      syncedBytes = kept.length;
      save();
      await synced?.note(syncedBytes);
    };
    const opened = await writing(part, save);
    if (!opened.ok) return opened;
    const offsetBytes = kept.length;
    if (offsetBytes < (synced?.bytes ?? 0)) await synced?.note(offsetBytes);
    async function* keptBytes(): AsyncGenerator<Uint8Array> {
      await life.wait(1);
      if (offsetBytes > 0) yield Uint8Array.from(kept.subarray(0, offsetBytes));
    }
    const file: PartFile = {
      offsetBytes,
      kept: keptBytes,
      write: async (chunk) => {
        const written = await writing(part, () => {
          kept = Buffer.concat([kept, chunk]);
          save();
        });
        if (written.ok && dice.chance(0.3)) await sync();
        return written;
      },
      truncate: async () => {
        const emptied = await writing(part, () => {
          kept = Buffer.alloc(0);
          syncedBytes = 0;
          save();
        });
        if (emptied.ok) await synced?.note(0);
        return emptied;
      },
      commit: async ({ replace }) => {
        syncedBytes = kept.length;
        save();
        return replace || disk.get(path) === null ? rename(part, path) : ok({ kind: 'occupied' });
      },
      close: async () => {
        if (disk.get(part) !== null) await sync();
      },
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
