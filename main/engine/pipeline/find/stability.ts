/**
 * Step: settle. A file is finished when it is stable: two of our own checks, quietMs apart on a clock that never jumps,
 * agree on size, times and inode. A local file that a scan finds untouched for longer than that does not wait.
 */
import type { FileFacts, Stamp } from '../../core/model.ts';
import type { KnownFile } from '../../store/tables/items.ts';

/** A file that is not stable yet. */
export interface Unsettled {
  readonly path: string;
  readonly stamp: Stamp;
  /** Monotonic instant since which it looks the same. */
  readonly since: number;
}

/** What a check of a file means. */
export type SettleDecision =
  { readonly kind: 'ready' } | { readonly kind: 'wait'; readonly next: Unsettled };

export interface CheckedFile {
  readonly path: string;
  readonly facts: FileFacts;
  /** What the last check saw; null for the first. */
  readonly before: Unsettled | null;
  /** A scan of a local directory found it, and no event came for it. */
  readonly trusted: boolean;
  readonly quietMs: number;
  /** Wall clock and monotonic clock at the check, ms. */
  readonly now: number;
  readonly monotonicMs: number;
}

/** Decides from one check. Times in the future never hold a file back: only checks that agree count then. Pure. */
export function decideSettle(look: CheckedFile): SettleDecision {
  const { facts, before, quietMs, now, monotonicMs } = look;
  const age = now - facts.touchedAt;
  if (look.trusted && before === null && age >= quietMs) return { kind: 'ready' };
  if (before === null || before.stamp !== facts.stamp) {
    return {
      kind: 'wait',
      next: { path: look.path, stamp: facts.stamp, since: monotonicMs },
    };
  }
  if (monotonicMs - before.since >= quietMs) return { kind: 'ready' };
  return { kind: 'wait', next: before };
}

/** When an unsettled file is checked next, monotonic ms. */
export function nextCheckAt(unsettled: Unsettled, quietMs: number): number {
  return unsettled.since + quietMs;
}

/** True when the ledger knows a file already, as it is now: it need not be read. */
export function isSettled(known: KnownFile, stamp: Stamp): boolean {
  // None of these is about the content: a rule that changed, or a person who forgot a watch, left it out.
  if (known.reason === 'item.excluded') return false;
  if (known.reason === 'item.unreadable' || known.reason === 'item.gone') return false;
  return known.stamp === stamp;
}
