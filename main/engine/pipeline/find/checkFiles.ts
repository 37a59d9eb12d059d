/** How a watch checks the files that its scans, hints and polls find, until they are stable. */
import { join, relative } from 'node:path';
import { type ErrorCode, sluiceError, type SluiceError } from '../../core/errors.ts';
import { shortageOf } from '../../core/errno.ts';
import type { WatchTimes } from '../../core/limits.ts';
import type { DirectoryPlace } from '../../core/model.ts';
import type { Files, Notifying } from '../../core/ports.ts';
import { knownFiles } from '../../store/tables/items.ts';
import { clearUnreadable } from '../../store/tables/seen.ts';
import { createBusyPlaces } from './busyPlaces.ts';
import type { Pipeline } from '../context.ts';
import { withDrives } from '../drives.ts';
import { type FoundFile, gathered, type LeftOut, scan } from './scan.ts';
import {
  type Changing,
  decideSettle,
  gatherMs,
  isSettled,
  isTouchedSince,
  MOST_WAITING,
  nextCheckAt,
  type Unsettled,
} from './stability.ts';
import { type FilterWants, leaveOut } from './watchFilter.ts';

export interface WatchConfig extends FilterWants {
  readonly destinationId: number;
  readonly quietMs: number;
  /** Files last touched before this time are ignored, in epoch ms; 0 to ignore none. */
  readonly notBefore: () => number;
  /** Takes stable files into the ledger; calls `recorded` in the transaction that does. */
  readonly identify: (
    found: readonly FoundFile[],
    recorded: (paths: readonly string[]) => void,
  ) => Promise<void>;
  /** Called before and after each check whether the directory exists; `changing`: files that have kept changing for long. */
  readonly beforeRootCheck?: () => Promise<void>;
  readonly rootChecked?: (isThere: boolean, changing: Changing | null) => void;
  readonly scanned?: () => void;
  /** Always lists names instead of listening. */
  readonly pollOnly: boolean;
  readonly times: WatchTimes;
}

const CHECKED_AT_ONCE = 512;
const READY_AT_ONCE = 256;

/** What a running watch keeps in memory; none of it has to survive a restart. */
export class WatchState {
  /** The first round finds out whether the directory exists. */
  condition: 'scanning' | 'watching' | 'polling' | 'missing' = 'missing';
  notice: string | null = null;
  notifying: Notifying | null = null;
  /** True when names are listed from time to time because the system reports no changes. */
  polling: boolean;
  trusted = true;
  readonly unsettled = new Map<string, Unsettled>();
  /** Paths that could not be checked yet for a temporary reason. */
  readonly busy = createBusyPlaces();
  /** Paths that were touched since the last round. */
  readonly touched = new Set<string>();
  /** Files from hints and second checks that are being checked or identified now, until the ledger has them. */
  readonly inHand = new Set<string>();
  /** Names in the last listing, by directory; polling compares new listings with these. */
  names = new Map<string, ReadonlySet<string>>();
  scanWanted = true;
  isScanning = false;
  scannedOnce = false;
  /** Device and inode of the directory at the last check; null while it is missing. */
  place: DirectoryPlace | null = null;
  lastScanAt: number;
  /** Total time spent reading files, in ms. */
  readMs = 0;
  /** How long the last full scan and the last name listing took, in ms. */
  scanTookMs = 0;
  pollTookMs = 0;
  lastRootCheckAt = Number.NEGATIVE_INFINITY;
  lastPollAt = Number.NEGATIVE_INFINITY;

  constructor(pollOnly: boolean, now: number) {
    this.polling = pollOnly;
    this.lastScanAt = now;
  }
}

/** A watch of one directory while it runs. */
export interface ActiveWatch {
  readonly pipeline: Pipeline;
  readonly config: WatchConfig;
  readonly state: WatchState;
  /** Ends the pause between two rounds. */
  readonly wake: () => void;
}

/** Why files are checked: a scan found them; a hint named them, so they are new or just touched; or an earlier check was undecided. */
type CheckReason = 'scan' | 'hint' | 'again';

/** Errors after which a file is looked at again after a pause. */
const AGAIN: ReadonlySet<ErrorCode> = new Set(['file.busy', 'disk.missing']);

