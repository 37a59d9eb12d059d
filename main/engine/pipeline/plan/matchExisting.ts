/**
 * Finds queued files that the batch already has: after a lost ledger, a late arrival, or a second try. A name that identifies the content
 * is proof enough, once its object exists; any other object is compared before anything is sent.
 */
import { ok, type Result } from '../../core/errors.ts';
import { NAME_LOOKS } from '../../core/limits.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { noteProof } from '../../store/queue/awaited.ts';
import { type Batch, isNameFree, markShared } from '../../store/tables/batches.ts';
import { duplicatesOf } from '../../store/tables/duplicates.ts';
import { itemById } from '../../store/tables/items.ts';
import { confirmUnsent, postponePlanning, type WaitingItem } from '../../store/queue/waiting.ts';
import { backoffMs } from '../backoff.ts';
import { readNames } from '../presence/inventory.ts';
import { keysOfListed } from '../presence/ownSpelling.ts';
import type { Pipeline } from '../context.ts';
import { altersContent } from '../presence/alteredContent.ts';
import { Comparisons } from '../presence/comparisons.ts';
import { compareName } from '../presence/compareName.ts';
import { compareContent, type ContentMatch, isRefusal } from '../presence/sameContent.ts';
import { bareName, uniqueName } from './names.ts';

/** Objects compared at the same time. */
const AT_ONCE = 6;

interface PossibleMatch {
  readonly item: WaitingItem;
  readonly name: string;
  readonly key: string;
  /** The name alone proves the content. */
  readonly isProof: boolean;
  /** The service has something of this name, as its list or its refusal of the file said. */
  readonly isTaken: boolean;
}

/** Names under which an item may already be in the batch. */
function candidatesOf(
  pipeline: Pipeline,
  batch: Batch,
  item: WaitingItem,
): readonly PossibleMatch[] {
  const candidates: PossibleMatch[] = [];
  const unique = uniqueName(item);
  const add = (name: string, isProof: boolean, isTaken = false): void => {
    const key = nameKey(name);
    if (isNameFree(pipeline.store, batch.id, key, item.id))
      candidates.push({ item, name, key, isProof, isTaken });
  };
  const wasSent = item.tries > 0 || item.lost !== null;
  // The item's own name proves nothing: its file may have changed since it was sent, and another computer may have sent one of this name.
  const isTaken = item.name !== null && pipeline.foreign.has(batch.id, nameKey(item.name));
  if (wasSent && item.batchRow === batch.id && item.name !== null)
    add(item.name, item.name === unique, isTaken);
  if (!batch.isExclusive) {
    // The same content may be there under the name of a copy: only the lost ledger knew which one was sent.
    for (const copy of [item, ...duplicatesOf(pipeline.store, item.id)]) {
      // It got its second name if its first was taken, and so on.
      for (let attempt = 0; ; attempt += 1) {
        const name = uniqueName(copy, attempt);
        if (name === null || !pipeline.foreign.has(batch.id, nameKey(name))) break;
        add(name, true, true);
      }
      if (pipeline.foreign.has(batch.id, nameKey(bareName(copy)))) add(bareName(copy), false, true);
    }
  }
  return candidates;
}

/** True when any of these items may already be in the batch, so that its list is worth reading. */
export function mayBeThere(
  pipeline: Pipeline,
  batch: Batch,
  items: readonly WaitingItem[],
): boolean {
  return items.some((item) => candidatesOf(pipeline, batch, item).length > 0);
}

interface Match {
  readonly candidate: PossibleMatch;
  readonly sameness: ContentMatch;
}

interface Listed {
  readonly candidate: PossibleMatch;
  readonly url: string;
}

async function compareCandidates(
  pipeline: Pipeline,
  batch: Batch,
  candidates: readonly Listed[],
  pass: Comparisons,
): Promise<readonly Match[]> {
  // Only a video may be listed before its body has arrived.
  const [sure, others] = [true, false].map((isSure) =>
    candidates.filter(({ candidate }) => (candidate.isProof && batch.kind !== 'video') === isSure),
  );
  const found = await pass.ofPage(pipeline, others ?? [], AT_ONCE, async ({ candidate, url }) => {
    const item = itemById(pipeline.store, candidate.item.id);
    if (item === null) return { kind: 'unknown', error: null };
    if (!candidate.isProof) return compareContent(pipeline, url, item, 'bytes');
    const mayBePart = candidate.item.lost !== null && !altersContent(pipeline, batch);
    const match = await compareName(pipeline, url, item, mayBePart);
    // A name that this ledger planned may be listed only because the video was registered.
    const isBelieved = isUnreadable(match) && !isPlanned(batch, candidate);
    return isBelieved ? { kind: 'same', proof: null } : match;
  });
  return [
    ...(sure ?? []).map(({ candidate }): Match => {
      return { candidate, sameness: { kind: 'same', proof: null } };
    }),
    ...found.map(([{ candidate }, sameness]) => ({ candidate, sameness })),
  ];
}

