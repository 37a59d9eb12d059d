/**
 * Step: watch. Hints and scans of one directory become candidates at rest, which are identified. Hints may be lost;
 * the scan is the truth: at the start, every ten minutes, after trouble, on demand.
 */
import { RESCAN_MS } from '../../core/limits.ts';
import type { DirectoryPlace } from '../../core/model.ts';
import { createBusyPlaces } from './busyPlaces.ts';
import type { Line } from '../context.ts';
import {
  dueLooks,
  fullScan,
  lookAtBusy,
  lookInGroups,
  type WatchCondition,
  type WatchTimes,
  type WatchMemory,
  type WatchWants,
} from './watchLooks.ts';
import { pollNames } from './pollNames.ts';
import { createHintFilter, leaveOut } from './watchFilter.ts';

export interface RunningWatch {
  condition(): WatchCondition;
  /** Why it polls or waits, in words; null when all is well. */
  notice(): string | null;
  /** Files that are not at rest yet. */
  settling(): number;
  /** True once the first scan has ended and what it found at rest was identified. */
  scannedOnce(): boolean;
  /** True when the directory is there and nothing of it is still to be looked at. */
  rested(): boolean;
  scanNow(): void;
  readonly done: Promise<void>;
}

const STANDARD_TIMES: WatchTimes = { pollMs: 2_000, rootCheckMs: 3_000, rescanMs: RESCAN_MS };

/** The pause after a scan, or after a listing of names, is so many times what it took; an hour at most. */
const SCAN_SHARE = 10;
const POLL_SHARE = 4;
const LONGEST_PAUSE_MS = 3_600_000;

function timesOf(wants: WatchWants): WatchTimes {
  return { ...STANDARD_TIMES, ...wants.times };
}

const EXHAUSTED =
  'The system has no directory watches left (inotify), so names are listed every 2 seconds instead. fs.inotify.max_user_watches raises the limit.';
const REMOTE =
  'The directory is on another machine, which tells of no changes: names are listed every 2 seconds.';
const MISSING = 'The directory is not there. Watching goes on by itself when it is back.';

function listen(line: Line, wants: WatchWants, state: WatchMemory, wake: () => void): void {
  const { files, log } = line.ports;
  state.notifying = files.notify(wants.directory, {
    leftOut: createHintFilter(wants),
    onTouched: (path, type) => {
      if (leaveOut(wants, path, type ?? 'file') !== null) return;
      state.touched.add(path);
      wake();
    },
    onTrouble: (kind, detail) => {
      log.write('warn', 'watch.trouble', { directory: wants.directory, kind, detail });
      state.scanWanted = true;
      if (kind === 'exhausted' && !state.polling) {
        state.polling = true;
        state.notice = EXHAUSTED;
        void state.notifying?.close();
        state.notifying = null;
      }
      wake();
    },
  });
}

/** Resolves when the signal aborts: a drive that hangs must not keep a watch from stopping. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function stopListening(state: WatchMemory): Promise<void> {
  await state.notifying?.close();
  state.notifying = null;
}

/** What was seen of a directory that is not there any more. */
async function forget(state: WatchMemory): Promise<void> {
  await stopListening(state);
  state.unsettled.clear();
  state.busy.clear();
  state.touched.clear();
}

/** True when the path leads to another directory than at the last look: a volume was mounted or taken away. */
function isElsewhere({ place, trusted }: WatchMemory, now: DirectoryPlace): boolean {
  if (place === null) return false;
  return place.device !== now.device || (trusted && place.inode !== now.inode);
}

/** Notices a directory that vanished, one that is back, and another one in its place. */
async function checkRoot(
  line: Line,
  wants: WatchWants,
  state: WatchMemory,
  wake: () => void,
): Promise<boolean> {
  const { files, clock, log } = line.ports;
  const now = clock.monotonicMs();
  if (now - state.lastRootCheckAt < timesOf(wants).rootCheckMs)
    return state.condition !== 'missing';
  state.lastRootCheckAt = now;
  const place = await files.placeOf(wants.directory);
  if (place === null) state.notice = MISSING;
  if (place === null && state.condition !== 'missing') {
    log.write('warn', 'watch.missing', { directory: wants.directory });
    await forget(state);
    state.condition = 'missing';
  } else if (place !== null && state.condition === 'missing') {
    log.write('info', 'watch.begins', { directory: wants.directory });
    state.condition = 'scanning';
    await begin(line, wants, state, wake);
  } else if (place !== null && isElsewhere(state, place)) {
    // What listens still listens to the directory that was there before.
    log.write('info', 'watch.replaced', { directory: wants.directory });
    await forget(state);
    await begin(line, wants, state, wake);
  }
  state.place = place;
  return place !== null;
}

