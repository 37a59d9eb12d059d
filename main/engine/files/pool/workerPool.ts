/** A few file worker threads that share the reading. A dead one is replaced; its requests are repeated or end with an error. */
import { type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import type {
  ComputedChecksums,
  FileFacts,
  HashKind,
  Inspection,
  SourcePlan,
} from '../../core/model.ts';
import type { Files, SourceBody, SourceOptions, Written } from '../../core/ports.ts';
import { fileError, threadErrno } from '../../core/errno.ts';
import { WorkerDied } from './poolThread.ts';
import { openSourceBody } from '../read/sourceBody.ts';
import { writeWhole } from '../write/writeWhole.ts';
import { sendByThread } from './sendByThread.ts';
import type { Pool } from './threadPool.ts';
import type { SendEnd, WorkerReply, WorkerRequest } from './workerMessages.ts';

/** Paths per request: enough to hide the cost of messages, few enough to let streams run in between (about 3 ms). */
const BATCH_PATHS = 64;
/** Threads that may fail to start for one request before it fails. */
const MAX_STARTS = 3;
/** Threads that may die over one path before the path is blamed: another request may have killed the first. */
const MAX_DEATHS = 3;

type WorkerKind = 'forReading' | 'forHashing';

/** Sends one request that has one reply. Rejects with WorkerDied. */
function askOnce(
  pool: Pool,
  pick: WorkerKind,
  make: (id: number) => WorkerRequest,
): Promise<WorkerReply> {
  return new Promise((resolve, reject) => {
    const worker = pool[pick]();
    const id = pool.nextId();
    worker.begin(id, {
      reply(message) {
        worker.end(id);
        resolve(message);
      },
      died: reject,
    });
    worker.post(make(id));
  });
}

/** Repeats a request while threads end before they are ready. Rejects with WorkerDied. */
async function ask(
  pool: Pool,
  pick: WorkerKind,
  make: (id: number) => WorkerRequest,
): Promise<WorkerReply> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await askOnce(pool, pick, make);
    } catch (error) {
      const again = error instanceof WorkerDied && !error.started && starts < MAX_STARTS;
      if (!again) throw error;
    }
  }
}

/** The error of a path that killed its workers; if no thread could start, the path is only postponed. */
function deathError(died: WorkerDied, path: string): SluiceError {
  if (died.started) return fileError('item.unreadable', path);
  const errno = threadErrno(died.cause);
  return sluiceError('file.busy', errno === null ? { path } : { path, errno });
}

interface BatchKind<T> {
  request(id: number, paths: readonly string[]): WorkerRequest;
  results(reply: WorkerReply): readonly Result<T>[] | null;
}

/** Requests a batch; if its worker dies, requests each half, so that one bad file affects only itself. */
async function askBatch<T>(
  pool: Pool,
  kind: BatchKind<T>,
  paths: readonly string[],
  deaths = 1,
): Promise<readonly Result<T>[]> {
  try {
    const reply = await ask(pool, 'forReading', (id) => kind.request(id, paths));
    const results = kind.results(reply);
    if (results === null) throw new Error('a file worker answered something else');
    if ('tookMs' in reply) pool.noteReading(paths.length, reply.tookMs);
    return results;
  } catch (error) {
    if (!(error instanceof WorkerDied)) throw error;
    if (!error.started || (paths.length === 1 && deaths >= MAX_DEATHS)) {
      return paths.map((path) => ({ ok: false, error: deathError(error, path) }));
    }
    if (paths.length === 1) return askBatch(pool, kind, paths, deaths + 1);
    const half = Math.ceil(paths.length / 2);
    const first = await askBatch(pool, kind, paths.slice(0, half));
    return [...first, ...(await askBatch(pool, kind, paths.slice(half)))];
  }
}

async function askAll<T>(
  pool: Pool,
  kind: BatchKind<T>,
  paths: readonly string[],
): Promise<readonly Result<T>[]> {
  const batches: Promise<readonly Result<T>[]>[] = [];
  for (let at = 0; at < paths.length; at += BATCH_PATHS) {
    batches.push(askBatch(pool, kind, paths.slice(at, at + BATCH_PATHS)));
  }
  return (await Promise.all(batches)).flat();
}

