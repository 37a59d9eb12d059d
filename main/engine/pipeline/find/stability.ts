/**
 * Step: settle. A file is finished when two of our checks, at least quietMs apart, agree on size, times and inode. A local file
 * that a scan finds untouched for at least quietMs is ready at once.
 */
import type { ErrorCode } from '../../core/errors.ts';
import { changedAt } from '../../core/ids.ts';
import { CHANGING_SHOWN_MS, TRUNCATED_GRACE_MS } from '../../core/limits.ts';
import type { FileFacts, Stamp } from '../../core/model.ts';
import type { KnownFile } from '../../store/tables/items.ts';

/** Files that are touched or due within quietMs / GATHER_SHARE (at most GATHER_MAX_MS) are checked together: a group costs little more. */
const GATHER_SHARE = 10;
const GATHER_MAX_MS = 500;

export function gatherMs(quietMs: number): number {
  return Math.min(GATHER_MAX_MS, quietMs / GATHER_SHARE);
}

/**
 * When more files than this are touched at once or settle, such as those of a directory that was moved in, the others are taken as a scan
 * takes them: they need no memory, and those that are no longer written to do not wait, nor do later ones wait for them. Our choice.
 */
export const MOST_WAITING = 5_000;

/** A file that is not stable yet. */
export interface Unsettled {
  readonly path: string;
  readonly stamp: Stamp;
  /** Since when it has looked the same, in monotonic ms. */
  readonly since: number;
  /** When it was first found unstable, in monotonic ms. */
  readonly foundAt: number;
}

export interface CheckedFile {
  readonly path: string;
  readonly facts: FileFacts;
  /** The result of the previous check; null at the first check. */
  readonly before: Unsettled | null;
  /** True when a scan of a local directory found it and no event came for it, or events came for too many files. */
  readonly trusted: boolean;
  /** True on a network drive: some show a file's size only once it is closed. */
  readonly remote: boolean;
  readonly quietMs: number;
  /** Wall clock and monotonic clock at the check, in ms. */
  readonly now: number;
  readonly monotonicMs: number;
}

/**
 * Returns null for a stable file, otherwise the state in which it waits. If a time of the file is in the future, its age says nothing, and
 * only checks that agree count. Pure.
 */
export function decideSettle(look: CheckedFile): Unsettled | null {
  const { path, facts, before, quietMs, now, monotonicMs } = look;
  const { stamp } = facts;
  const age = now - facts.touchedAt;
  if (look.trusted && before === null && age >= quietMs) return null;
  const isEmpty = look.remote && facts.sizeBytes === 0;
  const mayBeFilled = isEmpty && age >= 0 && age < TRUNCATED_GRACE_MS;
  if (before === null || before.stamp !== stamp || mayBeFilled)
    return { path, stamp, since: monotonicMs, foundAt: before?.foundAt ?? monotonicMs };
  return monotonicMs - before.since >= quietMs ? null : before;
}

/** True for a file that was touched at that time or later. A modification time in the future says nothing: the change time counts. Pure. */
export function isTouchedSince(
  { touchedAt, stamp }: Pick<FileFacts, 'touchedAt' | 'stamp'>,
  since: number,
  now: number,
): boolean {
  return (touchedAt > now ? changedAt(stamp) : touchedAt) >= since;
}

/** When an unsettled file is checked next, in monotonic ms. */
export function nextCheckAt(unsettled: Unsettled, quietMs: number): number {
  return unsettled.since + quietMs;
}

/** Reasons that say nothing about the content of a file. item.excluded, for example, comes from a rule, and item.stopped from a person. */
const NOT_ABOUT_CONTENT: ReadonlySet<ErrorCode> = new Set([
  'item.excluded',
  'item.stopped',
  'item.unreadable',
  'item.gone',
]);

/** True when the ledger already knows the file in its current form, so that it need not be read. */
export function isSettled(known: KnownFile, stamp: Stamp): boolean {
  return known.stamp === stamp && !(known.reason !== null && NOT_ABOUT_CONTENT.has(known.reason));
}

export interface Changing {
  readonly files: number;
  /** The path of the file that has kept changing for longest. */
  readonly example: string;
  /** For how long that file has kept changing, in whole ms. */
  readonly forMs: number;
}

/** The files that have kept changing for CHANGING_SHOWN_MS beyond their settle time; null when there are none. */
export function longChanging(
  unsettled: Iterable<Unsettled>,
  quietMs: number,
  monotonicMs: number,
): Changing | null {
  let files = 0;
  let oldest: Unsettled | null = null;
  for (const one of unsettled) {
    if (monotonicMs - one.foundAt < quietMs + CHANGING_SHOWN_MS) continue;
    files += 1;
    if (oldest === null || one.foundAt < oldest.foundAt) oldest = one;
  }
  if (oldest === null) return null;
  return { files, example: oldest.path, forMs: Math.round(monotonicMs - oldest.foundAt) };
}
