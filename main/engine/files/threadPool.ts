/** A few worker threads, started when needed; a dead one is replaced. */
import { availableParallelism } from 'node:os';
import type { PoolWorker } from './poolWorker.ts';
import { startPoolWorker, WorkerDied } from './poolWorker.ts';

/** Workers that may die one after another without a single answer before the pool says that it does not work. */
const MAX_DEATHS = 16;

/** How the pool is made. */
export interface PoolOptions {
  /** The worker's entry: fileWorker, as the composition root finds it. */
  readonly workerUrl: URL;
  /** Number of threads; by default min(4, max(2, cores)). */
  readonly workers?: number;
}

/** The threads, and who does what. */
export interface Pool {
  /** The worker with the least to do. Throws WorkerDied when workers cannot run at all or the pool is closed. */
  pick(): PoolWorker;
  nextId(): number;
  /** False once closed, and when threads die as soon as they start. */
  works(): boolean;
  close(): Promise<void>;
}

/** Makes a pool; no thread is started yet. */
export function createPool(options: PoolOptions): Pool {
  const most = options.workers ?? Math.min(4, Math.max(2, availableParallelism()));
  const workers = new Set<PoolWorker>();
  let deaths = 0;
  let lastId = 0;
  let closed = false;
  const works = (): boolean => !closed && deaths < MAX_DEATHS;
  const start = (): PoolWorker => {
    const worker = startPoolWorker(options.workerUrl, (answered) => {
      deaths = answered ? 0 : deaths + 1;
      workers.delete(worker);
    });
    workers.add(worker);
    return worker;
  };
  return {
    pick() {
      if (!works()) throw new WorkerDied(closed ? 'closed' : 'cannot start');
      const idlest = [...workers].sort((a, b) => a.load() - b.load())[0];
      if (idlest !== undefined && (idlest.load() === 0 || workers.size >= most)) return idlest;
      return start();
    },
    nextId: () => (lastId += 1),
    works,
    async close() {
      closed = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
