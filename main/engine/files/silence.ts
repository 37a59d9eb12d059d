/**
 * Drives and shares that neither answer nor fail, such as an NFS share whose server is down. A call to one blocks its thread until the
 * server is back, which may take days. Until then nothing more is asked of it, so that other disks do not wait.
 */
import { readFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { parse } from 'node:path';
import { isInside } from '../core/isInside.ts';
import { sluiceError, type SluiceError } from '../core/errors.ts';
import { uptimeMs } from '../core/uptime.ts';
import { MOUNTS, mountAbove, mountsListed } from './mounts.ts';
import { encodePath } from './names/pathBytes.ts';

/** Work that is not finished. */
interface Work {
  readonly since: number;
  readonly paths: () => readonly string[];
  readonly onSilent: (error: SluiceError) => void;
}

export interface SilenceOptions {
  /** How often to look for work that takes long, how long work may take until its drives are asked, and how long they have to answer, in ms. */
  readonly times: { readonly tickMs: number; readonly workMs: number; readonly answerMs: number };
  /** Where the drives of these paths are mounted. Asks nothing of the drives. The disk of the system is left out: nothing works without it. May throw. */
  readonly mountsOf: (paths: readonly string[]) => readonly string[];
  /** Settles when the drive answers. */
  readonly ask: (mount: string) => Promise<unknown>;
}

/** Our choice: a disk that sleeps needs 10 s to start. */
const TIMES = { tickMs: 5_000, workMs: 15_000, answerMs: 15_000 };

/** Windows and macOS have no list of mounts; there a drive is known by its path. Pure. */
function mountByName(platform: string, path: string): string | null {
  if (platform === 'win32') return parse(path).root;
  return /^\/Volumes\/[^/]+/.exec(path)?.[0] ?? null;
}

function mountsOf(paths: readonly string[]): readonly string[] {
  const mounts = process.platform === 'linux' ? mountsListed(readFileSync(MOUNTS, 'latin1')) : null;
  const found = paths.map((path) =>
    mounts === null ? mountByName(process.platform, path) : mountAbove(mounts, path),
  );
  return [...new Set(found)].filter((mount) => mount !== null);
}

const REAL: SilenceOptions = { times: TIMES, mountsOf, ask: (mount) => lstat(encodePath(mount)) };

/** Creates the record of the drives that do not answer. It looks at no drive while everything is fast. */
export function createSilence({ times, mountsOf, ask }: SilenceOptions = REAL) {
  const open = new Set<Work>();
  /** Drives that were asked and have not answered yet; with the error once that took too long. */
  const asked = new Map<string, SluiceError | null>();
  let ticking: NodeJS.Timeout | null = null;

  const at = (path: string): SluiceError | null => {
    for (const [mount, error] of asked) if (error !== null && isInside(path, mount)) return error;
    return null;
  };
  const among = (paths: readonly string[]): SluiceError | null => {
    if (asked.size === 0) return null;
    for (const path of paths) {
      const error = at(path);
      if (error !== null) return error;
    }
    return null;
  };
  const becomeSilent = (mount: string): void => {
    asked.set(
      mount,
      sluiceError('disk.missing', { path: mount, said: `${mount} does not answer` }),
    );
    for (const work of [...open]) {
      const error = among(work.paths());
      if (error !== null && open.delete(work)) work.onSilent(error);
    }
  };
  const askDrive = (mount: string): void => {
    if (asked.has(mount)) return;
    asked.set(mount, null);
    const late = setTimeout(becomeSilent, times.answerMs, mount).unref();
    const answered = (): void => {
      clearTimeout(late);
      asked.delete(mount);
    };
    ask(mount).then(answered, answered);
  };
  const tick = (): void => {
    const before = uptimeMs() - times.workMs;
    const slow = [...open].filter(({ since }) => since <= before);
    if (slow.length === 0) return;
    try {
      mountsOf(slow.flatMap(({ paths }) => paths())).forEach(askDrive);
    } catch {
      // The list of mounts cannot be read, for example because too many files are open: the next tick asks.
    }
  };
  return {
    /** disk.missing for a path on a drive that does not answer. */
    at,
    /** The same for the first of these paths that is on one. */
    among,
    /**
     * Watches over work with these paths. Once their drive turns out to be silent, calls `onSilent` and forgets the work. Returns what
     * to call when the work ends.
     */
    begin(paths: () => readonly string[], onSilent: (error: SluiceError) => void): () => void {
      const work = { since: uptimeMs(), paths, onSilent };
      open.add(work);
      ticking ??= setInterval(tick, times.tickMs).unref();
      return () => void open.delete(work);
    },
  };
}

export type Silence = ReturnType<typeof createSilence>;

/** The result of work on a path; the other value as soon as its drive does not answer. Only for work that may be abandoned. */
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
