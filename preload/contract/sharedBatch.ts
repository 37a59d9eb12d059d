/** Two watches that fill one batch: the batch belongs to the watch that fills it first. Pure. */
import type { WatchRule } from './watchRule.ts';

/**
 * Another watch that fills the same batch as this rule; null when there is none. `id`: the watch that has this rule; null for a new watch.
 */
export function fillsSameBatch<Watch extends { readonly id: number; readonly rule: WatchRule }>(
  watches: readonly Watch[],
  { batch }: WatchRule,
  id: number | null,
): Watch | null {
  if (batch.includes('{watch}')) return null;
  return watches.find((one) => one.id !== id && one.rule.batch === batch) ?? null;
}

/**
 * The text for the user about a shared batch. `other`: the name of the other watch; `one`: what the place that shows the text calls a
 * watch.
 */
export function sharedBatchWords(other: string, one: 'watch' | 'folder'): string {
  return `${other} fills the same batch. Only the rule of the ${one} that fills it first decides when it is closed, which workflow runs, and what is moved. While that ${one} is paused, nothing is sent to the batch.`;
}
