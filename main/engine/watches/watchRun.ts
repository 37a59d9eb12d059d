/** Runs watches until everything that they found is confirmed or needs a person, or until they are stopped. */
import { sluiceError } from '../core/errors.ts';
import { CONFIRM_PATIENCE_MS, MISSING_PATIENCE_MS } from '../core/limits.ts';
import { blockedJob } from '../jobs/countCheck.ts';
import { createCachedQuery } from '../runner/cachedQuery.ts';
import { isPaused } from '../runner/liveSettings.ts';
import { createQuiet, failureEnd, type RunEnd, silentFor, shownCause } from '../runner/runEnd.ts';
import { awaitsJob, hasActiveJobs, openBatchesOf } from '../store/queue/closing.ts';
import { batchSize, sealBatch } from '../store/tables/batches.ts';
import { type Tally, tallyDestinations } from '../store/tables/seen.ts';
import { countUnread } from '../store/queue/waiting.ts';
import { waitsOf } from '../store/tables/waits.ts';
import type { ConnectionRunner } from '../runner/connectionRunner.ts';
import { givenPathOf, type Watch } from '../store/tables/watches.ts';
import type { Watching } from './watching.ts';

const LOOK_MS = 200;
/** After this many checks in a row that found nothing new, a command without `once` checks less often. */
const IDLE_LOOKS = 25;
const IDLE_LOOK_MS = 1_000;

const NONE_ACTIVE = 'No watch is active. One that is added or resumed starts at once.';

function momentOf(
  running: ConnectionRunner,
  watching: Watching,
  watches: readonly Watch[],
  tally: Tally,
  once: boolean,
) {
  const now = running.pipeline.ports.clock.monotonicMs();
  const followed = watches.map((watch) => watching.watch(watch.id));
  const said = followed.flatMap((one, index) => {
    const notice = one?.notice() ?? null;
    const watch = watches.length > 1 ? watches[index] : undefined;
    if (notice === null) return [];
    return watch === undefined ? [notice] : [`${givenPathOf(watch.rule)}: ${notice}`];
  });
  return {
    tally,
    settling: followed.reduce((count, one) => count + (one?.settling() ?? 0), 0),
    /** Why a watch polls or waits, in words; with the directory if there are several watches. */
    notices: watches.length === 0 && !once ? [NONE_ACTIVE] : said,
    sentBytes: running.sentBytes(),
    blockedBy: shownCause(running),
    silentMs: silentFor(running, now),
    isPaused: isPaused(running.pipeline.store),
  };
}

export type WatchMoment = Readonly<ReturnType<typeof momentOf>>;
/** Closes the batches that `--once` has filled, so that their jobs can start. Returns whether anything is still in progress. */
function finishing(running: ConnectionRunner, watches: readonly Watch[]): boolean {
  const { store, connectionId, ports } = running.pipeline;
  const ids = watches.map(({ id }) => id);
  for (const watch of watches) {
    if (watch.rule.job === null) continue;
    for (const batch of openBatchesOf(store, watch.id)) {
      if (batchSize(store, batch.id) > 0)
        store.transaction(() => sealBatch(store, batch.id, ports.clock.now()));
    }
  }
  return awaitsJob(store, ids) || hasActiveJobs(store, connectionId, ids);
}

/** Creates the check for a directory that has been missing for too long: how the command then ends, null until then. */
function createMissingWatch(
  watching: Watching,
  watches: readonly Watch[],
): (now: number) => RunEnd | null {
  let since: number | null = null;
  return (now) => {
    const away = watches.find(({ id }) => watching.watch(id)?.condition() === 'missing');
    since = away === undefined ? null : (since ?? now);
    if (away === undefined || now - (since ?? now) <= MISSING_PATIENCE_MS) return null;
    return {
      kind: 'blocked',
      error: sluiceError('watch.missing', { path: givenPathOf(away.rule) }),
    };
  };
}

/**
 * How the command ends when nothing has moved for long and every open file is on a drive that is not connected, or no file is open, but no
 * job starts over a batch that lacks files; null otherwise.
 */
