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
import type { ReadEnd, WorkerReply, WorkerRequest } from './workerMessages.ts';

/** Paths per request: enough to hide the cost of messages, few enough to let streams run in between (about 3 ms). */
const BATCH_PATHS = 64;
/** How many threads may fail to start for one request before the request fails. */
const MAX_STARTS = 3;
/**
 * How many threads may die while they work on one path before the path is blamed: up to seven may have died because of another request of
 * BATCH_PATHS, until that was halved down to the path that kills them.
 */
const MAX_DEATHS = 9;

type WorkerKind = 'forReading' | 'forHashing';

/** A request that has one reply, and the files that it reads or writes. */
interface Question {
  readonly pick: WorkerKind;
  readonly paths: readonly string[];
  readonly make: (id: number) => WorkerRequest;
}

/** Sends a request. Rejects with WorkerDied. */
function askOnce(pool: Pool, { pick, paths, make }: Question): Promise<WorkerReply> {
  return new Promise((resolve, reject) => {
    const worker = pool[pick]();
    const id = pool.nextId();
    worker.begin(id, {
      paths: () => paths,
      reply(message) {
        worker.end(id);
        resolve(message);
      },
      died: reject,
    });
    worker.post(make(id));
  });
}

/** Sends a request, again if a thread ends before it is ready, unless a drive of its files does not answer. Rejects with WorkerDied. */
async function ask(pool: Pool, question: Question): Promise<WorkerReply> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await askOnce(pool, question);
    } catch (error) {
      const again = error instanceof WorkerDied && !error.started && starts < MAX_STARTS;
      if (!again || pool.silence.among(question.paths) !== null) throw error;
    }
  }
}

/** The error of a path that killed its workers; if no thread could start, the path is only postponed. */
function deathError({ silence }: Pool, died: WorkerDied, path: string): SluiceError {
  const silent = silence.at(path);
  if (silent !== null) return silent;
  if (died.started) return fileError('item.unreadable', path);
  const errno = threadErrno(died.cause);
  return sluiceError('file.busy', errno === null ? { path } : { path, errno });
}

/** A question that is asked about each path of a batch. */
interface BatchKind<T> {
  readonly pick: WorkerKind;
  request(id: number, paths: readonly string[]): WorkerRequest;
  results(reply: WorkerReply): readonly Result<T>[] | null;
}

/** The results of a batch of which some paths are on a drive that does not answer. */
async function askRest<T>(
  pool: Pool,
  kind: BatchKind<T>,
  paths: readonly string[],
): Promise<readonly Result<T>[]> {
  const silent = paths.map((path) => pool.silence.at(path));
  const rest = paths.filter((_, index) => silent[index] === null);
  const results = rest.length === 0 ? [] : await askBatch(pool, kind, rest);
  const byPath = new Map(rest.map((path, index) => [path, results[index]]));
  return paths.map((path, index) => {
    const error = silent[index] ?? sluiceError('file.busy', { path });
    return byPath.get(path) ?? { ok: false, error };
  });
}

/** Requests a batch; if its worker dies, requests each half, so that one bad file affects only itself. */
async function askBatch<T>(
  pool: Pool,
  kind: BatchKind<T>,
  paths: readonly string[],
  deaths = 1,
): Promise<readonly Result<T>[]> {
  if (pool.silence.among(paths) !== null) return askRest(pool, kind, paths);
  const make = (id: number): WorkerRequest => kind.request(id, paths);
  try {
    const reply = await ask(pool, { pick: kind.pick, paths, make });
    const results = kind.results(reply);
    if (results === null) throw new Error('a file worker answered something else');
    if ('tookMs' in reply) pool.noteReading(paths.length, reply.tookMs);
    return results;
  } catch (error) {
    if (!(error instanceof WorkerDied)) throw error;
    if (pool.silence.among(paths) !== null) return askRest(pool, kind, paths);
    if (!error.started || (paths.length === 1 && deaths >= MAX_DEATHS)) {
      return paths.map((path) => ({ ok: false, error: deathError(pool, error, path) }));
    }
    if (paths.length === 1) {
      const again = (): Promise<readonly Result<T>[]> => askBatch(pool, kind, paths, deaths + 1);
      return deaths === 1 ? pool.oneByOne(again) : again();
    }
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
  pick: 'forReading',
  request: (id, paths) => ({ type: 'stat', id, paths }),
  results: (reply) => (reply.type === 'stat' ? reply.results : null),
};

const inspection = (kind: HashKind): BatchKind<Inspection> => ({
  pick: 'forReading',
  request: (id, paths) => ({ type: 'inspect', id, paths, kind }),
  results: (reply) => (reply.type === 'inspect' ? reply.results : null),
});

async function askHash(pool: Pool, path: string, kind: HashKind): Promise<Result<string>> {
  const hashing: BatchKind<string> = {
    pick: 'forHashing',
    request: (id) => ({ type: 'hash', id, path, kind }),
    results: (reply) => (reply.type === 'hash' ? [reply.result] : null),
  };
  const [hash] = await askBatch(pool, hashing, [path]);
  if (hash === undefined) throw new Error('a path without an answer');
  return hash;
}

/** Checksums of a body; null also when the thread ended: nothing is known about the files. */
async function askSum(pool: Pool, plan: SourcePlan): Promise<ComputedChecksums | null> {
  const paths = plan.members.map(({ path }) => path);
  if (pool.silence.among(paths) !== null) return null;
  const make = (id: number): WorkerRequest => ({ type: 'sum', id, plan });
  try {
    const reply = await ask(pool, { pick: 'forHashing', paths, make });
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
  const make = (id: number): WorkerRequest => ({ type: 'write', id, path, part, bytes, replace });
  try {
    const reply = await ask(pool, { pick: 'forReading', paths: [path], make });
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
  let last: ReadEnd | null = null;
  const ended = (end: ReadEnd): void => {
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
