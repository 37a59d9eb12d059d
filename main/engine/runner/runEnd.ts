/** How a command that ends by itself can end, and when it gives up although files have not arrived. */
import { type SluiceError, sluiceError } from '../core/errors.ts';
import {
  CONFIRM_PATIENCE_MS,
  RESENDING_PATIENCE_MS,
  UNREACHABLE_MIDWAY_MS,
  UNREACHABLE_START_MS,
} from '../core/limits.ts';
import { longestDoubt } from '../evidence/absence.ts';
import { slowestLag } from '../store/queue/confirmation.ts';
import type { Tally } from '../store/tables/seen.ts';
import type { ConnectionRunner } from './connectionRunner.ts';
import { failingCode, unreadCause } from '../store/queue/failing.ts';

/** How it ended; in every case the ledger keeps everything. */
export type RunEnd =
  /** Everything is final: confirmed, skipped, or parked. */
  | { readonly kind: 'settled' }
  /** The service did not answer for too long. */
  | { readonly kind: 'unreachable' }
  /** Nothing was confirmed for too long; `cause`: what was in the way at the end, null when that is not known. */
  | { readonly kind: 'stalled'; readonly cause: SluiceError | null }
  /** Something outside must change first: a key, a quota, a disk. */
  | { readonly kind: 'blocked'; readonly error: SluiceError }
  | { readonly kind: 'interrupted' };

/** Causes that only a person can remove, with how long they must last to end a command, in ms: a short outage must not end one. */
const ENDING: ReadonlyMap<string, number> = new Map([
  ['auth.rejected', 30_000],
  ['service.quota', 120_000],
  ['service.forbidden', 120_000],
  ['network.proxyAuth', 30_000],
  ['disk.full', 0],
  ['disk.failed', 0],
]);

type Failing = Pick<
  ConnectionRunner,
  'pipeline' | 'blockedBy' | 'blockedSince' | 'failingSince' | 'everAnswered' | 'everAccepted'
>;

/** The cause that ends a command at `now` (monotonic ms); a key that never worked ends it at once. */
function causeToEnd(running: Failing, now: number): SluiceError | null {
  const cause = running.blockedBy();
  const endsAfter = cause === null ? undefined : ENDING.get(cause.code);
  if (cause === null || endsAfter === undefined) return null;
  const isFirstContact = cause.code === 'auth.rejected' && !running.everAccepted();
  const since = running.blockedSince() ?? now;
  return isFirstContact || now - since >= endsAfter ? cause : null;
}

/** How long the service has been silent, in ms; 0 while it answers. */
export function silentFor(running: ConnectionRunner, now: number): number {
  const since = running.silentSince();
  return since === null ? 0 : now - since;
}

/** Makes a function that gets the current figures, and returns when they last changed, in monotonic ms. */
function createChangeTime() {
  let before = '';
  let at = 0;
  return (figures: readonly number[], now: number): number => {
    const seen = figures.join();
    if (seen !== before) at = now;
    before = seen;
    return at;
  };
}

/**
 * Makes a function that returns for how long nothing has moved, in ms: no file changed its state, and no large file made progress. A change
 * of `also` counts as movement, too. Files that are only sent again and again count as movement for a limited time.
 */
export function createQuiet(running: ConnectionRunner) {
  const movedAt = createChangeTime();
  const furtherAt = createChangeTime();
  let most = 0;
  return (tally: Tally, now: number, also = 0): number => {
    const { found, confirmed, skipped, attention, sent } = tally;
    most = Math.max(most, confirmed + sent);
    const seen = [found, confirmed, skipped, attention, also];
    const gotOnAt = running.gotOnAt() ?? 0;
    const quietMs = now - Math.max(movedAt([...seen, sent], now), gotOnAt);
    const fruitlessMs = now - Math.max(furtherAt([...seen, most], now), gotOnAt);
    return fruitlessMs > RESENDING_PATIENCE_MS ? fruitlessMs : quietMs;
  };
}

/** How a command ends that cannot continue at `now` (monotonic ms); null while it can. `quietMs`: how long nothing has moved. */
export function failureEnd(running: Failing, now: number, quietMs: number): RunEnd | null {
  const cause = causeToEnd(running, now);
  if (cause !== null) return { kind: 'blocked', error: cause };
  const patience = running.everAnswered() ? UNREACHABLE_MIDWAY_MS : UNREACHABLE_START_MS;
  // A request that still waits for its answer does not count here: it has a limit of its own.
  const failingSince = running.failingSince() ?? now;
  if (now - failingSince > patience) return { kind: 'unreachable' };
  if (quietMs <= CONFIRM_PATIENCE_MS) return null;
  // With the start of a command, the time to settle a doubt may begin again. So a command must not end before that time is over, however slow
  // the service's lists are.
  const { store, connectionId, times } = running.pipeline;
  const doubtMs = times.sentPatienceMs + longestDoubt(slowestLag(store, connectionId), times);
  // Nor must it end before a shard that another computer began and never ended is ignored.
  const orphanMs = times.orphanShardMs + 2 * times.confirmMaxMs;
  return quietMs > Math.max(doubtMs, orphanMs)
    ? { kind: 'stalled', cause: shownCause(running) }
    : null;
}

/** How long a batch must have been unreadable before that is shown, in ms. Our choice: shorter failures pass by themselves. */
const UNREAD_SHOWN_MS = 10_000;

/** What blocks the run, why each of its transfers waits for another try, or why a batch cannot be read; null while something moves. */
export function shownCause({
  pipeline,
  blockedBy,
}: Pick<ConnectionRunner, 'pipeline' | 'blockedBy'>): SluiceError | null {
  const blocked = blockedBy();
  if (blocked !== null) return blocked;
  const { store, connectionId, bases, time } = pipeline;
  const code = failingCode(store, connectionId, bases);
  return code === null
    ? unreadCause(store, connectionId, bases, time.now() - UNREAD_SHOWN_MS)
    : sluiceError(code);
}
