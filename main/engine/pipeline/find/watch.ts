/**
 * Step: watch. Finds stable files of one directory by hints and scans, and has them identified. Hints may be lost; the scan is
 * authoritative: it runs at the start, every ten minutes, after trouble and on demand.
 */
import { join } from 'node:path';
import type { DirectoryPlace } from '../../core/model.ts';
import type { Pipeline } from '../context.ts';
import { missingDrive } from '../drives.ts';
import {
  type ActiveWatch,
  fullScan,
  checkBusy,
  checkExpected,
  WatchState,
  type WatchConfig,
} from './checkFiles.ts';
import { gatherMs, longChanging, MOST_WAITING, nextCheckAt } from './stability.ts';
import { createHintFilter, leaveOut } from './watchFilter.ts';

/** The pause after a scan or a name listing is at least this many times as long as the scan or listing took, up to LONGEST_PAUSE_MS. */
const SCAN_SHARE = 10;
const POLL_SHARE = 4;
const LONGEST_PAUSE_MS = 3_600_000;

const EXHAUSTED =
  'The system has no directory watches left (inotify), so names are listed every 2 seconds instead. fs.inotify.max_user_watches raises the limit.';
const REMOTE =
  'The directory is on another machine, which does not report changes: names are listed every 2 seconds.';
const MISSING =
  'The folder is not there, or its drive does not answer. Watching continues when it is back.';

function listen({ pipeline, config, state, wake }: ActiveWatch): void {
  const { files, log } = pipeline.ports;
  state.notifying = files.notify(config.directory, {
    leftOut: createHintFilter(config),
    onTouched: (path, type, isListed = false) => {
      if (leaveOut(config, path, type ?? 'file') !== null) return;
      // Files that are named one by one find room beside a large directory.
      const most = isListed ? MOST_WAITING : 4 * MOST_WAITING;
      // To a scan, an old file that was moved in is not new.
      if (state.touched.size >= most && config.notBefore() === 0) state.scanWanted = true;
      else state.touched.add(path);
      wake();
    },
    onTrouble: (kind, detail) => {
      log.write('warn', 'watch.trouble', { directory: config.directory, kind, detail });
      state.scanWanted = true;
      if (kind === 'exhausted' && state.notice !== EXHAUSTED) {
        state.polling = true;
        state.notice = EXHAUSTED;
        void state.notifying?.close();
        state.notifying = null;
      }
      wake();
    },
  });
}

/** Resolves when the signal aborts, so that a drive that hangs cannot keep a watch from stopping. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function stopListening(state: WatchState): Promise<void> {
  await state.notifying?.close();
  state.notifying = null;
}

async function forget(state: WatchState): Promise<void> {
  // Until the next scan, nothing is known: the watch must not look finished.
  state.scanWanted = true;
  await stopListening(state);
  state.unsettled.clear();
  state.busy.clear();
  state.touched.clear();
}

/** True when the path leads to a different directory than at the last check: a volume was mounted there, or removed. */
function isElsewhere({ place, trusted }: WatchState, now: DirectoryPlace): boolean {
  if (place === null) return false;
  return place.device !== now.device || (trusted && place.inode !== now.inode);
}

/** True when a volume was mounted below the directory, or removed there, since the last check. */
function hasOtherMounts({ place }: WatchState, now: DirectoryPlace): boolean {
  if (place === null || place.mounts === null || now.mounts === null) return false;
  return place.mounts !== now.mounts;
}

/** The directory's place; null when it is missing, or empty because its drive is not connected. */
async function placeNow({ pipeline, config }: ActiveWatch): Promise<DirectoryPlace | null> {
  const { files } = pipeline.ports;
  const place = await files.placeOf(config.directory);
  if (place === null || (await missingDrive(pipeline, config.directory)) === null) return place;
  const listing = await files.list(config.directory);
  return listing.ok && listing.value.length === 0 ? null : place;
}

/** Detects that the directory vanished, returned or was replaced. Returns whether it exists. */
async function checkRoot(watch: ActiveWatch): Promise<boolean> {
  const { pipeline, config, state } = watch;
  const { clock, log } = pipeline.ports;
  const now = clock.monotonicMs();
  if (now - state.lastRootCheckAt < config.times.rootCheckMs) return state.condition !== 'missing';
  state.lastRootCheckAt = now;
  await config.beforeRootCheck?.();
  const place = await placeNow(watch);
  config.rootChecked?.(place !== null, longChanging(state.unsettled.values(), config.quietMs, now));
  if (place === null) state.notice = MISSING;
  if (place === null && state.condition !== 'missing') {
    log.write('warn', 'watch.missing', { directory: config.directory });
    await forget(state);
    state.condition = 'missing';
  } else if (place !== null && state.condition === 'missing') {
    log.write('info', 'watch.begins', { directory: config.directory });
    await begin(watch);
  } else if (place !== null && isElsewhere(state, place)) {
    // The listener is still attached to the previous directory.
    log.write('info', 'watch.replaced', { directory: config.directory });
    await forget(state);
    await begin(watch);
  } else if (place !== null && hasOtherMounts(state, place)) {
    // Files that are settling keep their state: volumes may come and go more often than a file takes to settle.
    log.write('info', 'watch.mounts', { directory: config.directory });
    await stopListening(state);
    await begin(watch);
  }
  state.place = place;
  return place !== null;
}

