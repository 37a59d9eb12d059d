/**
 * Step: download. Fetches every output file of a batch while its list is still being read: each once and complete, unpacked if
 * requested, and listed in a manifest. A list that lacks files is read again.
 */
import { ok, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { backoffMs } from '../backoff.ts';
import { hasCopies } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { missingDrive } from '../drives.ts';
import { createFeed } from './downloadFeed.ts';
import { fetchNext, finishFailing, parkAgain, type Run, unpackRest } from './downloadLanes.ts';
import { type DownloadOrder, type EmptyParts, type Listing, openListing } from './listOutputs.ts';
import { writeManifest } from './manifest.ts';
import { removeForgottenParts } from './parts.ts';
import { createLaneCount } from '../laneCount.ts';
import { createTurns } from '../turns.ts';
import { createPatience, patiently, type PatienceRules } from './patience.ts';

/** Files fetched at the same time: at first (as the service's own client), and at most, if more arrive faster that way. Our choice. */
const FETCHED_AT_ONCE = { first: 8, least: 2, most: 32 } as const;
/** Files in progress, including those that are only being synced or checked: the disk is faster with several at a time. Our choice. */
const AT_ONCE = 48;

export interface Downloaded {
  readonly files: number;
  readonly bytes: number;
  /** Files that need a person, and why. */
  readonly parked: readonly { readonly path: string; readonly error: SluiceError }[];
}

/**
 * Called while files arrive. `bytes`: received in this run. `files`: how many are known so far; all of them once `listed`. `lacks`: why the
 * list is incomplete and will be read again. `waitsFor`: why nothing arrives at the moment.
 */
export type DownloadProgress = (now: {
  bytes: number;
  done: number;
  files: number;
  listed: boolean;
  lacks: SluiceError | null;
  waitsFor: SluiceError | null;
}) => void;

/** How a download behaves when not everything arrives. */
interface DownloadManner extends PatienceRules {
  /** How long a list that lacks files is read again, in ms. */
  readonly lackMs: number;
  /** Parts that were empty so far; kept by a caller that retries by itself. */
  readonly emptyParts: EmptyParts;
  /** The caller retries by itself: a failure of this call does not give the download up. */
  readonly comesAgain: boolean;
  /** Since when nothing was listed at first, in monotonic ms. Absent or null when that was not seen. */
  readonly emptyAt?: number | null;
}

/** Opens the list from its first page. Each page is requested for as long as retrying may help. */
function openPass(
  waiting: Pick<Run, 'pipeline' | 'order' | 'patience' | 'report'>,
  empty: EmptyParts,
): Pick<Run, 'listing' | 'feed'> {
  const { pipeline, order, patience } = waiting;
  const listing = openListing(pipeline, order, empty);
  const read: typeof listing.next = async () => {
    const page = await listing.next();
    if (page.ok) patience.progress();
    else {
      const facts = { batch: order.batchId, code: page.error.code };
      pipeline.ports.log.write('warn', 'outputs.unlisted', facts);
    }
    return page;
  };
  return { listing, feed: createFeed(() => patiently(waiting, read, () => true)) };
}

function startRun(
  pipeline: Pipeline,
  order: DownloadOrder,
  onProgress: DownloadProgress,
  manner: DownloadManner,
): Run {
  const report = (): void => {
    const { bytes, here, feed, lacks } = run;
    const waitsFor = patience.waitsFor();
    // A list that is read again starts from its first page.
    const files = Math.max(feed.count(), here.size);
    onProgress({ bytes, done: here.size, files, listed: feed.listed(), lacks, waitsFor });
  };
  const lanes = createLaneCount(pipeline.ports.clock, FETCHED_AT_ONCE.first, () => FETCHED_AT_ONCE);
  const allowed = (): number => {
    lanes.turnWindow();
    return lanes.allowed();
  };
  const patience = createPatience(pipeline, order.batchId, manner);
  const passing = { pipeline, order, patience, report };
  const run: Run = {
    ...passing,
    ...openPass(passing, manner.emptyParts),
    lanes,
    inTurn: createTurns(allowed, lanes.wasNotFull),
    doubts: new Map(),
    lengths: new Map(),
    oddRests: new Set(),
    witness: null,
    finishing: false,
    gotBytes: (count) => {
      run.bytes += count;
      lanes.moved(count);
      // While large files arrive, nothing may end for a long time.
      run.inTurn.look();
      report();
    },
    bytes: 0,
    here: new Map(),
    directories: new Set(),
    failing: [],
    unpackLater: false,
    lacks: null,
    parked: new Map(),
    triedAgain: new Map(),
  };
  return run;
}

/** Reads the list once and fetches what it offers. Returns the error that stopped it, or null. */
async function passOnce(run: Run): Promise<SluiceError | null> {
  run.finishing = false;
  const away = await missingDrive(run.pipeline, run.order.target);
  if (away !== null) return away;
  const lanes = Array.from({ length: AT_ONCE }, () => fetchNext(run));
  let stopped = (await Promise.all(lanes)).find((error) => error !== null) ?? null;
  stopped ??= await finishFailing(run);
  if (stopped === null && run.unpackLater && run.feed.listed()) stopped = await unpackRest(run);
  run.unpackLater = false;
  if (run.pipeline.signal.aborted) return sluiceError('network.lost', { stopped: true });
  if (stopped !== null || run.feed.count() === 0) return stopped;
  const manifest = await patiently(run, () => writeManifest(run.pipeline, run.order.target));
  return manifest.ok ? null : manifest.error;
}

/** The message for a list that was empty at first and has files now. */
const GROWING = 'it was empty at first, and more may be listed soon';

/** How many readings of a list may shift without showing more files, before the list counts as incomplete. */
const MOST_SHIFTS = 5;

/** What one reading of a list showed, and how many outputs all readings so far showed together. */
interface Reading {
  readonly contents: string;
  readonly shown: number;
}

/**
 * Whether a list lacks files because it shifted between two pages: then it shows some files twice and others not at all. The list is
 * complete when all readings together showed as many files as the service counts, or when two readings in a row were equal: then it really
 * contains names twice.
 */
function shifted(run: Run, readings: Reading[]): 'no' | 'read again' | SluiceError {
  const { pipeline, order, listing } = run;
  const { store, connectionId } = pipeline;
  const repeats = listing.repeats();
  if (listing.doubled() === 0) return 'no';
  if (!repeats && !hasCopies(store, { ...order, connectionId })) return 'no';
  const before = readings.at(-1);
  const now = { contents: listing.contents(), shown: run.here.size + run.parked.size };
  const counted = listing.counted();
  if (repeats && counted !== null && now.shown >= counted) return 'no';
  if (before?.contents === now.contents) return 'no';
  readings.push(now);
  const showsMore = repeats && now.shown > (before?.shown ?? 0);
  if (readings.length <= MOST_SHIFTS || showsMore) return 'read again';
  const said = 'the list changes while it is read';
  return sluiceError('results.incomplete', { batch: order.batchId, said });
}

/** The batches of a job's results: only they appear by themselves, up to a minute after the job has ended. */
const RESULTS = /-(export|processing)$/;

/**
 * Whether a list that was empty at first may still grow: its last files may take as long as its first ones. The returned function is called
 * after each reading, and returns how much longer the list must stay unchanged before it counts as complete, in ms.
 */
function createGrowth({ ports, times }: Pipeline, emptyAt: number | null) {
  const startedAt = emptyAt ?? ports.clock.monotonicMs();
  let contents = '';
  let changedAt = startedAt;
  let wasEmpty = emptyAt !== null;
  return (listing: Listing, beganAt: number): number => {
    if (listing.contents() !== contents) {
      contents = listing.contents();
      changedAt = beganAt;
    }
    const lacks = listing.lacks();
    // A list that was only shorter than the service's count did not start empty: it is complete once it is as long as the count.
    wasEmpty ||= lacks !== null && typeof lacks.context['counted'] !== 'number';
    const lateMs = Math.min(times.resultsAgainMs, changedAt - startedAt);
    return wasEmpty ? Math.max(0, lateMs - (beganAt - changedAt)) : 0;
  };
}

/** Reads the list until nothing is missing. Returns the error that ended it, or null. */
async function passUntilComplete(run: Run, manner: DownloadManner): Promise<SluiceError | null> {
  const { pipeline, order } = run;
  const readings: Reading[] = [];
  const { clock, random } = pipeline.ports;
  const bounds = { ...pipeline.times, backoffMaxMs: pipeline.times.resultsAgainMs };
  const growth = createGrowth(pipeline, manner.emptyAt ?? null);
  let lackingSince: number | null = null;
  for (let passes = 1; ; passes += 1) {
    const beganAt = clock.monotonicMs();
    const stopped = await passOnce(run);
    if (stopped !== null) return stopped;
    const found = run.listing.lacks() ?? shifted(run, readings);
    run.lacks = typeof found === 'string' ? null : found;
    const growsMs = growth(run.listing, beganAt);
    const isSteady = growsMs === 0 || beganAt >= (lackingSince ?? beganAt) + manner.lackMs;
    if (found === 'no' && isSteady) return null;
    if (found === 'no') {
      run.lacks = sluiceError('results.incomplete', { batch: order.batchId, said: GROWING });
      run.report();
      await clock.sleep(growsMs, pipeline.signal);
    } else if (run.lacks !== null) {
      lackingSince ??= clock.monotonicMs();
      // A batch that the service does not know will not appear.
      const isUnknown = run.lacks.code === 'service.notFound' && !RESULTS.test(order.batchId);
      const until = lackingSince + manner.lackMs;
      // Fetching large files after the list was read may have taken long: the list may be complete by now.
      if (isUnknown || manner.lackMs === 0 || beganAt >= until) return run.lacks;
      run.report();
      const pause = backoffMs(passes, random.fraction(), bounds);
      const left = Math.max(0, until - clock.monotonicMs());
      await clock.sleep(Math.min(left, pause), pipeline.signal);
    }
    if (pipeline.signal.aborted) return sluiceError('network.lost', { stopped: true });
    Object.assign(run, openPass(run, manner.emptyParts));
  }
}

/**
 * Fetches every output file of a batch. A file that already exists unchanged is not fetched again; a file that a person changed is left
 * alone, and the output gets another path. Returns the figures, or the error that stopped the download; the same call later continues where
 * it stopped. At the end `manifest.json` lists every file. A list that lacks files is read again. If it still lacks files after that,
 * everything listed has been fetched, and the error is results.incomplete, or service.notFound for a batch that the service does not know.
 * While the download waits, and after it is given up, a wait in the ledger says so.
 */
export async function download(
  pipeline: Pipeline,
  order: DownloadOrder,
  onProgress: DownloadProgress,
  manner: DownloadManner,
): Promise<Result<Downloaded>> {
  const run = startRun(pipeline, order, onProgress, manner);
  const error = await passUntilComplete(run, manner);
  if (error !== null) parkAgain(run);
  else await removeForgottenParts(pipeline, run.directories);
  const isUnknownBatch = error?.code === 'service.notFound' && error === run.lacks;
  const isOver = error === null || isUnknownBatch || pipeline.signal.aborted;
  if (isOver || manner.comesAgain) run.patience.over();
  else run.patience.gaveUp(error);
  if (error !== null) return { ok: false, error };
  const bytes = [...run.here.values()].reduce((sum, size) => sum + size, 0);
  return ok({ files: run.here.size, bytes, parked: [...run.parked.values()] });
}
