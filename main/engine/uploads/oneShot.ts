/** The pipeline for a command that ends: find, upload, wait for the service's confirmation, and say why if it does not come. */
import { dirname } from 'node:path';
import type { Part } from '../core/contract.ts';
import { drop, firstFailure, sluiceError, type SluiceError } from '../core/errors.ts';
import { inTime } from '../core/inTime.ts';
import { FEW_FILES, WATCH_TIMES } from '../core/limits.ts';
import { lookAtDrives, takeIn } from './intake.ts';
import { missingDrive, otherDrive } from '../pipeline/drives.ts';
import { ruleOf, targetFor } from './pendingUploads.ts';
import { type ScanRoot, uploadFilter } from '../pipeline/find/scan.ts';
import type { Target } from '../pipeline/plan/target.ts';
import { createCachedQuery } from '../runner/cachedQuery.ts';
import type { ConnectionRunner } from '../runner/connectionRunner.ts';
import { isPaused } from '../runner/liveSettings.ts';
import { createQuiet, failureEnd, type RunEnd, silentFor, shownCause } from '../runner/runEnd.ts';
import { ensureDestination } from '../store/tables/connections.ts';
import { type Item, itemById } from '../store/tables/items.ts';
import { releaseHold, releaseHolds } from '../store/tables/batches.ts';
import { confirmUnproven } from '../pipeline/confirm/confirmUnproven.ts';
import { parkedForService, requeueParked } from '../store/tables/parked.ts';
import { readOlderNow } from '../store/queue/waiting.ts';
import { heldBatches, pausedBy, somethingMoves } from '../store/queue/dueTransfers.ts';
import {
  clearReadableDirectories,
  hasOpenItems,
  markSeen,
  type Tally,
  tallyDestinations,
  tallySeen,
} from '../store/tables/seen.ts';

export { knownMissingDrive } from '../pipeline/drives.ts';

export interface OneShotProgress {
  readonly tally: Tally;
  readonly scanned: boolean;
  readonly sentBytes: number;
  readonly blockedBy: SluiceError | null;
  /** What a person paused so that nothing moves; null when something moves, or nothing is paused. */
  readonly pausedBy: () => 'all' | 'batch' | 'watch' | null;
  readonly silentMs: number;
}

export interface OneShotRequest {
  readonly places: readonly ScanRoot[];
  /** False to leave out links in the directories. Absent: they are followed. */
  readonly followLinks?: boolean;
  /** The share of the files to send; absent or null for all. Files of other parts are not even entered in the ledger. */
  readonly part?: Part | null;
  readonly target: Pick<Target, 'baseId' | 'displayName' | 'mode' | 'mainKind' | 'notification'>;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: OneShotProgress) => void;
}

/** The fixed properties of a one-shot target: no rule chooses or closes anything. */
const ONE_SHOT = {
  chooseBase: null,
  maxItems: null,
  hasHostInId: false,
  watchId: null,
} as const;
/** The shortest time between two checks while many files change, and the longest while nothing changes, in ms. */
const LOOK_MS = 20;
const QUIET_LOOK_MS = 200;
/** How long nothing else may move before a drive that is not connected ends the command, in ms. Our choice. */
const AWAY_PATIENCE_MS = 5_000;

/** Why nothing can continue although everything works: the service refuses the batch, and nothing else is in progress. */
function blockedBatch(running: ConnectionRunner): SluiceError | null {
  if (running.runningTransfers() > 0) return null;
  const { store, connectionId, bases, time } = running.pipeline;
  const held = heldBatches(store, connectionId, bases, time.now());
  if (held === null || somethingMoves(store, connectionId, bases, time.now())) return null;
  return sluiceError(held.code, held.detail === null ? {} : { said: held.detail });
}

/** Paths, with the time at which each was found, epoch ms. */
type FoundAt = ReadonlyMap<string, number>;

/**
 * Returns a function that returns the error of a drive of these paths that was not connected at the last look; null when all were. A drive
 * that hangs does not hold up the caller.
 */