function waitingEnd(
  { pipeline }: ConnectionRunner,
  watches: readonly Watch[],
  destinationIds: readonly number[],
  { open }: Tally,
  unmovedMs: number,
): RunEnd | null {
  if (unmovedMs <= (open > 0 ? MISSING_PATIENCE_MS : CONFIRM_PATIENCE_MS)) return null;
  const { store, connectionId } = pipeline;
  if (countUnread(store, destinationIds) < open) return null;
  const drive = waitsOf(store, connectionId).find(({ subject }) => subject === 'drive') ?? null;
  const ids = watches.map(({ id }) => id);
  const wait = open > 0 ? drive : blockedJob(pipeline, ids);
  if (wait === null) return null;
  return { kind: 'blocked', error: sluiceError(wait.code, { said: wait.detail }) };
}

/**
 * Runs until the signal, or with `once` until everything found is confirmed, skipped or needs a person, the jobs of the rules are
 * finished, and what can be moved is moved. Without `once` it waits through refused keys and silent services.
 */
export async function runWatches(
  running: ConnectionRunner,
  watching: Watching,
  watches: readonly Watch[],
  options: {
    readonly once: boolean;
    readonly signal: AbortSignal;
    readonly onMoment: (moment: WatchMoment) => void;
    /** Called again and again; returns the watches that run now. If absent, these are always the given ones. */
    readonly update?: () => readonly Watch[];
    /** Called again and again; returns destinations of removed watches whose files are still sent. */
    readonly kept?: () => readonly number[];
  },
): Promise<{ end: RunEnd; tally: Tally }> {
  const { store, ports } = running.pipeline;
  const { clock } = ports;
  // The files of a watch still count after it was paused or removed.
  const destinationIds = new Set<number>();
  const count = (): Tally => tallyDestinations(store, [...destinationIds]);
  const countAtTimes = createCachedQuery(store, clock, count);
  const follow = createCachedQuery(store, clock, options.update ?? (() => watches));
  const keep = createCachedQuery(store, clock, options.kept ?? (() => []));
  const lost = createMissingWatch(watching, watches);
  const quiet = createQuiet(running);
  let signature = '';
  let unchanged = 0;
  const stopped = new Promise((resolve) => {
    options.signal.addEventListener('abort', resolve, { once: true });
  });
  const look = async (): Promise<{ end: RunEnd; tally: Tally }> => {
    for (;;) {
      const now = clock.monotonicMs();
      const current = follow();
      for (const { destinationId } of current) destinationIds.add(destinationId);
      for (const destinationId of keep()) destinationIds.add(destinationId);
      const tally = countAtTimes();
      const moment = momentOf(running, watching, current, tally, options.once);
      options.onMoment(moment);
      const seen = JSON.stringify([tally, moment.settling, moment.sentBytes]);
      unchanged = seen === signature ? unchanged + 1 : 0;
      signature = seen;
      if (options.signal.aborted) return { end: { kind: 'interrupted' }, tally: count() };
      if (options.once) {
        // Once all files are finished, only jobs and their results are left: those may take as long as they need.
        const unmovedMs = quiet(tally, now, moment.settling);
        const end = failureEnd(running, now, tally.open === 0 ? 0 : unmovedMs) ?? lost(now);
        const ending = end ?? waitingEnd(running, watches, [...destinationIds], tally, unmovedMs);
        if (ending !== null) return { end: ending, tally: count() };
        const rested = watches.every((watch) => watching.watch(watch.id)?.rested() === true);
        // Counted again, because the cached count may be outdated.
        const last = rested && tally.open === 0 ? count() : null;
        if (last?.open === 0 && !finishing(running, watches)) {
          await Promise.race([watching.finish(), stopped]);
          if (options.signal.aborted) continue;
          return { end: { kind: 'settled' }, tally: last };
        }
      }
      const isIdle = !options.once && unchanged >= IDLE_LOOKS;
      await clock.sleep(isIdle ? IDLE_LOOK_MS : LOOK_MS, options.signal);
    }
  };
  return Promise.race([look(), running.broken, watching.broken]);
}
