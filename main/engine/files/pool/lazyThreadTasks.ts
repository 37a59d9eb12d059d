/**
 * File tasks that start no thread while there is little to do: a thread takes a third of the processor time of an upload of one image.
 * This thread then reads, sends and writes by itself, with calls that never block it.
 */
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../core/limits.ts';
import type { Result, SluiceError } from '../../core/errors.ts';
import { createKeyedQueue } from '../../core/serialQueue.ts';
import type { SourcePlan } from '../../core/model.ts';
import type * as InspectAsync from '../read/inspectAsync.ts';
import { type ReadSmall, readSmallAsync } from '../read/readSmall.ts';
import { openSourceBody } from '../read/sourceBody.ts';
import { ASYNC_CALLS } from '../write/writeCalls.ts';
import { writeWhole } from '../write/writeWhole.ts';
import { type Silence, unlessSilent } from '../silence.ts';
import type { Pool } from './threadPool.ts';
import { createWorkerTasks, type FileTasks } from './workerPool.ts';

/**
 * How many tasks this thread does before it starts another thread: for each of a few files a stat, an inspection, a body and one more try.
 * Our choice.
 */
const MOST_TASKS = 4 * FEW_FILES;
/** After this many files the thread that will write the others is started, so that it is ready in time. */
const WRITES_BEFORE_THREAD = (FEW_FILES * 3) / 4;

function isSmall({ members }: SourcePlan): boolean {
  return members.every(({ sizeBytes }) => sizeBytes <= WHOLE_HASH_MAX_BYTES);
}

/**
 * Looks at files one after the other: on a drive that hangs, each call blocks one of the few threads that Node has for disks, and only one
 * file has to fit into memory. null when `look` leaves a file to the threads.
 */
async function lookAtAll<T>(
  silence: Silence,
  paths: readonly string[],
  look: (path: string) => Promise<Result<T> | null>,
): Promise<readonly Result<T>[] | null> {
  const results: Result<T>[] = [];
  for (const path of paths) {
    const silent = (error: SluiceError): Result<T> => ({ ok: false, error });
    const result = await unlessSilent(silence, path, () => look(path), silent);
    if (result === null) return null;
    results.push(result);
  }
  return results;
}

/** Reads into separate memory first: bytes that a drive that hangs delivers late must not get into another body. */
function readUnlessSilent(silence: Silence): ReadSmall {
  return async (path, target) => {
    const own = Buffer.allocUnsafe(target.length);
    const read = (): Promise<boolean | null> => Promise.resolve(readSmallAsync(path, own));
    const isWhole = await unlessSilent(silence, path, read, () => null);
    if (isWhole === null) throw new Error('its drive does not answer');
    target.set(own);
    return isWhole;
  };
}

/** File tasks on this thread as long as they are few and small and the pool has no thread; otherwise on the pool's threads. */
export function createLazyThreadTasks(pool: Pool): FileTasks {
  const onThreads = createWorkerTasks(pool);
  let left = MOST_TASKS;
  let writes = 0;
  const inTurn = createKeyedQueue<string>();
  const readSmall = readUnlessSilent(pool.silence);
  const mayRunHere = (files: number): boolean => {
    if (files > left || pool.hasThread()) return false;
    left -= files;
    return true;
  };
  /** null when the files are left to the threads. */
  const lookHere = async <T>(
    paths: readonly string[],
    look: (by: typeof InspectAsync, path: string) => Promise<Result<T> | null>,
  ): Promise<readonly Result<T>[] | null> => {
    if (!mayRunHere(paths.length)) return null;
    // Loaded on demand, because it includes the native hashes.
    const by = await import('../read/inspectAsync.ts');
    return lookAtAll(pool.silence, paths, (path) => look(by, path));
  };
  return {
    ...onThreads,
    stat: async (paths) =>
      (await lookHere(paths, (by, path) => by.statFileAsync(path))) ?? onThreads.stat(paths),
    inspect: async (paths, kind = 'b3') =>
      (await lookHere(paths, (by, path) => by.inspectFileAsync(path, kind))) ??
      onThreads.inspect(paths, kind),
    openSources: (plan, options, signal) =>
      isSmall(plan) && mayRunHere(plan.members.length)
        ? openSourceBody(plan, options, signal, readSmall)
        : onThreads.openSources(plan, options, signal),
    writeWhole: (...file) => {
      writes += 1;
      if (writes === WRITES_BEFORE_THREAD) pool.prepare('writing');
      if (writes > FEW_FILES) return onThreads.writeWhole(...file);
      const [path, part, bytes, options] = file;
      // A copy, because a drive that hangs may take the bytes late, when `bytes` already holds another file.
      const own = bytes.slice();
      // In turn, because another write must not replace the part between the calls of this one.
      return inTurn(part, () => writeWhole(path, part, own, options, ASYNC_CALLS));
    },
  };
}
