/** Small pictures of result images: asked for one by one, kept while they are near. */
import { request } from '../../state/bridge.ts';

/** Kept pictures: some screens full. */
const MOST = 300;
const known = new Map<string, Promise<string | null>>();

async function fetchOne(jobId: string, path: string): Promise<string | null> {
  const answer = await request('result.picture', { jobId, path, size: 'small' });
  return answer.ok ? (answer.value?.dataUrl ?? null) : null;
}

/** The picture of a result image as a data: address; null when none can be made. */
export function resultPicture(jobId: string, path: string): Promise<string | null> {
  const key = `${jobId}\n${path}`;
  const found = known.get(key);
  known.delete(key);
  const picture = found ?? fetchOne(jobId, path);
  known.set(key, picture);
  for (const old of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(old);
  }
  return picture;
}
