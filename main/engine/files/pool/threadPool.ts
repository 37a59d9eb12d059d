/** A few worker threads, started when needed; a dead one is replaced. */
import { availableParallelism } from 'node:os';
import type { PoolWorker } from './poolThread.ts';
import { startPoolWorker, WorkerDied } from './poolThread.ts';

/** How the pool is made. */
export interface PoolOptions {
  /** The worker's entry: fileWorker, as the composition root finds it. */
  readonly workerUrl: URL;
  /** Number of threads; by default min(4, max(2, cores)). */
  readonly workers?: number;
}

/**
 * Each thread costs memory, connections of its own and code that is compiled again, and one sends as fast as the ledger can
 * follow: a second one begins where it can help.
 */
export interface Pool {
  /** Sends bodies and reads files: the oldest worker. Throws WorkerDied when no thread can be made or the pool is closed. */
  forSending(): PoolWorker;
  /** Reads files: while the disk lets it wait, the worker with the least to do. Throws as forSending(). */
  forReading(): PoolWorker;
  /** Works long on one file: never the one that sends. Throws as forSending(). */
  forHashing(): PoolWorker;
  /** How long a worker took over so many files. */
  noteReading(files: number, tookMs: number): void;
  nextId(): number;
  /** Lets the thread that sends start and load its code while this one loads its own. A failure shows when it is needed. */
  prepare(): void;
  close(): Promise<void>;
}

/** Reading that takes longer waits for a disk or a network, ms per file: threads that wait side by side are faster. Ours. */
const SLOW_MS = 2;

/** Makes a pool; no thread is started yet. */
export function createPool(options: PoolOptions): Pool {
  const most = options.workers ?? Math.min(4, Math.max(2, availableParallelism()));
  const workers = new Set<PoolWorker>();
  let closed = false;
  let isSlow = false;
  const start = (): PoolWorker => {
    try {
      const worker = startPoolWorker(options.workerUrl, () => workers.delete(worker));
      workers.add(worker);
      return worker;
    } catch (error) {
      throw new WorkerDied(false, error);
    }
  };
  const refuseClosed = (): void => {
    if (closed) throw new WorkerDied(false, 'closed');
  };
  const idlestOf = (some: readonly PoolWorker[]): PoolWorker => {
    const idlest = [...some].sort((a, b) => a.load() - b.load())[0];
    const isEnough = idlest !== undefined && (idlest.load() === 0 || workers.size >= most);
    return isEnough ? idlest : start();
  };
  const oldest = (): PoolWorker => {
    refuseClosed();
    const [first] = workers;
    return first ?? start();
  };
  let lastId = 0;
  const nextId = (): number => (lastId += 1);
  return {
    forSending: oldest,
    forReading: () => (isSlow ? idlestOf([...workers]) : oldest()),
    forHashing() {
      const sender = oldest();
      return most === 1 ? sender : idlestOf([...workers].filter((worker) => worker !== sender));
    },
    noteReading(files, tookMs) {
      isSlow = tookMs > files * SLOW_MS;
    },
    nextId,
    prepare() {
      try {
        oldest().post({ type: 'prepare', id: nextId() });
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error;
      }
    },
    async close() {
      closed = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
