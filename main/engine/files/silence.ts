/**
 * Drives and shares that neither answer nor fail, such as an NFS share whose server is down. A call to such a drive blocks its thread until
 * the server is back, which may take days. Until then no more calls are made to the drive, so that other disks do not have to wait.
 */
import { readFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { parse } from 'node:path';
import { isInside } from '../core/isInside.ts';
import { drop, sluiceError, type SluiceError } from '../core/errors.ts';
import { uptimeMs } from '../core/uptime.ts';
import { createLinks } from './links.ts';
import { behindLink, MOUNTS, mountAbove, mountIdIn, mountsListed } from './mounts.ts';
import { encodePath } from './names/pathBytes.ts';

/** Work that is not finished. */
interface Work {
  readonly since: number;
  readonly paths: () => readonly string[];
  readonly onSilent: (error: SluiceError) => void;
  isFollowed: boolean;
}

export interface SilenceOptions {
  /** How often to look for work that takes long, how long work may take until its drives are asked, and how long they have to answer, in ms. */
  readonly times: { readonly tickMs: number; readonly workMs: number; readonly answerMs: number };
  /**
   * Where the drives of these paths are mounted. Makes no call to the drives, and follows no links. The system disk is left out: nothing
   * works without it. May throw.
   */
  readonly mountsOf: (paths: readonly string[]) => readonly string[];
  /** A text that differs once something else is mounted there; null when nothing is known. Makes no call to the drive. May throw. */
  readonly idOf: (mount: string) => string | null;
  /** Settles when the drive answers. */
  readonly ask: (mount: string) => Promise<unknown>;
  /** What a name in a directory leads to; null when it is no link. */
  readonly behind: (directory: string, name: string) => Promise<string | null>;
}

/** Our choice: a disk that sleeps needs 10 s to start. */
const TIMES = { tickMs: 5_000, workMs: 15_000, answerMs: 15_000 };

/** Windows and macOS have no list of mounts; there a drive is known by its path. Pure. */
function mountByName(platform: string, path: string): string | null {
  if (platform === 'win32') return parse(path).root;
  return /^\/Volumes\/[^/]+/.exec(path)?.[0] ?? null;
}

/** See SilenceOptions. */
export function mountsOf(paths: readonly string[]): readonly string[] {
  const mounts = process.platform === 'linux' ? mountsListed(readFileSync(MOUNTS, 'latin1')) : null;
  const found = paths.map((path) =>
    mounts === null ? mountByName(process.platform, path) : mountAbove(mounts, path),
  );
  return [...new Set(found)].filter((mount) => mount !== null);
}

function idOf(mount: string): string | null {
  return process.platform === 'linux' ? mountIdIn(readFileSync(MOUNTS, 'latin1'), mount) : null;
}

const ask = (mount: string): Promise<unknown> => lstat(encodePath(mount));
const REAL: SilenceOptions = { times: TIMES, mountsOf, idOf, ask, behind: behindLink };

/** A drive that was asked and has not answered yet; with the error once that took too long. */
interface Asked {
  readonly id: string | null;
  readonly answered: Promise<void>;
  error: SluiceError | null;
}

/** Asks drives whether they answer; calls `onSilent` once one has not. */
function createDrives({ times, idOf, ask }: SilenceOptions, onSilent: () => void) {
  const asked = new Map<string, Asked>();
  const becomeSilent = (mount: string, drive: Asked): void => {
    const said = `${mount} does not answer`;
    drive.error = sluiceError('disk.missing', { path: mount, said });
    onSilent();
  };
  return {
    isAsking: () => asked.size > 0,
    /** disk.missing when one of these is on a drive that does not answer. */
    silentAt(paths: readonly string[]): SluiceError | null {
      for (const [mount, { error }] of asked)
        if (error !== null && paths.some((path) => isInside(path, mount))) return error;
      return null;
    },
    /** Resolves when the drive answers. */
    ask(mount: string): Promise<void> {
      const before = asked.get(mount);
      if (before !== undefined) return before.answered;
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      const drive: Asked = { id: idOf(mount), answered, error: null };
      asked.set(mount, drive);
      const late = setTimeout(becomeSilent, times.answerMs, mount, drive).unref();
      const settle = (): void => {
        clearTimeout(late);
        if (asked.get(mount) === drive) asked.delete(mount);
        resolve();
      };
      ask(mount).then(settle, settle);
      return answered;
    },
    /** If something else was mounted in place of a silent drive, forgets that drive: it will never answer, but the new one may. */
    forgetReplaced(): void {
      for (const [mount, { id, error }] of asked)
        if (error !== null && idOf(mount) !== id) asked.delete(mount);
    },
  };
}

/** Creates the record of the drives that do not answer. It makes no call to any drive while all work is fast. */
export function createSilence(options: SilenceOptions = REAL) {
  const { times, mountsOf, behind } = options;
  const open = new Set<Work>();
  let ticking: NodeJS.Timeout | null = null;

  const at = (path: string): SluiceError | null =>
    drives.isAsking() ? drives.silentAt(links.formsOf(path)) : null;
  const among = (paths: readonly string[]): SluiceError | null => {
    const silent = drives.isAsking() ? paths.find((path) => at(path) !== null) : undefined;
    return silent === undefined ? null : at(silent);
  };
  const giveUp = (): void => {
    for (const work of [...open]) {
      const error = among(work.paths());
      if (error !== null && open.delete(work)) work.onSilent(error);
    }
  };
  const drives = createDrives(options, giveUp);
  const links = createLinks({
    behind,
    before: async (step) => void (await Promise.all(mountsOf([step]).map(drives.ask))),
    onChange: giveUp,
  });
  const follow = (work: Work): void => {
    if (work.isFollowed) return;
    work.isFollowed = true;
    // If the list of mounts could not be read, the next tick follows the links again.
    links.follow(work.paths()).catch(() => (work.isFollowed = false));
  };
  const tick = (): void => {
    const before = uptimeMs() - times.workMs;
    const slow = [...open].filter(({ since }) => since <= before);
    if (slow.length === 0 && !drives.isAsking()) return;
    try {
      drives.forgetReplaced();
      drop(links.refresh((directory) => at(directory) === null));
      const forms = slow.flatMap(({ paths }) => paths()).flatMap(links.formsOf);
      for (const mount of mountsOf(forms)) drop(drives.ask(mount));
      slow.forEach(follow);
    } catch {
      // The list of mounts cannot be read, for example because too many files are open: the next tick tries again.
    }
  };
  return {
    /** disk.missing for a path on a drive that does not answer. */
    at,
    /** The same for the first of these paths that is on such a drive. */
    among,
    /**
     * Watches over work with these paths. Once their drive turns out to be silent, calls `onSilent` and forgets the work. Returns what
     * to call when the work ends.
     */
    begin(paths: () => readonly string[], onSilent: (error: SluiceError) => void): () => void {
      const work = { since: uptimeMs(), paths, onSilent, isFollowed: false };
      open.add(work);
      ticking ??= setInterval(tick, times.tickMs).unref();
      return () => void open.delete(work);
    },
  };
}

export type Silence = ReturnType<typeof createSilence>;

/**
 * The result of work on a path, or that of `otherwise` as soon as the path's drive does not answer. Only for work that may be abandoned.
 */
export function unlessSilent<T>(
  silence: Silence,
  path: string,
  work: () => Promise<T>,
  otherwise: (error: SluiceError) => T,
): Promise<T> {
  const silent = silence.at(path);
  if (silent !== null) return Promise.resolve(otherwise(silent));
  return new Promise((resolve, reject) => {
    const end = silence.begin(
      () => [path],
      (error) => resolve(otherwise(error)),
    );
    work().then(resolve, reject).finally(end);
  });
}