async function begin(watch: ActiveWatch): Promise<void> {
  const { pipeline, config, state } = watch;
  state.scanWanted = true;
  state.condition = 'scanning';
  const remote = await pipeline.ports.files.isRemote(config.directory);
  state.trusted = !remote;
  state.polling = remote || config.pollOnly;
  state.notice = remote ? REMOTE : null;
  state.names = new Map();
  if (!state.polling) {
    listen(watch);
    // The scan that follows finds what appears while the listener is being set up.
    await Promise.race([state.notifying?.ready, aborted(pipeline.signal)]);
  }
}

/** Lists names only and marks new ones as touched: cheap on network drives, and enough between scans. */
async function pollNames({ pipeline, config, state }: ActiveWatch): Promise<void> {
  const { files, clock } = pipeline.ports;
  const began = clock.monotonicMs();
  const names = new Map<string, ReadonlySet<string>>();
  const open = [config.directory];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    if (pipeline.signal.aborted) return;
    const listing = await files.list(directory);
    const before = state.names.get(directory);
    if (!listing.ok) {
      // This listing failed, so the next one is compared with the names from before.
      if (before !== undefined) names.set(directory, before);
      continue;
    }
    const here = new Set<string>();
    for (const { name, type } of listing.value) {
      const path = join(directory, name);
      if (leaveOut(config, path, type) !== null) continue;
      if (type === 'directory') open.push(path);
      here.add(name);
      // In a directory that we see for the first time, every name is new; the very first listing is only the baseline.
      const isNew = before === undefined ? state.names.size > 0 : !before.has(name);
      if (type !== 'directory' && isNew) state.touched.add(path);
    }
    names.set(directory, here);
  }
  state.names = names;
  state.lastPollAt = clock.monotonicMs();
  state.pollTookMs = state.lastPollAt - began;
}

/** The pause between two walks: no shorter than wanted, and long compared to the duration of a walk. */
function pauseBetween(wantedMs: number, tookMs: number, share: number): number {
  return Math.max(wantedMs, Math.min(LONGEST_PAUSE_MS, tookMs * share));
}

async function round(watch: ActiveWatch): Promise<number> {
  const { pipeline, config, state } = watch;
  const { clock } = pipeline.ports;
  const { rescanMs, rootCheckMs } = config.times;
  const pollMs = pauseBetween(config.times.pollMs, state.pollTookMs, POLL_SHARE);
  const scanAt = state.lastScanAt + pauseBetween(rescanMs, state.scanTookMs, SCAN_SHARE);
  // List the baseline names before the scan: what appears in between is found by one of the two.
  if (state.polling && state.names.size === 0) await pollNames(watch);
  if (state.scanWanted || clock.monotonicMs() >= scanAt) await fullScan(watch);
  if (state.polling && clock.monotonicMs() - state.lastPollAt >= pollMs) {
    await pollNames(watch);
  }
  await checkExpected(watch);
  await checkBusy(watch);
  let nextAt = state.busy.nextAt() ?? Infinity;
  for (const one of state.unsettled.values())
    nextAt = Math.min(nextAt, nextCheckAt(one, config.quietMs) + gatherMs(config.quietMs));
  const rest = state.polling ? Math.min(pollMs, rootCheckMs) : rootCheckMs;
  return Math.max(5, Math.min(rest, nextAt - clock.monotonicMs()));
}

/** Files and directories that are not stable, or not in the ledger yet; each counts once. Until there are none, the watch is not finished. */
function countSettling({ unsettled, touched, inHand, busy }: WatchState): number {
  let count = unsettled.size;
  for (const path of new Set([...touched, ...inHand, ...busy.expected()]))
    if (!unsettled.has(path)) count += 1;
  return count;
}

/** Starts watching a directory; stops when the pipeline's signal aborts. */
export function startWatch(pipeline: Pipeline, config: WatchConfig) {
  const { clock } = pipeline.ports;
  const state = new WatchState(config.pollOnly, clock.monotonicMs());
  let sleeping = new AbortController();
  const wake = (): void => sleeping.abort();
  const watch: ActiveWatch = { pipeline, config, state, wake };
  const run = async (): Promise<void> => {
    try {
      while (!pipeline.signal.aborted) {
        sleeping = new AbortController();
        const isThere = await checkRoot(watch);
        const pause = isThere ? await round(watch) : config.times.rootCheckMs;
        // While the directory is missing, even a scan that is wanted must wait.
        if (!isThere || (state.touched.size === 0 && !state.scanWanted)) {
          await clock.sleep(pause, AbortSignal.any([pipeline.signal, sleeping.signal]));
        }
        if (state.touched.size > 0) await clock.sleep(gatherMs(config.quietMs), pipeline.signal);
      }
      // `changing` is null: once the watch has stopped, it is not known whether files still change.
      if (state.condition !== 'missing') config.rootChecked?.(true, null);
    } finally {
      // Close it after an error too, such as a full ledger disk: an open listener keeps the process alive.
      await stopListening(state);
    }
  };
  const settling = (): number => countSettling(state);
  return {
    condition: () => state.condition,
    /** Why it polls or waits, in words; null when all is well. */
    notice: () => state.notice,
    /** Number of files that are not stable yet. */
    settling,
    /** True once the first scan has ended and the stable files that it found are identified. */
    scannedOnce: () => state.scannedOnce,
    /** True when the directory exists, has been scanned since it appeared, and nothing in it is waiting to be checked. */
    rested: () =>
      (state.condition === 'watching' || state.condition === 'polling') &&
      !state.scanWanted &&
      !state.isScanning &&
      settling() === 0,
    scanNow: () => {
      state.scanWanted = true;
      wake();
    },
    done: run(),
  };
}

export type RunningWatch = ReturnType<typeof startWatch>;
