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
import { MOUNTS, mountAbove, mountIdIn, mountsListed } from './mounts.ts';
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
  /** Differs once something else is mounted there; null when nothing is known. Asks nothing of the drive. May throw. */
  readonly idOf: (mount: string) => string | null;
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

function idOf(mount: string): string | null {
  return process.platform === 'linux' ? mountIdIn(readFileSync(MOUNTS, 'latin1'), mount) : null;
}

const ask = (mount: string): Promise<unknown> => lstat(encodePath(mount));
const REAL: SilenceOptions = { times: TIMES, mountsOf, idOf, ask };

/** A drive that was asked and has not answered yet; with the error once that took too long. */
interface Asked {
  readonly id: string | null;
  error: SluiceError | null;
}

/** Creates the record of the drives that do not answer. It looks at no drive while everything is fast. */
export function createSilence({ times, mountsOf, idOf, ask }: SilenceOptions = REAL) {
  const open = new Set<Work>();
  const asked = new Map<string, Asked>();
  let ticking: NodeJS.Timeout | null = null;

  const at = (path: string): SluiceError | null => {
    for (const [mount, { error }] of asked)
      if (error !== null && isInside(path, mount)) return error;
    return null;
  };
  const among = (paths: readonly string[]): SluiceError | null => {
    const silent = asked.size === 0 ? undefined : paths.find((path) => at(path) !== null);
    return silent === undefined ? null : at(silent);
  };
  const becomeSilent = (mount: string, drive: Asked): void => {
    const said = `${mount} does not answer`;
    drive.error = sluiceError('disk.missing', { path: mount, said });
    for (const work of [...open]) {
      const error = among(work.paths());
      if (error !== null && open.delete(work)) work.onSilent(error);
    }
  };
  const askDrive = (mount: string): void => {
    if (asked.has(mount)) return;
    const drive: Asked = { id: idOf(mount), error: null };
    asked.set(mount, drive);
    const late = setTimeout(becomeSilent, times.answerMs, mount, drive).unref();
    const answered = (): void => {
      clearTimeout(late);
      if (asked.get(mount) === drive) asked.delete(mount);
    };
    ask(mount).then(answered, answered);
  };
  /** What was mounted in place of a silent drive may answer: the old one never will. */
  const forgetReplaced = (): void => {
    for (const [mount, { id, error }] of asked)
      if (error !== null && idOf(mount) !== id) asked.delete(mount);
  };
  const tick = (): void => {
    const before = uptimeMs() - times.workMs;
    const slow = [...open].filter(({ since }) => since <= before);
    if (slow.length === 0 && asked.size === 0) return;
    try {
      forgetReplaced();
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
