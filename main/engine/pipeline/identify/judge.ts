/** Decisions of the identify step: what an inspection means, and what happens to the item that the ledger has. Pure. */
import { assertNever, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { shortageOf } from '../../core/errno.ts';
import { hashKindOf, modifiedAt, noStamp } from '../../core/ids.ts';
import {
  FILE_BUSY_TRIES,
  MAX_IMAGE_BYTES,
  MAX_REREADS,
  TRUNCATED_GRACE_MS,
} from '../../core/limits.ts';
import type { Inspection, Stamp } from '../../core/model.ts';
import type { Identified, Item } from '../../store/tables/items.ts';
import type { Reason } from '../../store/transitions.ts';

/** How much the clocks of this computer and a file server may differ, in ms. */
const CLOCK_SLACK_MS = 5_000;

/** Turns an error into the reason why an item is at rest. */
export function reasonOf(error: SluiceError): Reason {
  const detail = JSON.stringify(error.context);
  return { code: error.code, detail: detail === '{}' ? null : detail };
}

/** What the ledger gets about a file whose content is unknown. */
export function unread(
  state: Identified['state'],
  reason: Reason | null,
  retryAt: number,
  seen: Stamp | null = null,
): Identified {
  const stamp = seen ?? noStamp();
  return {
    kind: null,
    sizeBytes: 0,
    stamp,
    fingerprint: null,
    contentHash: null,
    state,
    reason,
    duplicateOf: null,
    retryAt,
  };
}

/**
 * Why a file that was read again this often is left to a person: it changes each time, or stays locked. null while it is retried; a
 * shortage of open files is never the file's fault. Pure.
 */
export function giveUpReason(error: SluiceError, rereads: number): Reason | null {
  if (shortageOf(error) !== null) return null;
  const facts = { ...error.context, tries: rereads };
  if (error.code === 'file.busy' && rereads >= FILE_BUSY_TRIES) {
    return reasonOf(sluiceError('item.unreadable', facts));
  }
  const changes = error.code === 'item.changed' && rereads >= MAX_REREADS;
  return changes ? reasonOf(sluiceError('item.unstable', facts)) : null;
}

/**
 * A video that begins with zeros may be what the person wants in an explicit upload. A watch treats it as space that is reserved for a file
 * still being written.
 */
function isLeftToTheService(seen: Inspection, isWatched: boolean): boolean {
  return seen.reserved === true && seen.kind === 'video' && !isWatched;
}

/** A modification time in the future means nothing: a wrong clock must not make a truncated file wait for years. */
function mayStillCome(seen: Inspection, now: number): boolean {
  const age = now - seen.touchedAt;
  return age > -CLOCK_SLACK_MS && age < TRUNCATED_GRACE_MS;
}

/** Why a file of this kind and size is never sent, whatever its content; null when it may be. `kind` null: not an image or video. */
export function skippedFor({
  kind,
  sizeBytes,
}: Pick<Inspection, 'kind' | 'sizeBytes'>): Reason['code'] | null {
  if (sizeBytes === 0) return 'item.empty';
  if (kind === null) return 'item.unsupported';
  return kind === 'image' && sizeBytes > MAX_IMAGE_BYTES ? 'item.tooLarge' : null;
}

/** Judges a file by its inspection, before its content is compared with others. `watchedAt`: the time now for a watch, null for an upload. */
export function judge(
  inspected: Result<Inspection>,
  retryAt: number,
  watchedAt: number | null = null,
): Identified {
  if (!inspected.ok) {
    const { error } = inspected;
    if (error.next === 'retry' || error.code === 'disk.missing')
      return unread('queued', null, retryAt);
    return unread(error.next === 'skip' ? 'skipped' : 'parked', reasonOf(error), 0);
  }
  const seen = inspected.value;
  const { kind, sizeBytes, stamp, fingerprint, contentHash } = seen;
  const read = { kind, sizeBytes, fingerprint, contentHash };
  const found: Identified = { ...unread('queued', null, 0, stamp), ...read };
  const resting = (state: 'skipped' | 'parked', code: Reason['code']): Identified => ({
    ...found,
    state,
    reason: reasonOf(sluiceError(code, { bytes: sizeBytes })),
  });
  const skipped = skippedFor(seen);
  if (skipped !== null) return resting('skipped', skipped);
  if (isLeftToTheService(seen, watchedAt !== null)) return found;
  if (seen.truncated && watchedAt !== null && mayStillCome(seen, watchedAt)) {
    return unread('queued', null, retryAt);
  }
  if (seen.truncated) return resting('parked', 'item.truncated');
  return found;
}

/**
 * keep: the item stays as it is · restamp: touched, same content · rewrite: nothing of it was ever sent, so the new
 * inspection replaces the old · retire: it was queued with the old content, which can no longer be sent, so a new item
 * replaces it · add: a new item, next to the one sent before.
 */
export type Decision = 'keep' | 'restamp' | 'rewrite' | 'retire' | 'add';

/** Reasons for being skipped that stay valid while the content is the same. */
const RESTS_WITH_ITS_CONTENT = new Set<Item['reason']>(['item.duplicate', 'item.ignored']);

/** True if a file was written since the ledger looked at it; another owner, mode or inode is no new content. Pure. */
export function isWrittenSince(known: Pick<Item, 'stamp'>, judged: Identified): boolean {
  return modifiedAt(known.stamp) !== modifiedAt(judged.stamp);
}

/** True if a file was written since it was sent, and could not be read completely to compare its content. Pure. */
export function isUncompared(known: Item, judged: Identified): boolean {
  const isMissing = known.contentHash !== null && judged.contentHash === null;
  return isMissing && judged.state === 'queued' && isWrittenSince(known, judged);
}

/** Equal samples of a large file are only a hint: where both full hashes are known, they decide. */
function haveSameContent(known: Item, judged: Identified): boolean {
  if (known.fingerprint === null || known.fingerprint !== judged.fingerprint) return false;
  const [before, after] = [known.contentHash, judged.contentHash];
  if (before === null || after === null || hashKindOf(before) !== hashKindOf(after)) return true;
  return before === after;
}

/** Decides what happens to the ledger's item for a path after a new inspection. */
export function decide(known: Item | null, judged: Identified): Decision {
  if (known === null) return 'add';
  const same = haveSameContent(known, judged);
  switch (known.state) {
    case 'queued':
      if (same) return 'restamp';
      return known.fingerprint === null ? 'rewrite' : 'retire';
    case 'skipped':
      // An item that a person ignored stays ignored until different content is seen.
      if (known.reason === 'item.ignored' && judged.fingerprint === null) return 'keep';
      return same && RESTS_WITH_ITS_CONTENT.has(known.reason) ? 'restamp' : 'rewrite';
    case 'parked':
      if (known.transferId === null) return 'rewrite';
      return same ? 'restamp' : 'add';
    case 'planned':
    case 'sending':
    case 'sent':
    case 'unknown':
    case 'confirmed':
      if (same) return 'restamp';
      // What was sent stays recorded even if its file is gone now.
      return judged.reason?.code === 'item.gone' ? 'keep' : 'add';
    default:
      return assertNever(known.state);
  }
}
