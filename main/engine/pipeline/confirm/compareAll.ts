/** Compares the objects that a page of a list shows under our names with our files. */
import type { SluiceError } from '../../core/errors.ts';
import type { ListedItem, OwnFile } from '../../store/queue/awaited.ts';
import { compareContent, type ContentMatch } from '../presence/sameContent.ts';
import type { Pipeline } from '../context.ts';
import { createTurns } from '../turns.ts';

/** Objects compared at the same time: most comparisons only wait for the head of one answer of the storage. Our choice. */
const AT_ONCE = 32;
/**
 * After this many unreadable objects in a row, only one object of each page is tried: the storage lets nothing be read for now, or never
 * does. Our choice.
 */
const UNREADABLE = AT_ONCE;

/** An object listed under one of our names, and our own file. */
export interface Claim {
  readonly item: ListedItem;
  readonly file: OwnFile;
  readonly url: string;
}

/** The comparisons of one pass through a list. */
export class Comparisons {
  /** How many objects in a row could not be read, and why the last of them could not. */
  unreadable = 0;
  error: SluiceError | null = null;
  /** How long they took, in ms. */
  ms = 0;
}

/** Combines the results of several objects under equivalent names: one that matches decides. */
function likelier(before: ContentMatch | undefined, found: ContentMatch): ContentMatch {
  if (before === undefined || found.kind === 'same') return found;
  return before.kind === 'different' ? found : before;
}

/**
 * Compares listed objects with our files, in random order: a few unreadable ones next to each other say nothing about the others. Of
 * several objects of one item, one that matches decides. Returns the results by item.
 */
export async function compareAll(
  pipeline: Pipeline,
  claims: readonly Claim[],
  depth: 'bytes' | 'samples',
  pass = new Comparisons(),
): Promise<ReadonlyMap<number, ContentMatch>> {
  const results = new Map<number, ContentMatch>();
  const compare = async ({ item, file, url }: Claim, isTried: boolean): Promise<void> => {
    if (pipeline.signal.aborted) return;
    // Wrong bytes were seen under this name, or may have been sent: samples would prove nothing.
    const needed = item.proof === 'verify' ? 'bytes' : depth;
    const found: ContentMatch = isTried
      ? await compareContent(pipeline, url, file, needed)
      : { kind: 'unknown', error: pass.error };
    if (found.kind !== 'unknown') pass.unreadable = 0;
    else if (found.error !== null) {
      pass.unreadable += 1;
      pass.error = found.error;
    }
    results.set(item.itemId, likelier(results.get(item.itemId), found));
  };
  const isLost = (): boolean => pass.unreadable >= UNREADABLE;
  const { clock, random } = pipeline.ports;
  const began = clock.monotonicMs();
  const places = new Map(claims.map((claim) => [claim, random.fraction()]));
  const rest = [...places].sort(([, one], [, other]) => one - other).map(([claim]) => claim);
  const probe = isLost() ? rest.shift() : undefined;
  if (probe !== undefined) await compare(probe, true);
  const inTurn = createTurns(() => AT_ONCE);
  await Promise.all(rest.map((claim) => inTurn(() => compare(claim, !isLost()))));
  pass.ms += clock.monotonicMs() - began;
  return results;
}
