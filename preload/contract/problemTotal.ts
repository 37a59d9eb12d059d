/** What the list of problems contains besides files, and how many problems there are in total. Pure. */
import { lacksKey, needsPerson } from '../../preload/contract/waitMessages.ts';
import type { AppSnapshot, ConnectionView } from '../../preload/contract/snapshot.ts';
import type { WaitView } from '../../preload/contract/waits.ts';

export function connectionsWithoutKey(
  connections: AppSnapshot['connections'],
): readonly ConnectionView[] {
  return connections.filter(lacksKey);
}

/** What waits until the user acts. A refused key is one problem, no matter what else waits for it. */
export function urgentWaits({
  waits,
  connections,
}: Pick<AppSnapshot, 'waits' | 'connections'>): readonly WaitView[] {
  const isKeyShown = connectionsWithoutKey(connections).length > 0;
  return waits.filter(
    (wait) => needsPerson(wait) && !(isKeyShown && wait.code === 'auth.rejected'),
  );
}

/** The number of things that the user can act on. */
export function problemTotal(
  snapshot: Pick<AppSnapshot, 'waits' | 'connections' | 'problems'>,
): number {
  const { count, jobs } = snapshot.problems;
  return (
    count + jobs + connectionsWithoutKey(snapshot.connections).length + urgentWaits(snapshot).length
  );
}
