/**
 * Hints on Linux, which reports changes for each directory separately: one system watch per directory, none per file, and about a kilobyte
 * of memory for each. A directory is listed once, after listening to it has begun, so that nothing appears in between unnoticed. From then
 * on, only what an event names is looked at. The system drops events when many come at once: a directory whose event was lost is listened to
 * once a scan has found files in it.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errnoOf, isGone } from '../core/errno.ts';
import type { DirectoryEntry } from '../core/model.ts';
import type { Files, Notifying, NotifyWants } from '../core/ports.ts';
import { decodeName, encodePath } from './names/pathBytes.ts';

/** How many directories are listed at the same time, and how many names from events are looked at together. Our choice. */
const LISTED_AT_ONCE = 8;
const LOOKS_AT_ONCE = 64;
/** After this many entries of a directory, other work has its turn. Our choice. */
const ENTRIES_PER_TURN = 1_000;
/** The pauses before a directory that could not be listed, or a root that is gone, is looked at again, in ms. Our choice. */
const LIST_AGAIN_MS = 1_000;
const ROOT_AGAIN_MS = 100;

/** What is at a path. A directory that replaces another may have its inode number, but not the time at which it was made, in epoch ms. */
export interface Seen {
  readonly type: DirectoryEntry['type'];
  readonly inode: number;
  readonly madeAt: number;
}

/** How a listener looks at the disk. */
export interface Looking extends Pick<Files, 'list'> {
  /** Follows no links. null for nothing; `silent` when the drive does not answer. */
  readonly look: (path: string) => Promise<Found>;
}

export type Found = Seen | null | 'silent';

/** A directory that is listened to. */
interface Place extends Omit<Seen, 'type'> {
  readonly path: string;
  /** null for the root. */
  readonly parent: Place | null;
  readonly watcher: FSWatcher;
  /** The directories in it that are listened to, by name; null while there are none. */
  children: Map<string, Place> | null;
  isEnded: boolean;
  /** Something below it was not found: it was removed, or a directory above it was elsewhere for a moment. */
  isInDoubt: boolean;
}

/** A directory to listen to. `isNews`: the files in it are reported, as no scan has seen them there. */
interface Wanted {
  readonly path: string;
  readonly parent: Place | null;
  readonly isNews: boolean;
}

interface Listener {
  readonly directory: string;
  readonly looking: Looking;
  readonly wants: NotifyWants;
  readonly isReady: PromiseWithResolvers<void>;
  isClosed: boolean;
  /** The place of the directory itself; null while there is none. */
  root: Place | null;
  readonly wanted: Wanted[];
  /** How many directories are being listed. */
  listing: number;
  /** Directories that could not be listened to, so that this is reported once. */
  readonly failed: Set<string>;
  /** Paths from events that were not looked at yet, each with its directory; null for the root. */
  readonly named: Map<string, Place | null>;
  isLooking: boolean;
}

function reportTo({ wants }: Listener, error: unknown): void {
  const code = errnoOf(error) ?? String(error);
  wants.onTrouble(code === 'ENOSPC' || code === 'EMFILE' ? 'exhausted' : 'failed', code);
}

function placeAt({ root }: Listener, { path, parent }: Pick<Wanted, 'path' | 'parent'>) {
  return parent === null ? root : (parent.children?.get(basename(path)) ?? null);
}

function wantLater(listener: Listener, one: Wanted, ms: number): void {
  setTimeout(() => {
    if (!listener.isClosed) want(listener, one);
  }, ms).unref();
}

/** Closes the watchers of a directory and of everything below it. */
function close(place: Place): void {
  place.isEnded = true;
  place.watcher.close();
  for (const child of place.children?.values() ?? []) close(child);
  place.children = null;
}

/** Stops listening to a directory and what is below it. A root is waited for: a watch notices for itself when it stays away. */
function leave(listener: Listener, place: Place): void {
  const { path, parent } = place;
  close(place);
  if (parent === null) {
    listener.root = null;
    wantLater(listener, { path, parent, isNews: true }, ROOT_AGAIN_MS);
  } else parent.children?.delete(basename(path));
}

/** Listens to a directory, but not yet to those in it; null when that is not possible. */
function listenTo(listener: Listener, { path, parent }: Wanted, seen: Seen): Place | null {
  const { failed } = listener;
  try {
    const watcher = watch(encodePath(path), { encoding: 'buffer' }, (event, name) => {
      if (name !== null) hear(listener, place, event, decodeName(name));
    });
    watcher.on('error', (error) => reportTo(listener, error));
    const { inode, madeAt } = seen;
    const place: Place = {
      path,
      parent,
      watcher,
      inode,
      madeAt,
      children: null,
      isEnded: false,
      isInDoubt: false,
    };
    if (parent === null) listener.root = place;
    else (parent.children ??= new Map()).set(basename(path), place);
    failed.delete(path);
    return place;
  } catch (error) {
    if (isGone(error) || failed.has(path)) return null;
    failed.add(path);
    reportTo(listener, error);
    return null;
  }
}

/** Asks for the directories in a directory, and reports its files if they are news. */
async function listIn(listener: Listener, place: Place, isNews: boolean): Promise<void> {
  const { looking, wants } = listener;
  const { path, parent } = place;
  const listed = await looking.list(path);
  if (listener.isClosed || place.isEnded) return;
  if (!listed.ok) {
    // An event says that the directory is gone. Otherwise its disk does not answer, or too many files are open.
    if (listed.error.code === 'item.gone') return;
    leave(listener, place);
    if (parent !== null) wantLater(listener, { path, parent, isNews: true }, LIST_AGAIN_MS);
    return;
  }
  let count = 0;
  for (const { name, type } of listed.value) {
    count += 1;
    if (count % ENTRIES_PER_TURN === 0) await setImmediate();
    if (listener.isClosed || place.isEnded) return;
    const isDirectory = type === 'directory';
    if (!isDirectory && !isNews) continue;
    const found = join(path, name);
    if (wants.leftOut(found, type)) continue;
    if (isDirectory) want(listener, { path: found, parent: place, isNews });
    else wants.onTouched(found, type, true);
  }
}

