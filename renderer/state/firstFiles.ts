/** The newest files of a batch. The one that represents it in lists is requested once, and kept while the window is open. */
import type { ItemRow } from '../../preload/contract/records.ts';
import { request } from './bridge.ts';

type FirstFile = Pick<ItemRow, 'id' | 'kind'>;

/** How many batches to keep files for: more than anyone scrolls through. */
const MOST = 2000;
const known = new Map<string, FirstFile>();

/** At most `limit`; none of a batch that this computer did not fill. */
export async function newestFiles(
  batchId: string,
  state: 'all' | 'confirmed',
  limit: number,
): Promise<readonly ItemRow[]> {
  const answer = await request('batch.items', {
    batchId,
    offset: 0,
    limit,
    search: '',
    state,
    sort: 'added',
    descending: true,
  });
  return answer.ok ? answer.value.rows : [];
}

/** The newest file of a batch; null while there is none, and for a batch that this computer did not fill. */
export async function firstFileOf(
  connectionId: number,
  batchId: string,
): Promise<FirstFile | null> {
  const key = `${String(connectionId)} ${batchId}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const [first] = await newestFiles(batchId, 'all', 1);
  if (first === undefined) return null;
  if (known.size >= MOST) known.clear();
  const { id, kind } = first;
  known.set(key, { id, kind });
  return { id, kind };
}
