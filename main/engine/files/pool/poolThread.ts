/** One worker thread of the pool and its pending requests. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { drop } from '../../core/errors.ts';
import type { Silence } from '../silence.ts';
import type { Pulse } from './pulse.ts';
import { inGroups, type WorkerReply, type WorkerRequest } from './workerMessages.ts';

/** Size of a thread's young generation, in MB: requests leave little garbage. Our choice. */
const YOUNG_MB = 4;

/** Why a thread was given up. */
export const DRIVE_HOLDS = 'its drive does not answer';

/** A worker thread ended before it replied. */
export class WorkerDied extends Error {
  /** False when it never became ready or was ended on purpose: nothing is known about the request. */
  readonly started: boolean;
  constructor(started: boolean, cause: unknown) {
    super('a file worker ended early', { cause });
    this.name = 'WorkerDied';
    this.started = started;
  }
}

export interface WorkerEntry {
  /** The worker's entry: fileWorker, as the composition root locates it. */
  readonly workerUrl: URL;
  /** Of the thread that starts the worker, which says when it stays away. */
  readonly pulse?: Pulse;
}

/** Receives the replies to one request. */
interface Waiting {
  /** The files that the request reads or writes. */
  paths(): readonly string[];
  reply(message: WorkerReply): void;
  died(reason: WorkerDied): void;
}

/**
 * The environment of a thread: it uses the same compile cache as this thread. Node passes on only what the variable says, not a cache that
 * was enabled by code.
 */
function threadEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  if (directory === undefined) return process.env;
  // Without the subdirectory that Node adds for its version.
  return { ...process.env, NODE_COMPILE_CACHE: dirname(directory) };
}

function startThread({ workerUrl, pulse }: WorkerEntry): Worker {
  // Loaded only now: an upload of a few files needs no thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  // No inherited flags: options for a debugger or a loader are not meant for this thread.
  return new Worker(workerUrl, {
    name: 'sluice-files',
    execArgv: [],
    env: threadEnvironment(),
    workerData: pulse ?? null,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

/**
 * Starts a worker thread. `onEnd` is called when it has ended and every waiting request got its error, or when it is stuck in a call to a
 * drive that does not answer.
 */
export function startPoolWorker(entry: WorkerEntry, silence: Silence, onEnd: () => void) {
  const waiting = new Map<number, Waiting & { readonly unwatch: () => void }>();
  let started = false;
  let isEnding = false;
  const loaded = Promise.withResolvers<void>();
  let cause: unknown = null;
  const thread = startThread(entry);
  const receive = (message: WorkerReply): void => {
    if (message.type !== 'ready') return waiting.get(message.id)?.reply(message);
    started = true;
    loaded.resolve();
  };
  thread.on('message', (replies: readonly WorkerReply[]) => replies.forEach(receive));
  thread.on('error', (error) => {
    cause = error;
  });
  thread.on('messageerror', () => void thread.terminate());
  const failAll = (reason: WorkerDied): void => {
    const left = [...waiting.values()];
    waiting.clear();
    for (const one of left) {
      one.unwatch();
      one.died(reason);
    }
  };
  // This event comes last, after every reply that the thread still sent.
  thread.on('exit', () => {
    failAll(new WorkerDied(started, cause));
    onEnd();
    loaded.resolve();
  });
  // After the listeners were added: a listener for messages keeps the process alive again.
  thread.unref();
  const terminate = async (): Promise<void> => {
    isEnding = true;
    thread.ref();
    // V8 aborts the whole process if a thread ends while one of its modules is being awaited.
    await loaded.promise;
    started = false;
    await thread.terminate();
  };
  /** Gives up a thread that is stuck in a call to a drive: it gets no more work, and ends once the drive answers. */
  const abandon = (): void => {
    onEnd();
    drop(terminate());
    failAll(new WorkerDied(false, DRIVE_HOLDS));
  };
  return {
    /** Requests that are not finished yet. */
    load: () => waiting.size,
    begin(id: number, one: Waiting) {
      // Keeps the process alive only while a request is waiting.
      if (waiting.size === 0) thread.ref();
      waiting.set(id, { ...one, unwatch: silence.begin(one.paths, abandon) });
    },
    post: inGroups<WorkerRequest>((requests) => thread.postMessage(requests)),
    /** No more replies are expected for this request. */
    end(id: number) {
      waiting.get(id)?.unwatch();
      // While the thread ends, it must keep the process alive: otherwise terminate() might never return.
      if (waiting.delete(id) && waiting.size === 0 && !isEnding) thread.unref();
    },
    terminate,
  };
}

export type PoolWorker = ReturnType<typeof startPoolWorker>;
