/** The file that represents a batch in lists: requested once, kept while the window is open. */
import type { ItemRow } from '../../preload/contract/records.ts';
import { request } from './bridge.ts';

type FirstFile = Pick<ItemRow, 'id' | 'kind'>;

/** How many batches to keep files for: more than anyone scrolls through. */
const MOST = 2000;
const known = new Map<string, FirstFile>();

/** The newest file of a batch; null while there is none, and for a batch that this computer did not fill. */
export async function firstFileOf(
  connectionId: number,
  batchId: string,
): Promise<FirstFile | null> {
  const key = `${String(connectionId)} ${batchId}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const answer = await request('batch.items', {
    batchId,
    offset: 0,
    limit: 1,
    search: '',
    state: 'all',
    sort: 'added',
    descending: true,
  });
  const first = answer.ok ? answer.value.rows[0] : undefined;
  if (first === undefined) return null;
  if (known.size >= MOST) known.clear();
  const { id, kind } = first;
  known.set(key, { id, kind });
  return { id, kind };
}
