/**
 * Queued files that the batch has already: after a lost ledger, a late arrival, or a second try. A name that tells the
 * content, or one that only this computer uses, is proof enough; any other object is compared before anything is sent.
 */
import { basename, sep } from 'node:path';
import { ok, type Result } from '../../core/errors.ts';
import { nameAtService, nameKey } from '../../files/names/safeNames.ts';
import { noteProof } from '../../store/queue/awaited.ts';
import { type Batch, nameHolder } from '../../store/tables/batches.ts';
import { duplicatesOf, type Item } from '../../store/tables/items.ts';
import { confirmUnsent, postponePlanning } from '../../store/queue/waiting.ts';
import { backoffMs } from '../backoff.ts';
import { readNames } from '../presence/inventory.ts';
import type { Line } from '../context.ts';
import { compareContent, type Sameness } from '../presence/sameContent.ts';

/** Objects compared at the same time. */
const AT_ONCE = 6;

/** The name that tells path and content of an item; null for one that was not read. */
export function uniqueName(item: Item): string | null {
  if (item.fingerprint === null) return null;
  const seed = { seedPath: item.relativePath.split(sep).join('/'), fingerprint: item.fingerprint };
  return nameAtService({ baseName: basename(item.path), unique: seed });
}

/** The file's own name, as it may be at the service. */
export function bareName(item: Item): string {
  return nameAtService({ baseName: basename(item.path), unique: null });
}

interface Claim {
  readonly item: Item;
  readonly name: string;
  readonly key: string;
  /** The name alone proves the content. */
  readonly isProof: boolean;
}

/** Names under which an item may be in the batch already. */
function claimsOf(line: Line, batch: Batch, item: Item): readonly Claim[] {
  const claims: Claim[] = [];
  const unique = uniqueName(item);
  const add = (name: string, isProof: boolean): void => {
    const key = nameKey(name);
    const holder = nameHolder(line.store, batch.id, key);
    if (holder === null || holder === item.id) claims.push({ item, name, key, isProof });
  };
  const wasHere = item.batchRow === batch.id && item.name !== null && item.tries > 0;
  if (wasHere && item.name !== null) add(item.name, batch.createdHere || item.name === unique);
  if (!batch.createdHere) {
    if (unique !== null && line.foreign.has(batch.id, nameKey(unique))) add(unique, true);
    if (line.foreign.has(batch.id, nameKey(bareName(item)))) add(bareName(item), false);
    // The same content under the name of a copy: which of them was sent, a lost ledger knew.
    for (const copy of duplicatesOf(line.store, item.id)) {
      const name = uniqueName(copy);
      if (name !== null && line.foreign.has(batch.id, nameKey(name))) add(name, true);
      if (line.foreign.has(batch.id, nameKey(bareName(copy)))) add(bareName(copy), false);
    }
  }
  return claims;
}

/** True when something of these items may be in the batch already, so that its list is worth reading. */
export function mayBeThere(line: Line, batch: Batch, items: readonly Item[]): boolean {
  return items.some((item) => claimsOf(line, batch, item).length > 0);
}

interface Match {
  readonly claim: Claim;
  readonly sameness: Sameness;
}

async function compareClaims(
  line: Line,
  claims: readonly { readonly claim: Claim; readonly url: string }[],
): Promise<readonly Match[]> {
  const waiting = [...claims];
  const matches: Match[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (line.signal.aborted) return;
      const { claim, url } = next;
      const sameness: Sameness = claim.isProof
        ? { kind: 'same', proof: null }
        : await compareContent(line, url, claim.item, 'bytes');
      matches.push({ claim, sameness });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return matches;
}

/**
 * Confirms items that the batch has already. What cannot be compared now is not sent either: it waits and is compared
 * again. Answers how many wait. Errors: of reading the list.
 */
export async function matchExisting(
  line: Line,
  batch: Batch,
  items: readonly Item[],
): Promise<Result<number>> {
  const { store, ports, times } = line;
  const byKey = new Map<string, Claim[]>();
  for (const claim of items.flatMap((item) => claimsOf(line, batch, item))) {
    byKey.set(claim.key, [...(byKey.get(claim.key) ?? []), claim]);
  }
  const waiting = new Set<number>();
  const names = await readNames(line, batch, async (files) => {
    const there = files.flatMap((file) =>
      (byKey.get(nameKey(file.fileName)) ?? []).map((claim) => ({ claim, url: file.url })),
    );
    const matches = await compareClaims(line, there);
    await store.soon(() => {
      for (const { claim, sameness } of matches) {
        const { item, name, key } = claim;
        if (sameness.kind === 'different') continue;
        if (sameness.kind === 'unknown') {
          waiting.add(item.id);
          const pause = backoffMs(item.tries + 1, ports.random.fraction(), times);
          postponePlanning(store, item.id, line.time.now() + pause);
          continue;
        }
        waiting.delete(item.id);
        const holder = nameHolder(store, batch.id, key);
        if (holder !== null && holder !== item.id) continue;
        if (!confirmUnsent(store, item.id, { batchRow: batch.id, name, key }, ports.clock.now()))
          continue;
        if (sameness.proof !== null) noteProof(store, item.id, sameness.proof);
      }
    });
  });
  return names.ok ? ok(waiting.size) : names;
}
