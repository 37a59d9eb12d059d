/** Small pictures of items: asked for one by one, kept while they are near, never asked for twice. */
import { request } from './bridge.ts';

/** Kept pictures: some screens full; each is a few kB. */
const MOST = 400;
const known = new Map<number, Promise<string | null>>();

async function fetchOne(id: number): Promise<string | null> {
  const answer = await request('item.thumbnail', { id });
  return answer.ok ? (answer.value?.dataUrl ?? null) : null;
}

/** The picture of an item as a data: address; null when none can be made. */
export function thumbnail(id: number): Promise<string | null> {
  const found = known.get(id);
  known.delete(id);
  const picture = found ?? fetchOne(id);
  known.set(id, picture);
  for (const old of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(old);
  }
  return picture;
}