async function begin(
  line: Line,
  wants: WatchWants,
  state: WatchMemory,
  wake: () => void,
): Promise<void> {
  const remote = await line.ports.files.isRemote(wants.directory);
  state.trusted = !remote;
  state.polling = remote || wants.pollOnly;
  state.notice = remote ? REMOTE : null;
  state.names = new Map();
  state.scanWanted = true;
  if (!state.polling) {
    listen(line, wants, state, wake);
    // What appears while the listening is set up is found by the scan that follows.
    await Promise.race([state.notifying?.ready, aborted(line.signal)]);
  }
}

/** The pause between two walks through everything: no shorter than wanted, and long beside what a walk takes. */
function pauseBetween(wantedMs: number, tookMs: number, share: number): number {
  return Math.max(wantedMs, Math.min(LONGEST_PAUSE_MS, tookMs * share));
}

async function round(line: Line, wants: WatchWants, state: WatchMemory): Promise<number> {
  const { clock } = line.ports;
  const { rescanMs, rootCheckMs } = timesOf(wants);
  const pollMs = pauseBetween(timesOf(wants).pollMs, state.pollTookMs, POLL_SHARE);
  const scanAt = state.lastScanAt + pauseBetween(rescanMs, state.scanTookMs, SCAN_SHARE);
  // The names that new ones are told from are older than the scan: what appears between the two is met by one of them.
  if (state.polling && state.names.size === 0) await pollNames(line, wants, state);
  if (state.scanWanted || clock.monotonicMs() >= scanAt) await fullScan(line, wants, state);
  if (state.polling && clock.monotonicMs() - state.lastPollAt >= pollMs) {
    await pollNames(line, wants, state);
  }
  const touched = [...state.touched];
  state.touched.clear();
  await lookInGroups(line, wants, state, touched, 'hint');
  await lookAtBusy(line, wants, state);
  const { due } = dueLooks(state, wants.quietMs, clock.monotonicMs());
  await lookInGroups(line, wants, state, due, 'again');
  const now = clock.monotonicMs();
  const { next } = dueLooks(state, wants.quietMs, now);
  const instants = [next, state.busy.nextAt()].filter((at) => at !== null);
  const rest = state.polling ? Math.min(pollMs, rootCheckMs) : rootCheckMs;
  return Math.max(5, Math.min(rest, ...instants.map((at) => at - now)));
}

/** Starts to watch a directory; stops with the signal of the line given. */
export function startWatch(line: Line, wants: WatchWants): RunningWatch {
  const { clock } = line.ports;
  const state: WatchMemory = {
    // Whether it is there is the first thing to find out.
    condition: 'missing',
    notice: null,
    notifying: null,
    polling: wants.pollOnly,
    trusted: true,
    unsettled: new Map(),
    busy: createBusyPlaces(),
    touched: new Set(),
    inHand: 0,
    names: new Map(),
    scanWanted: true,
    scannedOnce: false,
    place: null,
    lastScanAt: clock.monotonicMs(),
    readMs: 0,
    scanTookMs: 0,
    pollTookMs: 0,
    lastRootCheckAt: Number.NEGATIVE_INFINITY,
    lastPollAt: Number.NEGATIVE_INFINITY,
  };
  let sleeping = new AbortController();
  const wake = (): void => sleeping.abort();
  const run = async (): Promise<void> => {
    try {
      while (!line.signal.aborted) {
        sleeping = new AbortController();
        const there = await checkRoot(line, wants, state, wake);
        const pause = there ? await round(line, wants, state) : timesOf(wants).rootCheckMs;
        if (state.touched.size > 0 || state.scanWanted) continue;
        await clock.sleep(pause, AbortSignal.any([line.signal, sleeping.signal]));
      }
    } finally {
      // Also when the ledger's disk is full: an open listener keeps the process alive.
      await stopListening(state);
    }
  };
  const settling = (): number =>
    state.unsettled.size + state.touched.size + state.inHand + state.busy.expected();
  return {
    condition: () => state.condition,
    notice: () => state.notice,
    settling,
    scannedOnce: () => state.scannedOnce,
    rested: () =>
      state.scannedOnce && !state.scanWanted && state.condition !== 'missing' && settling() === 0,
    scanNow: () => {
      state.scanWanted = true;
      wake();
    },
    done: run(),
  };
}
