/** Compares the objects that a page of a list shows under our names with our files. */
import type { Comparisons } from '../presence/comparisons.ts';
import { compareName } from '../presence/compareName.ts';
import { compareContent, EMPTY } from '../presence/sameContent.ts';
import { type Claim, type Found, foundBy, isAbsent } from './found.ts';
import type { Pipeline } from '../context.ts';

/** Objects compared at the same time: most comparisons only wait for the head of one answer of the storage. Our choice. */
const AT_ONCE = 32;

/** What may be found under equivalent names, from what is surely not our file on. */
const LIKELIHOOD = ['different', 'nothing', 'unknown', 'same'] as const;

/** Combines the results of several objects under equivalent names: the likeliest decides. */
function likelier(before: Found | undefined, found: Found): Found {
  if (before === undefined) return found;
  return LIKELIHOOD.indexOf(before.kind) < LIKELIHOOD.indexOf(found.kind) ? found : before;
}

/** Compares listed objects with our files; of several objects of one item, one that matches decides. Returns the results by item. */
export async function compareAll(
  pipeline: Pipeline,
  claims: readonly Claim[],
  depth: 'bytes' | 'samples',
  pass: Comparisons,
): Promise<ReadonlyMap<number, Found>> {
  const results = new Map<number, Found>();
  const found = await pass.ofPage(pipeline, claims, AT_ONCE, async (claim) => {
    const { item, file, url, byName, mayBePart = false } = claim;
    // Wrong bytes were seen under this name, or may have been sent: samples would prove nothing.
    const match = await (byName === true
      ? compareName(pipeline, url, file, mayBePart)
      : compareContent(pipeline, url, file, item.proof === 'verify' ? 'bytes' : depth));
    // However many videos have not arrived, each of them is looked at.
    return isAbsent(claim, match) ? EMPTY : match;
  });
  for (const [claim, match] of found) {
    const { itemId } = claim.item;
    results.set(itemId, likelier(results.get(itemId), foundBy(claim, match)));
  }
  return results;
}
