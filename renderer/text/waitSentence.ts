/** The sentence about something that waits, with the advice of the window. */
import type { WaitView } from '../../preload/contract/waits.ts';
import { sentenceOfWait } from '../../preload/contract/waitMessages.ts';
import { wordsFor } from './errorWords.ts';

/** What and why, since when, what happens next: the same words as `sluice status`. */
export function waitSentence(wait: WaitView, now: number): string {
  return sentenceOfWait(wait, { now, running: true, explain: wordsFor });
}

/** A stable key of a wait in a list. */
export function waitKey({ kind, name, code }: WaitView): string {
  return `${kind}\u0000${name ?? ''}\u0000${code ?? ''}`;
}