async function listWanted(listener: Listener): Promise<void> {
  const { wanted, looking } = listener;
  for (let one = wanted.pop(); one !== undefined; one = wanted.pop()) {
    // Before it is listened to: if it is replaced in between, it no longer counts as the same once an event names it.
    const seen = await looking.look(one.path);
    if (listener.isClosed) return;
    if (one.parent?.isEnded === true || placeAt(listener, one) !== null) continue;
    if (seen === 'silent') {
      wantLater(listener, { ...one, isNews: true }, LIST_AGAIN_MS);
      continue;
    }
    const place = seen?.type === 'directory' ? listenTo(listener, one, seen) : null;
    if (place !== null) await listIn(listener, place, one.isNews);
    else if (one.parent === null) wantLater(listener, { ...one, isNews: true }, ROOT_AGAIN_MS);
  }
}

function want(listener: Listener, one: Wanted): void {
  listener.wanted.push(one);
  if (listener.listing === LISTED_AT_ONCE) return;
  listener.listing += 1;
  void listWanted(listener).finally(() => {
    listener.listing -= 1;
    if (listener.listing === 0) listener.isReady.resolve();
  });
}

/** Takes in what was found at a path in a directory, or at the root. */
function take(listener: Listener, path: string, parent: Place | null, seen: Found): void {
  const { wants } = listener;
  // When a drive answers again, the watch scans it.
  if (listener.isClosed || parent?.isEnded === true || seen === 'silent') return;
  const place = placeAt(listener, { path, parent });
  const isDirectory = seen?.type === 'directory';
  // If it was moved away and back, what happened in it meanwhile was looked for where it was not.
  const isKnown = parent === null || place?.isInDoubt === false;
  const isSame =
    isDirectory && isKnown && place?.inode === seen.inode && place.madeAt === seen.madeAt;
  if (place !== null && !isSame) leave(listener, place);
  if (seen === null || parent === null || isSame || wants.leftOut(path, seen.type)) return;
  if (isDirectory) want(listener, { path, parent, isNews: true });
  else wants.onTouched(path, seen.type);
}

/** Notes that something in a directory was not found, except under its own name: by that it reports itself, too. */
function doubt(directory: Place | null, path: string): void {
  if (directory === null || basename(path) === basename(directory.path)) return;
  for (let at: Place | null = directory; at !== null && !at.isInDoubt; at = at.parent)
    at.isInDoubt = true;
}

async function lookAtNamed(listener: Listener): Promise<void> {
  const { looking, named } = listener;
  listener.isLooking = true;
  while (named.size > 0) {
    const group: (readonly [path: string, parent: Place | null])[] = [];
    for (const one of named) {
      if (group.length === LOOKS_AT_ONCE) break;
      group.push(one);
      named.delete(one[0]);
    }
    const seen = await Promise.all(group.map(([path]) => looking.look(path)));
    for (const [index, [path, parent]] of group.entries())
      if (seen[index] === null) doubt(parent, path);
    // In the order of the events: a directory that was moved is left under its old path before it is entered under its new one.
    for (const [index, [path, parent]] of group.entries())
      take(listener, path, parent, seen[index] ?? null);
  }
  listener.isLooking = false;
}

function lookAt(listener: Listener, path: string, parent: Place | null): void {
  listener.named.set(path, parent);
  if (!listener.isLooking) void lookAtNamed(listener);
}

function hear(listener: Listener, place: Place, event: string, name: string): void {
  if (listener.isClosed || place.isEnded) return;
  const { path, parent } = place;
  // A directory reports with its own name what happens to itself; an entry in it may have that name, too.
  if (event === 'rename' && name === basename(path)) lookAt(listener, path, parent);
  const named = join(path, name);
  // Something new under a name that is left out may be a directory, for which the name means something else.
  if (event === 'rename' || !listener.wants.leftOut(named, null)) lookAt(listener, named, place);
}

/** Listens to a directory below the root, or to the nearest one above it that is not listened to yet: then with all that is in it. */
function cover(listener: Listener, directory: string): void {
  let parent = listener.root;
  // A root is waited for anyway.
  for (const name of relative(listener.directory, directory).split(sep)) {
    if (parent === null || name === '') return;
    const place: Place | null = parent.children?.get(name) ?? null;
    if (place === null)
      return want(listener, { path: join(parent.path, name), parent, isNews: true });
    parent = place;
  }
}

/** Starts listening to a directory and all directories below it. Never throws: failures are reported through `onTrouble`. */
export function listenBelow(directory: string, looking: Looking, wants: NotifyWants): Notifying {
  const listener: Listener = {
    directory,
    looking,
    wants,
    isReady: Promise.withResolvers(),
    isClosed: false,
    root: null,
    wanted: [],
    listing: 0,
    failed: new Set(),
    named: new Map(),
    isLooking: false,
  };
  want(listener, { path: directory, parent: null, isNews: false });
  return {
    ready: listener.isReady.promise,
    found: (paths) => {
      if (listener.isClosed) return;
      for (const one of new Set(paths.map((path) => dirname(path)))) cover(listener, one);
    },
    close: () => {
      listener.isClosed = true;
      listener.isReady.resolve();
      if (listener.root !== null) close(listener.root);
      return Promise.resolve();
    },
  };
}
