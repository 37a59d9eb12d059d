/** What a list shows of a trial: the object under its unique name, and those under the names that it may have had before. */
import type { RemoteFile } from '../../core/model.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import type { ListedItem } from '../../store/queue/awaited.ts';
import { itemById } from '../../store/tables/items.ts';
import { bareName, uniqueName } from '../plan/names.ts';
import type { TrialSight } from '../presence/alteredContent.ts';
import { mayBeOurs } from '../presence/ownSpelling.ts';
import { areEqual } from '../presence/sameContent.ts';
import type { Found } from './found.ts';
import type { Pipeline } from '../context.ts';

/** Creates the look of one pass through a list. `trial`: the item; null when there is none. */
export function createTrialLook(pipeline: Pipeline, trial: number | null) {
  const item = trial === null ? null : itemById(pipeline.store, trial);
  const earlierNames = item === null ? [] : [bareName(item), uniqueName(item) ?? ''];
  const earlierKeys = earlierNames.filter((name) => name !== item?.name).map(nameKey);
  const earlier: string[] = [];
  const own: string[] = [];
  let match: Found | undefined;
  let hasOthers = false;
  const isOfOthers = ({ itemId }: ListedItem, { fileName }: RemoteFile): boolean => {
    // A name in lower case may be any name of ours.
    if (fileName === fileName.toLowerCase()) return false;
    const name = itemById(pipeline.store, itemId)?.name ?? fileName;
    return !mayBeOurs(name, fileName);
  };
  return {
    /** True for an item that must wait until the trial has been compared. */
    isWaiting: ({ itemId, state }: ListedItem): boolean =>
      trial !== null && itemId !== trial && state !== 'confirmed',
    /** Takes what one page shows. */
    note(
      byKey: ReadonlyMap<string, readonly RemoteFile[]>,
      items: readonly (readonly [key: string, item: ListedItem])[],
      compared: ReadonlyMap<number, Found>,
    ): void {
      if (trial === null) return;
      hasOthers ||= items.some(([key, item]) =>
        (byKey.get(key) ?? []).some((file) => isOfOthers(item, file)),
      );
      const shown = earlierKeys.flatMap((earlierKey) => byKey.get(earlierKey) ?? []);
      earlier.push(...shown.map(({ url }) => url));
      const [key] = items.find(([, { itemId }]) => itemId === trial) ?? [];
      if (key === undefined) return;
      own.push(...(byKey.get(key) ?? []).map(({ url }) => url));
      match = compared.get(trial);
    },
    /** What the list showed; null while the trial is not listed, or cannot be compared. */
    async result(): Promise<TrialSight | null> {
      if (match === undefined || match.kind === 'unknown' || match.kind === 'nothing') return null;
      if (match.kind === 'same') return 'intact';
      const [url] = own;
      if (url === undefined) return null;
      if (earlier.length === 0) return 'missing';
      const equal = await Promise.all(earlier.map((one) => areEqual(pipeline, one, url)));
      if (equal.includes(true)) return hasOthers ? 'shared' : 'altered';
      return equal.includes(null) ? null : 'replaced';
    },
  };
}
