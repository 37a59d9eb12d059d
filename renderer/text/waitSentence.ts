/** The sentence about something that waits, with the advice of the window. */
import type { ConnectionView } from '../../preload/contract/snapshot.ts';
import type { WaitKind, WaitView } from '../../preload/contract/waits.ts';
import { connectionsWithoutKey } from '../../preload/contract/problemTotal.ts';
import { sentenceOfWait } from '../../preload/contract/waitMessages.ts';
import { visible } from '../../preload/contract/visibleText.ts';
import { wordsFor } from './errorWords.ts';

/** What a person paused, and what concerns only the disk: no key changes these. */
const WITHOUT_KEY: readonly WaitKind[] = [
  'paused',
  'batchPaused',
  'watchPaused',
  'watch',
  'moving',
  'files',
  'unstable',
];

/** True for what cannot be tried before its workspace has a working key. */
export function waitsForKey(
  { kind, workspace }: Pick<WaitView, 'kind' | 'workspace'>,
  connections: readonly ConnectionView[],
): boolean {
  return (
    !WITHOUT_KEY.includes(kind) &&
    connectionsWithoutKey(connections).some((one) => one.workspace === workspace)
  );
}

/** What and why, since when, what happens next: the same text as in `sluice status`. */
export function waitSentence(
  wait: WaitView,
  now: number,
  connections: readonly ConnectionView[],
): string {
  const needsKey = waitsForKey(wait, connections);
  return sentenceOfWait(wait, { now, running: true, needsKey, explain: wordsFor });
}

/** The same in two parts: what happened, and the rest. Names and messages may have sentences of their own, and are not cut. */
export function waitParts(
  wait: WaitView,
  now: number,
  connections: readonly ConnectionView[],
): readonly [what: string, rest: string] {
  const text = waitSentence(wait, now, connections);
  const given = [wait.name, wait.detail].map((part) => visible(part ?? ''));
  const ends = given.map((part) => (text.includes(part) ? text.indexOf(part) + part.length : 0));
  const from = Math.max(...ends);
  const end = text.slice(from).search(/\. (?=[A-Z])/);
  return end === -1 ? [text, ''] : [text.slice(0, from + end + 1), text.slice(from + end + 2)];
}

/** A stable key of a wait in a list. */
export function waitKey({ kind, name, code }: WaitView): string {
  return `${kind}\u0000${name ?? ''}\u0000${code ?? ''}`;
}