function createDriveLook({ pipeline }: ConnectionRunner, paths: Promise<FoundAt>) {
  const { clock } = pipeline.ports;
  /**
   * When the last look ended. Infinite during a look, so that no other one starts: each look that hangs blocks one of the few threads for
   * disks.
   */
  let lookedAt = Number.NEGATIVE_INFINITY;
  let away: SluiceError | null = null;
  const look = async (): Promise<void> => {
    let found: SluiceError | null = null;
    for (const [path, foundAt] of await paths)
      found ??= await missingDrive(pipeline, path, foundAt);
    away = found;
  };
  return (now: number): SluiceError | null => {
    if (now - lookedAt >= WATCH_TIMES.rootCheckMs) {
      lookedAt = Number.POSITIVE_INFINITY;
      drop(look().finally(() => (lookedAt = clock.monotonicMs())));
    }
    return away;
  };
}

/** disk.missing if one of these paths has another drive now than when the upload began; null if none has, or if a drive hangs. */
async function otherDriveOf(
  { pipeline }: ConnectionRunner,
  paths: Promise<FoundAt>,
): Promise<SluiceError | null> {
  const look = async (): Promise<SluiceError | null> => {
    let found: SluiceError | null = null;
    for (const [path, foundAt] of await paths) found ??= await otherDrive(pipeline, path, foundAt);
    return found;
  };
  return (await inTime(pipeline.ports.clock, AWAY_PATIENCE_MS, look()))?.found ?? null;
}

function endOf(
  running: ConnectionRunner,
  now: number,
  quietMs: number,
  { signal, away }: { readonly signal: AbortSignal; readonly away: SluiceError | null },
): RunEnd | null {
  if (signal.aborted) return { kind: 'interrupted' };
  const { store, connectionId, bases, time } = running.pipeline;
  const isStill = away !== null && quietMs >= AWAY_PATIENCE_MS && running.runningTransfers() === 0;
  if (isStill && !somethingMoves(store, connectionId, bases, time.now()))
    return { kind: 'blocked', error: away };
  const failed = failureEnd(running, now, quietMs);
  const held = failed?.kind === 'blocked' ? null : blockedBatch(running);
  return held === null ? failed : { kind: 'blocked', error: held };
}

function pausedNow(running: ConnectionRunner): 'all' | 'batch' | 'watch' | null {
  if (running.runningTransfers() > 0) return null;
  const { store, connectionId, bases } = running.pipeline;
  return isPaused(store) ? 'all' : pausedBy(store, connectionId, bases);
}

interface Watching extends Pick<OneShotRequest, 'signal' | 'onProgress'> {
  readonly destinationIds: readonly number[];
  readonly paths: Promise<FoundAt>;
  readonly scanned: () => boolean;
}

/** Waits until every file that was seen is finished, or until the upload cannot continue. */
async function waitUntilSettled(
  running: ConnectionRunner,
  { destinationIds, paths, scanned, signal, onProgress }: Watching,
): Promise<{ end: RunEnd; tally: Tally }> {
  const { store, ports } = running.pipeline;
  const { clock } = ports;
  const quiet = createQuiet(running);
  const awayAt = createDriveLook(running, paths);
  const count = createCachedQuery(store, clock, () => tallySeen(store, destinationIds));
  for (;;) {
    const now = clock.monotonicMs();
    const mark = store.changeMark();
    // Counting a large upload takes a while, so it is done only from time to time, and at once when nothing is open.
    let tally = count();
    if (scanned() && (tally.open === 0 || !hasOpenItems(store, destinationIds))) {
      tally = tallySeen(store, destinationIds);
    }
    // Not while files are still being read, because there may be more on another drive. Files that were sent do not need their drive any
    // more.
    const away = scanned() && tally.open > tally.sent ? awayAt(now) : null;
    onProgress({
      tally,
      scanned: scanned(),
      sentBytes: running.sentBytes(),
      blockedBy: away ?? shownCause(running),
      pausedBy: () => pausedNow(running),
      silentMs: silentFor(running, now),
    });
    const end = endOf(running, now, quiet(tally, now), { signal, away });
    if (end !== null) return { end, tally: tallySeen(store, destinationIds) };
    if (scanned() && tally.open === 0) return { end: { kind: 'settled' }, tally };
    // With few files, the end of the last one must be noticed at once, because it ends the command; many files change all the time.
    if (tally.open > FEW_FILES) await clock.sleep(LOOK_MS, signal);
    if (store.changeMark() === mark) await running.nextChange(QUIET_LOOK_MS, signal);
  }
}

