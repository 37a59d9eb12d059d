/** The items of a batch in words: the list's filters, and names here and on the service. Pure. */
import type { ItemRow } from '../../../preload/contract/records.ts';
import type { Counts } from '../../../preload/contract/records.ts';
import { baseName } from '../../text/pathParts.ts';

/** The states by which the list of items can be filtered, in the order of the pipeline. */
export const ITEM_FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'queued', label: 'Waiting' },
  { value: 'sending', label: 'Uploading' },
  { value: 'sent', label: 'To confirm' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'parked', label: 'Needs attention' },
] as const;
export type ItemFilter = (typeof ITEM_FILTERS)[number]['value'];

/** How many items match a filter, as far as the counts show. */
export function countOfFilter(filter: ItemFilter, counts: Counts): number {
  switch (filter) {
    case 'all':
      return counts.found;
    case 'parked':
      return counts.attention;
    case 'queued':
    case 'sending':
    case 'sent':
    case 'confirmed':
      return counts[filter];
  }
}

/** The name of an item on the service, when it differs from the file's own. */
export function otherName(item: Pick<ItemRow, 'path' | 'name'>): string | null {
  return item.name === null || item.name === baseName(item.path) ? null : item.name;
}
