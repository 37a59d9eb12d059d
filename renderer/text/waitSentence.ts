/** The sentence about something that waits, with the advice of the window. */
import type { ConnectionView } from '../../preload/contract/snapshot.ts';
import type { WaitView } from '../../preload/contract/waits.ts';
import { sentenceOfWait } from '../../preload/contract/waitMessages.ts';
import { wordsFor } from './errorWords.ts';
import { connectionsWithoutKey } from './problemTotal.ts';

/** What and why, since when, what happens next: the same words as `sluice status`. */
export function waitSentence(
  wait: WaitView,
  now: number,
  connections: readonly ConnectionView[],
): string {
  const needsKey = connectionsWithoutKey(connections).some(
    ({ workspace }) => workspace === wait.workspace,
  );
  return sentenceOfWait(wait, { now, running: true, needsKey, explain: wordsFor });
}

/** A stable key of a wait in a list. */
export function waitKey({ kind, name, code }: WaitView): string {
  return `${kind}\u0000${name ?? ''}\u0000${code ?? ''}`;
}