/** When the same command is run again, files that were given up because of the service are tried again. */
async function askAgain({ pipeline }: ConnectionRunner, destinationId: number): Promise<void> {
  const { store, connectionId, bases, ports } = pipeline;
  const now = ports.clock.now();
  await store.soon(() => {
    releaseHolds(store, connectionId, bases ?? []);
    readOlderNow(store, destinationId);
    for (const id of parkedForService(store, connectionId, destinationId, now))
      requeueParked(store, id, now);
  });
}

/** How an upload ends; `earlier`: files for the same batch that earlier commands found, and that still wait, such as for their drive. */
interface UploadEnd {
  readonly end: RunEnd;
  readonly tally: Tally;
  readonly earlier: number;
}

/**
 * Uploads the files at the places and waits until everything is finished, or until it cannot continue. Repeating the same request
 * continues it. Rejects only for bugs and a damaged ledger.
 */
export async function uploadOnce(
  running: ConnectionRunner,
  request: OneShotRequest,
): Promise<UploadEnd> {
  const { store, ports, connectionId } = running.pipeline;
  const { signal, onProgress } = request;
  const destinationId = ensureDestination(store, connectionId, request.target.baseId);
  let finished = false;
  const scanned = (): boolean => finished;
  await askAgain(running, destinationId);
  running.addTarget({
    ...request.target,
    ...ONE_SHOT,
    isShared: (request.part ?? null) !== null,
    destinationId,
    scanned,
  });
  // When the same command is run again, it also looks for files whose delivery was never proved.
  const looking = confirmUnproven(running.pipeline, destinationId, ports.clock.now(), new Map());
  const looked = lookAtDrives(running.pipeline, request.places);
  const paths = looked.then(({ paths: all, at }) => new Map(all.map((path) => [path, at])));
  const from = {
    places: request.places,
    leftOut: uploadFilter(request.followLinks ?? true),
    part: request.part ?? null,
  };
  const finding = takeIn(running.pipeline, destinationId, from, looked);
  const taking = Promise.all([finding, looking]).then(() => {
    finished = true;
    store.transaction(() => clearReadableDirectories(store, destinationId, ports.clock.now()));
    running.wake();
  });
  const swapped = taking.then(() => otherDriveOf(running, paths));
  // The command may end before these promises are awaited.
  for (const unused of [paths, swapped]) drop(unused);
  const ended = await Promise.race([
    waitUntilSettled(running, {
      destinationIds: [destinationId],
      paths,
      scanned,
      signal,
      onProgress,
    }),
    running.broken,
    firstFailure([taking]),
  ]);
  if (ended.end.kind !== 'settled') return { ...ended, earlier: 0 };
  const { open: earlier } = tallyDestinations(store, [destinationId]);
  // Another drive took the place of the first one: then not all files of the first drive were found.
  const error = await swapped;
  return { ...ended, earlier, ...(error !== null && { end: { kind: 'blocked', error } }) };
}

/** Sends parked items again; `queue` queues one in the ledger: there may be very many. Waits like uploadOnce. */
export async function retryOnce(
  running: ConnectionRunner,
  request: Pick<OneShotRequest, 'signal' | 'onProgress'> & {
    readonly ids: readonly number[];
    readonly queue: (item: Item) => void;
  },
): Promise<{ end: RunEnd; tally: Tally }> {
  const { store } = running.pipeline;
  const { ids, queue, signal, onProgress } = request;
  const destinations = new Set<number>();
  const directories = new Map<string, number>();
  store.transaction(() => {
    for (const id of ids) {
      const item = itemById(store, id);
      if (item === null) continue;
      queue(item);
      if (item.batchRow !== null) releaseHold(store, item.batchRow);
      destinations.add(item.destinationId);
      directories.set(dirname(item.path), item.foundAt);
    }
    markSeen(store, ids);
  });
  const scanned = (): boolean => true;
  const destinationIds = [...destinations];
  const paths = Promise.resolve(directories);
  for (const destinationId of destinationIds) {
    const rule = ruleOf(store, destinationId);
    running.addTarget(targetFor(running, { destinationId, rule }, scanned));
  }
  running.wake();
  return Promise.race([
    waitUntilSettled(running, { destinationIds, paths, scanned, signal, onProgress }),
    running.broken,
  ]);
}