const STAT: BatchKind<FileFacts> = {
  request: (id, paths) => ({ type: 'stat', id, paths }),
  results: (reply) => (reply.type === 'stat' ? reply.results : null),
};

const inspection = (kind: HashKind): BatchKind<Inspection> => ({
  request: (id, paths) => ({ type: 'inspect', id, paths, kind }),
  results: (reply) => (reply.type === 'inspect' ? reply.results : null),
});

async function askHash(
  pool: Pool,
  path: string,
  kind: HashKind,
  deaths = 1,
): Promise<Result<string>> {
  try {
    const reply = await ask(pool, 'forHashing', (id) => ({ type: 'hash', id, path, kind }));
    if (reply.type !== 'hash') throw new Error('a file worker answered something else');
    return reply.result;
  } catch (error) {
    if (!(error instanceof WorkerDied)) throw error;
    if (error.started && deaths < MAX_DEATHS) return askHash(pool, path, kind, deaths + 1);
    return { ok: false, error: deathError(error, path) };
  }
}

/** Checksums of a body; null also when the thread ended: nothing is known about the files. */
async function askSum(pool: Pool, plan: SourcePlan): Promise<ComputedChecksums | null> {
  try {
    const reply = await ask(pool, 'forHashing', (id) => ({ type: 'sum', id, plan }));
    return reply.type === 'sum' ? reply.checksums : null;
  } catch (error) {
    if (error instanceof WorkerDied) return null;
    throw error;
  }
}

/**
 * Has a worker write a file; if its thread ends meanwhile, the file may have been written. If the system cannot start a thread
 * because too many files are open, this thread writes it.
 */
async function askWrite(
  pool: Pool,
  path: string,
  part: string,
  bytes: Uint8Array,
  { replace }: { readonly replace: boolean },
): Promise<Result<Written>> {
  try {
    const reply = await ask(pool, 'forReading', (id) => {
      return { type: 'write', id, path, part, bytes, replace };
    });
    if (reply.type !== 'write') throw new Error('a file worker answered something else');
    return reply.result;
  } catch (error) {
    if (!(error instanceof WorkerDied)) throw error;
    if (!error.started && threadErrno(error.cause) !== null) {
      return writeWhole(path, part, bytes, { replace });
    }
    return { ok: false, error: sluiceError('file.busy', { path }) };
  }
}

/** A body that a worker reads and sends. `chunks()` reads it in this thread. */
function sentByWorkers(
  pool: Pool,
  plan: SourcePlan,
  options: SourceOptions,
  signal: AbortSignal,
): SourceBody {
  const here = openSourceBody(plan, options, signal);
  let last: SendEnd | null = null;
  const ended = (end: SendEnd): void => {
    last = end;
  };
  return {
    lengthBytes: here.lengthBytes,
    chunks: () => here.chunks(),
    outcome: () => last?.outcome ?? here.outcome(),
    checksums: () => last?.checksums ?? here.checksums(),
    sendFrom: (route, request) => sendByThread(pool, { plan, options, route, request, ended }),
  };
}

/** The Files port's work that reads or writes file content or needs many facts, wherever it runs. */
export type FileTasks = Pick<
  Files,
  'stat' | 'inspect' | 'hash' | 'openSources' | 'sumSources' | 'writeWhole' | 'close'
>;

export function createWorkerTasks(pool: Pool): FileTasks {
  return {
    stat: (paths) => askAll(pool, STAT, paths),
    inspect: (paths, kind = 'b3') => askAll(pool, inspection(kind), paths),
    hash: (path, kind) => askHash(pool, path, kind),
    openSources: (plan, options, signal) => sentByWorkers(pool, plan, options, signal),
    sumSources: (plan) => askSum(pool, plan),
    writeWhole: (path, part, bytes, options) => askWrite(pool, path, part, bytes, options),
    close: () => pool.close(),
  };
}
