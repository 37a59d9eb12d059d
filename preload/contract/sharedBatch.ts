/** Two watches that fill one batch: it belongs to the one that fills it first. Pure. */
import type { WatchRule } from './watchRule.ts';

/** The watch that fills the same batch as the rule; `id`: the watch of the rule itself, null for a new one. */
export function fillsSameBatch<Watch extends { readonly id: number; readonly rule: WatchRule }>(
  watches: readonly Watch[],
  { batch }: WatchRule,
  id: number | null,
): Watch | null {
  if (batch.includes('{watch}')) return null;
  return watches.find((one) => one.id !== id && one.rule.batch === batch) ?? null;
}

/** What follows from that; `other` names it, `one` is what a watch is called there. */
export function sharedBatchWords(other: string, one: 'watch' | 'folder'): string {
  return `${other} fills the same batch. Only the rule of the ${one} that fills it first decides when it is closed, which workflow runs, and what is moved. While that ${one} is paused, nothing is sent to the batch.`;
}
