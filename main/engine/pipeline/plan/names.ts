/** The names that files get in a batch. */
import { basename, sep } from 'node:path';
import { sluiceError, SluiceFailure } from '../../core/errors.ts';
import { nameAtService, nameKey } from '../../files/names/safeNames.ts';
import { type Batch, isNameFree } from '../../store/tables/batches.ts';
import type { Item } from '../../store/tables/items.ts';
import type { PlannedMember } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';

/** The name that identifies path and content of an item; null for an item that was not read. `attempt`: see UniqueSeed. */
export function uniqueName(
  { path, relativePath, fingerprint }: Pick<Item, 'path' | 'relativePath' | 'fingerprint'>,
  attempt = 0,
): string | null {
  if (fingerprint === null) return null;
  const seedPath = relativePath.split(sep).join('/');
  return nameAtService({ baseName: basename(path), unique: { seedPath, fingerprint, attempt } });
}

/** The file's own name, in the form that the service accepts. */
export function bareName(item: Pick<Item, 'path'>): string {
  return nameAtService({ baseName: basename(item.path), unique: null });
}

type NamedItem = Pick<Item, 'id' | 'path' | 'relativePath' | 'fingerprint' | 'batchRow' | 'name'>;

/**
 * The name of an item in a batch. If this computer is alone: its earlier name, otherwise its own, otherwise a unique one. If
 * others write too, always the unique name, which identifies path and content, so that it replaces nothing. `isFree`: no other
 * item has the name with this key. `isListed`: the service lists it, although it has nothing of the item.
 */
function nameFor(
  batch: Batch,
  item: NamedItem,
  isFree: (key: string) => boolean,
  isListed: (key: string) => boolean,
): { name: string; key: string } {
  if (batch.isExclusive) {
    // A unique name made from earlier content would hide the current content from a later ledger.
    const isKept = item.batchRow === batch.id && item.name === uniqueName(item);
    const name = isKept && item.name !== null ? item.name : bareName(item);
    if (isFree(nameKey(name))) return { name, key: nameKey(name) };
  }
  for (let attempt = 0; ; attempt += 1) {
    const name = uniqueName(item, attempt);
    if (name === null) throw new SluiceFailure(sluiceError('bug.unexpected', { item: item.id }));
    if (isFree(nameKey(name)) && !isListed(nameKey(name))) return { name, key: nameKey(name) };
  }
}

/** Names the members of a transfer; no two names are equivalent. */
export function nameMembers(
  { store, foreign }: Pipeline,
  batch: Batch,
  items: readonly NamedItem[],
): PlannedMember[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const isFree = (key: string): boolean =>
      !taken.has(key) && isNameFree(store, batch.id, key, item.id);
    // A video that is listed without an object: the service may refuse another one of its name.
    const isListed = (key: string): boolean => batch.kind === 'video' && foreign.has(batch.id, key);
    const { name, key } = nameFor(batch, item, isFree, isListed);
    taken.add(key);
    return { itemId: item.id, name, nameKey: key };
  });
}
