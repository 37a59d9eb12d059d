/** What the list of problems contains besides files, and how many problems there are in total. Pure. */
import { needAttention } from './figures.ts';
import type { AppSnapshot, ConnectionView } from './snapshot.ts';
import { lacksKey, needsPerson } from './waitMessages.ts';
import type { WaitView } from './waits.ts';

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

type Problems = Pick<AppSnapshot, 'waits' | 'connections' | 'problems'>;

/** The number of things that the user can act on. */
export function problemTotal(snapshot: Problems): number {
  const { count, jobs } = snapshot.problems;
  return (
    count + jobs + connectionsWithoutKey(snapshot.connections).length + urgentWaits(snapshot).length
  );
}

/** "2 files need attention", "3 problems need attention"; null when nothing does. */
export function attentionWords(snapshot: Problems): string | null {
  const total = problemTotal(snapshot);
  const { count, folders } = snapshot.problems;
  const files = count - folders;
  const thing = files === total ? 'file' : folders === total ? 'folder' : 'problem';
  return total === 0 ? null : needAttention(total, thing);
}
