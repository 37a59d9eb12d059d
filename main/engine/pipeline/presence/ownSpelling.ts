/** Maps names that a service lists percent-encoded, as in addresses, to the names that our files were sent with. */
import { posix } from 'node:path';
import type { RemoteFile } from '../../core/model.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { itemsNamed } from '../../store/queue/awaited.ts';
import type { Store } from '../../store/store.ts';

/** The name without its percent encoding; null when it has none. */
function decodedName(name: string): string | null {
  if (!name.includes('%')) return null;
  try {
    const decoded = decodeURIComponent(name);
    return decoded === name ? null : decoded;
  } catch {
    return null;
  }
}

/**
 * Whether a service may list a name of ours like this, if their keys are the same: as it was sent, in one case, or with its extension in lower
 * case. Otherwise another computer sent a file whose name differs from ours only in case. Pure.
 */
export function mayBeOurs(name: string, listed: string): boolean {
  const [ours, found] = [name.normalize('NFC'), listed.normalize('NFC')];
  const { name: stem, ext } = posix.parse(ours);
  return [ours, ours.toLowerCase(), ours.toUpperCase(), stem + ext.toLowerCase()].includes(found);
}

/** The keys that a listed name may stand for: its own, and that of its decoded form. */
export function keysOfListed(name: string): readonly string[] {
  const decoded = decodedName(name);
  return decoded === null ? [nameKey(name)] : [nameKey(name), nameKey(decoded)];
}

/** The files of a page; names that are ours only when decoded are decoded. A listed name that is ours unchanged stays as it is. */
export function inOwnSpelling(
  store: Store,
  batchRow: number,
  files: readonly RemoteFile[],
): readonly RemoteFile[] {
  const decoded = files.map(({ fileName }) => decodedName(fileName));
  const keys = files.flatMap(({ fileName }, index) => {
    const name = decoded[index] ?? null;
    return name === null ? [] : [nameKey(fileName), nameKey(name)];
  });
  if (keys.length === 0) return files;
  const ours = new Set(itemsNamed(store, batchRow, keys).map(([key]) => key));
  return files.map((file, index) => {
    const name = decoded[index] ?? null;
    if (name === null || ours.has(nameKey(file.fileName)) || !ours.has(nameKey(name))) return file;
    return { ...file, fileName: name, isDecoded: true };
  });
}