/** Drops files that the ledger already knows and decides about the rest. */
async function checkGroup(
  { pipeline, config, state }: ActiveWatch,
  paths: readonly string[],
  reason: CheckReason,
): Promise<readonly FoundFile[]> {
  const { clock, files } = pipeline.ports;
  const isCrowded = reason === 'hint' && state.unsettled.size >= MOST_WAITING;
  const trusted = state.trusted && (reason === 'scan' || isCrowded);
  const known = knownFiles(pipeline.store, config.destinationId, paths);
  const looks = await files.stat(paths);
  const ready: FoundFile[] = [];
  paths.forEach((path, index) => {
    const look = looks[index];
    const before = state.unsettled.get(path) ?? null;
    state.unsettled.delete(path);
    const item = known.get(path);
    const found = (error: SluiceError | null): FoundFile => ({
      path,
      relativePath: relative(config.directory, path),
      error,
    });
    if (look?.ok === false && AGAIN.has(look.error.code)) {
      const isShort = shortageOf(look.error) !== null;
      const mustReport = state.busy.failed(path, false, clock.monotonicMs(), isShort);
      // A file that the ledger already knows is not reported when it cannot be read for a time.
      if (mustReport && item === undefined) {
        ready.push(found(sluiceError('item.unreadable', look.error.context)));
      }
      return;
    }
    state.busy.ended(path);
    // It disappeared again; the next hint or scan picks it up if it returns. Identify reports unreadable files.
    if (look === undefined || (!look.ok && look.error.code === 'item.gone')) return;
    if (!look.ok) {
      ready.push(found(look.error));
      return;
    }
    const facts = look.value;
    if (item !== undefined && isSettled(item, facts.stamp)) return;
    // A hint means that something is new, even if the file's times say otherwise.
    const isExpected = reason === 'hint' || before !== null || item !== undefined;
    if (!isExpected && !isTouchedSince(facts, config.notBefore(), clock.now())) return;
    const waiting = decideSettle({
      path,
      facts,
      before,
      trusted,
      remote: !state.trusted,
      quietMs: config.quietMs,
      now: clock.now(),
      monotonicMs: clock.monotonicMs(),
    });
    if (waiting === null) ready.push(found(null));
    else state.unsettled.set(path, waiting);
  });
  return withoutLinkedDirectories(files, state, ready);
}

/** Drops hints about links to directories: a scan walks through them, and the link itself is not reported. */
async function withoutLinkedDirectories(
  files: Files,
  state: WatchState,
  ready: readonly FoundFile[],
): Promise<readonly FoundFile[]> {
  const kept: FoundFile[] = [];
  for (const one of ready) {
    const real = one.error?.code === 'item.unsupported' ? await files.realPath(one.path) : null;
    if (real === null || (await files.typeOf(real)) !== 'directory') kept.push(one);
    else state.scanWanted = true;
  }
  return kept;
}

/** Returns what to call once paths are in the ledger, which counts them from then on. */
function recordedOf(state: WatchState): (paths: readonly string[]) => void {
  return (paths) => {
    for (const path of paths) state.inHand.delete(path);
  };
}

/** Checks files and passes the stable ones to identify. */
async function checkInGroups(
  watch: ActiveWatch,
  paths: readonly string[],
  reason: CheckReason,
): Promise<void> {
  const { pipeline, config, state } = watch;
  // Files that are no longer unsettled stay counted until the ledger has them: the watch must not look finished.
  const counted = reason === 'scan' ? [] : paths;
  for (const path of counted) state.inHand.add(path);
  try {
    for (let from = 0; from < paths.length && !pipeline.signal.aborted; from += CHECKED_AT_ONCE) {
      const group = paths.slice(from, from + CHECKED_AT_ONCE);
      const ready = await checkGroup(watch, group, reason);
      const isReady = new Set(ready.map(({ path }) => path));
      for (const path of group) if (!isReady.has(path)) state.inHand.delete(path);
      const began = pipeline.ports.clock.monotonicMs();
      for (let at = 0; at < ready.length; at += READY_AT_ONCE) {
        await config.identify(ready.slice(at, at + READY_AT_ONCE), recordedOf(state));
      }
      state.readMs += pipeline.ports.clock.monotonicMs() - began;
    }
  } finally {
    for (const path of counted) state.inHand.delete(path);
  }
}

