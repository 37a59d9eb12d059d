/**
 * A watch that follows the path that it was given. When a link in the path is switched to another directory, or the directory is replaced
 * by a link, the watch moves to the new directory. Items keep the real paths of their files, so files that were found before are still
 * sent.
 */
import type { WatchRule } from '../core/contract.ts';
import type { Result } from '../core/errors.ts';
import { doOverlap } from '../core/isInside.ts';
import type { Clock, Files } from '../core/ports.ts';
import type { RunningWatch } from '../pipeline/find/watch.ts';
import { givenPathOf } from '../store/tables/watches.ts';

/** Connects the watch of one directory to the code that follows the path. */
export interface DirectoryHooks {
  /** Stops the watch of this directory. */
  readonly signal: AbortSignal;
  readonly beforeRootCheck: () => Promise<void>;
  /** False once the path leads elsewhere. */
  readonly isCurrent: () => boolean;
}

export interface FollowOptions {
  readonly ports: { readonly files: Files; readonly clock: Clock };
  /** Ends the watch of every directory. */
  readonly signal: AbortSignal;
  /** How long a directory that the path no longer leads to is still watched, in ms. */
  readonly lingerMs: number;
  readonly start: (rule: WatchRule, hooks: DirectoryHooks) => RunningWatch;
  /** Records that the watch moves to another directory; null when it does not move, because its rule was changed meanwhile. */
  readonly move: (rule: WatchRule, directory: string) => Promise<Result<WatchRule | null>>;
}

interface Part {
  readonly directory: string;
  readonly watch: RunningWatch;
  readonly stopping: AbortController;
  /** Since when the path has led elsewhere, monotonic ms; null for the current directory. */
  leftAt: number | null;
}

/** The directory that the given path leads to; null when nothing is there, or no link is in the path. */
async function leadsTo(files: Files, rule: WatchRule): Promise<string | null> {
  const given = givenPathOf(rule);
  if (rule.link === null && (await files.placeOf(given)) !== null) return null;
  return files.realPath(given);
}

interface State {
  readonly options: FollowOptions;
  rule: WatchRule;
  /** Why the watch stays in its directory although its path leads elsewhere; null when there is no such reason. */
  refusal: string | null;
  current: Part | null;
  /** Directories that the path led to before, oldest first. */
  left: readonly Part[];
  readonly ends: Promise<void>[];
}

function startPart(state: State, directory: string): Part {
  const { options, rule } = state;
  const stopping = new AbortController();
  const hooks: DirectoryHooks = {
    signal: AbortSignal.any([options.signal, stopping.signal]),
    beforeRootCheck: async () => {
      // The first check may run before `startIn` has returned the watch.
      await Promise.resolve();
      if (part === state.current) await follow(state, part);
      else endIfDone(state, part);
    },
    isCurrent: () => part === state.current,
  };
  const watch = options.start({ ...rule, directory }, hooks);
  const part: Part = { directory, watch, stopping, leftAt: null };
  state.ends.push(watch.done);
  return part;
}

function end(state: State, part: Part): void {
  part.stopping.abort();
  state.left = state.left.filter((one) => one !== part);
}

/** Ends the watch of a directory that the path left long ago, unless files in it are not complete yet, and of a directory that is gone. */
function endIfDone(state: State, part: Part): void {
  const { ports, lingerMs } = state.options;
  const isOver = ports.clock.monotonicMs() - (part.leftAt ?? 0) >= lingerMs;
  if ((isOver && part.watch.rested()) || part.watch.condition() === 'missing') end(state, part);
}

/** Watches another directory. The previous one is scanned once more and watched for a while. */
function moveOn(state: State, previous: Part, directory: string): void {
  const known = state.left.find((part) => part.directory === directory);
  previous.leftAt = state.options.ports.clock.monotonicMs();
  state.left = [...state.left.filter((part) => part !== known), previous];
  // Two watches of the same files at once would do everything twice.
  for (const part of state.left) if (doOverlap(part.directory, directory)) end(state, part);
  previous.watch.scanNow();
  known?.watch.scanNow();
  state.current = known ?? startPart(state, directory);
  state.current.leftAt = null;
}

/** Determines where the path leads now, and moves the watch there. */
async function follow(state: State, part: Part): Promise<void> {
  const { ports, signal, move } = state.options;
  const before = state.rule;
  const directory = await leadsTo(ports.files, before);
  if (directory === null || directory === before.directory) {
    state.refusal = null;
    return;
  }
  const refuse = (reason: string): void => {
    state.refusal = `${givenPathOf(before)} now leads to ${directory}, which cannot be watched: ${reason}. Watching continues in ${before.directory}.`;
  };
  if ((await ports.files.placeOf(directory)) === null) return refuse('it is not a directory');
  const moved = await move(before, directory);
  if (!moved.ok) return refuse(String(moved.error.context['said']));
  state.refusal = null;
  if (moved.value === null || signal.aborted) return;
  state.rule = moved.value;
  moveOn(state, part, directory);
}

export function followPath(options: FollowOptions, rule: WatchRule) {
  const state: State = { options, rule, refusal: null, current: null, left: [], ends: [] };
  const first = startPart(state, rule.directory);
  state.current = first;
  const current = (): RunningWatch => (state.current ?? first).watch;
  const all = (): readonly RunningWatch[] => [...state.left.map(({ watch }) => watch), current()];
  return {
    /** The rule, with the directory that is watched now. */
    rule: () => state.rule,
    condition: () => current().condition(),
    notice: () => state.refusal ?? current().notice(),
    settling: () => all().reduce((count, watch) => count + watch.settling(), 0),
    scannedOnce: () => current().scannedOnce(),
    rested: () =>
      current().rested() &&
      state.left.every(({ watch }) => watch.condition() === 'missing' || watch.rested()),
    scanNow: () => {
      for (const watch of all()) watch.scanNow();
    },
    /** Resolves once everything has stopped after the signal aborted. */
    ended: async () => {
      await Promise.all(state.ends);
    },
  };
}

export type FollowingWatch = ReturnType<typeof followPath>;
