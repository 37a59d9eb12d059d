/** Whether found content is already in its destination, by fingerprint, and by full hash where a fingerprint is only a hint. */
import { sluiceError } from '../../core/errors.ts';
import { hashKindOf } from '../../core/ids.ts';
import type { Fingerprint } from '../../core/model.ts';
import { hashIfUnchanged } from '../../core/unchanged.ts';
import { type Identified, type Item, itemsWithContent } from '../../store/tables/items.ts';
import type { Identifying } from './identifyOptions.ts';
import { reasonOf } from './judge.ts';

/** A file to check for duplicates: a new one, or an item that is read again. */
export interface Subject {
  /** The existing item for the file; null for a new one. */
  readonly id: number | null;
  readonly path: string;
  readonly relativePath: string;
  /** Epoch ms by this computer's clock; a rule may choose the batch by this time. */
  readonly foundAt: number;
  /** The batch already chosen; null when none is yet, or when there is no choice. */
  readonly baseId: string | null;
}

/** The items that brought this content to where the file goes. */
function itemsLike(
  { pipeline, destinationId, chooseBase, isWatched }: Identifying,
  subject: Subject,
  fingerprint: Fingerprint,
): readonly Item[] {
  const baseId = subject.baseId ?? chooseBase?.(subject, 'look') ?? null;
  return itemsWithContent(pipeline.store, { destinationId, baseId }, fingerprint, !isWatched);
}

/**
 * Full hashes, by path, of large files whose samples match those of another file: samples alone do not prove that the contents are the
 * same.
 */
export async function hashLookalikes(
  identifying: Identifying,
  candidates: readonly { readonly subject: Subject; readonly judged: Identified }[],
): Promise<ReadonlyMap<string, string>> {
  const { files } = identifying.pipeline.ports;
  const hashes = new Map<string, string>();
  const firstWith = new Map<string, string>();
  for (const { subject, judged } of candidates) {
    const { path } = subject;
    if (judged.fingerprint === null || judged.contentHash !== null || judged.state !== 'queued')
      continue;
    const others = itemsLike(identifying, subject, judged.fingerprint).filter(
      (other) => other.path !== path || other.contentHash !== null,
    );
    const twin = firstWith.get(judged.fingerprint);
    firstWith.set(judged.fingerprint, twin ?? path);
    if (others.length === 0 && twin === undefined) continue;
    for (const one of twin === undefined ? [path] : [path, twin]) {
      if (hashes.has(one)) continue;
      const hash = await files.hash(one, hashKindOf(judged.fingerprint));
      if (hash.ok) hashes.set(one, hash.value);
    }
    for (const other of others) {
      if (other.contentHash !== null || hashes.has(other.path)) continue;
      const kind = hashKindOf(other.fingerprint ?? '');
      const hash = await hashIfUnchanged(files, other, kind);
      if (hash !== null) hashes.set(other.path, hash);
    }
  }
  return hashes;
}

/** What is known about the content of a group of files. */
export interface GroupContent {
  /** Full hashes of the files whose samples match: see hashLookalikes. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Fingerprints that the ledger had before the group, and those of the part of the group that was handled so far. */
  readonly known: Set<string>;
}

/** Marks an item as a duplicate if another item of its destination has the same content. */
export function withDuplicate(
  identifying: Identifying,
  judged: Identified,
  self: Subject,
  { hashes, known }: GroupContent,
): Identified {
  const { fingerprint } = judged;
  if (fingerprint === null) return judged;
  const isKnown = known.has(fingerprint);
  known.add(fingerprint);
  if (judged.state !== 'queued') return judged;
  const contentHash = judged.contentHash ?? hashes.get(self.path) ?? null;
  if (!isKnown) return { ...judged, contentHash };
  const original = itemsLike(identifying, self, fingerprint).find((other) => {
    if (other.id === self.id) return false;
    const otherHash = other.contentHash ?? hashes.get(other.path) ?? null;
    return contentHash !== null && otherHash === contentHash;
  });
  if (original === undefined) return { ...judged, contentHash };
  const reason = reasonOf(sluiceError('item.duplicate', { of: original.path }));
  return { ...judged, contentHash, state: 'skipped', reason, duplicateOf: original.id };
}