/**
 * True when it must be looked at again before the item may be sent: the body of an object without content may be on its way, but not for
 * long.
 */
function isOpen(batch: Batch, { candidate, sameness }: Match): boolean {
  const { lost, tries } = candidate.item;
  const isEarly = tries < NAME_LOOKS;
  if (sameness.kind === 'different')
    return sameness.isEmpty === true && candidate.isProof && lost === null && isEarly;
  if (sameness.kind === 'same') return false;
  if (sameness.error?.code === 'service.notFound') return lost === null && isEarly;
  // An image is listed only if it arrived.
  const isLate = lost !== null && batch.kind === 'image';
  // What this ledger planned goes in the end, under another name: it did not arrive, or a person wants it sent again.
  return isEarly || isLate || !isPlanned(batch, candidate) || !isUnreadable(sameness);
}

function isPlanned({ id }: Batch, { item, name }: PossibleMatch): boolean {
  return item.batchRow === id && item.name === name;
}

function isUnreadable(sameness: ContentMatch): boolean {
  return sameness.kind === 'unknown' && sameness.error !== null && isRefusal(sameness.error);
}

/**
 * Confirms items that the batch already has. What cannot be compared now is not sent either: it waits and is compared again.
 * Returns how many wait. Errors: those of reading the list.
 */
export async function matchExisting(
  pipeline: Pipeline,
  batch: Batch,
  items: readonly WaitingItem[],
): Promise<Result<number>> {
  const { store, ports, times } = pipeline;
  const byKey = new Map<string, PossibleMatch[]>();
  for (const candidate of items.flatMap((item) => candidatesOf(pipeline, batch, item))) {
    byKey.set(candidate.key, [...(byKey.get(candidate.key) ?? []), candidate]);
  }
  const waiting = new Set<number>();
  const shown = new Set<PossibleMatch>();
  const confirmed = new Set<number>();
  const comparisons = new Comparisons();
  // The same for all, so that the list is not read again for each of them.
  const fraction = ports.random.fraction();
  const wait = ({ id, tries }: WaitingItem): void => {
    if (waiting.has(id)) return;
    waiting.add(id);
    const pause = backoffMs(tries + 1, fraction, times);
    postponePlanning(store, id, pipeline.time.now() + pause);
  };
  const names = await readNames(pipeline, batch, async (files) => {
    const there = files.flatMap((file) =>
      keysOfListed(file.fileName).flatMap((key) =>
        (byKey.get(key) ?? []).map((candidate) => ({ candidate, url: file.url })),
      ),
    );
    for (const { candidate } of there) shown.add(candidate);
    const matches = await compareCandidates(pipeline, batch, there, comparisons);
    // The next run compares them again.
    if (pipeline.signal.aborted) return;
    await store.soon(() => {
      for (const match of matches) {
        const { sameness } = match;
        const { item, name, key } = match.candidate;
        // Another file has, or may have, our name in a batch that seemed to be filled by us only.
        const isOther = sameness.kind === 'different' || isUnreadable(sameness);
        if (isOther && !isOpen(batch, match) && batch.isExclusive) markShared(store, batch);
        if (isOpen(batch, match)) wait(item);
        if (sameness.kind !== 'same') continue;
        waiting.delete(item.id);
        if (!isNameFree(store, batch.id, key, item.id)) continue;
        if (!confirmUnsent(store, item.id, { batchRow: batch.id, name, key }, ports.clock.now()))
          continue;
        confirmed.add(item.id);
        if (sameness.proof !== null) noteProof(store, item.id, sameness.proof);
      }
    });
  });
  if (!names.ok) return names;
  // Whether the object under that name is ours or another computer's shows once the list has caught up, or is complete again.
  const unseen = [...byKey.values()]
    .flat()
    .filter(({ item, isTaken }) => isTaken && item.tries < NAME_LOOKS)
    .filter((candidate) => !shown.has(candidate) && !confirmed.has(candidate.item.id));
  if (unseen.length > 0) await store.soon(() => unseen.forEach(({ item }) => wait(item)));
  return ok(waiting.size);
}
