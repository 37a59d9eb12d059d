/** What is on the list of problems besides files, and how many there are in all. Pure. */
import { lacksKey, needsPerson } from '../../preload/contract/waitMessages.ts';
import type { AppSnapshot, ConnectionView } from '../../preload/contract/snapshot.ts';
import type { WaitView } from '../../preload/contract/waits.ts';

/** Connections that need their key again. */
export function connectionsWithoutKey(
  connections: AppSnapshot['connections'],
): readonly ConnectionView[] {
  return connections.filter(lacksKey);
}

/** What waits until the user does something. A refused key is one problem, whatever else waits for it. */
export function urgentWaits({
  waits,
  connections,
}: Pick<AppSnapshot, 'waits' | 'connections'>): readonly WaitView[] {
  const isKeyShown = connectionsWithoutKey(connections).length > 0;
  return waits.filter(
    (wait) => needsPerson(wait) && !(isKeyShown && wait.code === 'auth.rejected'),
  );
}

/** Everything that the user can do something about. */
export function problemTotal(
  snapshot: Pick<AppSnapshot, 'waits' | 'connections' | 'problems'>,
): number {
  const { count, jobs } = snapshot.problems;
  return (
    count + jobs + connectionsWithoutKey(snapshot.connections).length + urgentWaits(snapshot).length
  );
}