/** Checks the files that were touched since the last time, and those that are due. */
export async function checkExpected(watch: ActiveWatch): Promise<void> {
  const { pipeline, config, state } = watch;
  const touched = [...state.touched];
  state.touched.clear();
  await checkInGroups(watch, touched, 'hint');
  const now = pipeline.ports.clock.monotonicMs();
  const due: string[] = [];
  for (const one of state.unsettled.values())
    if (nextCheckAt(one, config.quietMs) <= now) due.push(one.path);
  await checkInGroups(watch, due, 'again');
}

/** Checks every file below a directory. Returns the directories that could not be listed: reported as a problem, or busy. */
async function walk(watch: ActiveWatch, directory: string) {
  const { pipeline, config, state } = watch;
  const { clock } = pipeline.ports;
  const files = await withDrives(pipeline, pipeline.ports.files, [directory]);
  const place = { path: directory, root: config.directory };
  const leftOut: LeftOut = (within, type) => leaveOut(config, join(config.directory, within), type);
  const unreadable: string[] = [];
  const busy = new Set<string>();
  const found = scan(files, [place], leftOut, pipeline.signal);
  let expectedAt = clock.monotonicMs();
  for await (const group of gathered(found, CHECKED_AT_ONCE, clock)) {
    const reported: FoundFile[] = [];
    const paths: string[] = [];
    for (const one of group) {
      if (one.error === null) paths.push(one.path);
      else if (one.error.code === 'directory.unreadable') reported.push(one);
      else if (one.error.code === 'file.busy') {
        busy.add(one.path);
        const isShort = shortageOf(one.error) !== null;
        const mustReport = state.busy.failed(one.path, true, clock.monotonicMs(), isShort);
        const error = sluiceError('directory.unreadable', one.error.context);
        if (mustReport) reported.push({ ...one, error });
      }
    }
    // A reported directory no longer counts as expected: until the ledger has it, the watch must not look finished.
    for (const { path } of reported) state.inHand.add(path);
    try {
      if (reported.length > 0) await config.identify(reported, recordedOf(state));
    } finally {
      for (const { path } of reported) state.inHand.delete(path);
    }
    for (const one of reported) unreadable.push(one.path);
    state.notifying?.found?.(paths);
    // Files that are already being checked because of a hint keep their own two checks.
    const fresh = paths.filter((path) => !state.unsettled.has(path) && !state.touched.has(path));
    await checkInGroups(watch, fresh, 'scan');
    // A new file must not wait until a large directory is taken in.
    if (clock.monotonicMs() - expectedAt < gatherMs(config.quietMs)) continue;
    await checkExpected(watch);
    expectedAt = clock.monotonicMs();
  }
  return { unreadable, busy };
}

/** Walks through the whole directory. Hints may be lost; the scan is authoritative. */
export async function fullScan(watch: ActiveWatch): Promise<void> {
  const { pipeline, config, state } = watch;
  const { clock } = pipeline.ports;
  state.scanWanted = false;
  state.isScanning = true;
  const began = clock.monotonicMs() - state.readMs;
  const { unreadable, busy } = await walk(watch, config.directory);
  if (pipeline.signal.aborted) return;
  state.busy.endDirectories(busy);
  pipeline.store.transaction(() =>
    clearUnreadable(pipeline.store, config.destinationId, [...unreadable, ...busy], clock.now()),
  );
  state.lastScanAt = clock.monotonicMs();
  // Time spent reading new files does not count as scan time.
  state.scanTookMs = state.lastScanAt - state.readMs - began;
  state.isScanning = false;
  state.scannedOnce = true;
  state.condition = state.polling ? 'polling' : 'watching';
  config.scanned?.();
}

/** Rechecks paths that failed for a temporary reason and are due now. */
export async function checkBusy(watch: ActiveWatch): Promise<void> {
  const { pipeline, state } = watch;
  const { files, directories } = state.busy.due(pipeline.ports.clock.monotonicMs());
  await checkInGroups(watch, files, 'again');
  for (const directory of directories) {
    if (pipeline.signal.aborted) return;
    const { busy } = await walk(watch, directory);
    // The next scan clears the reported problem.
    if (!busy.has(directory) && state.busy.ended(directory)) state.scanWanted = true;
  }
}
