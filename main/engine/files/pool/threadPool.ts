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

export interface Pool {
  /** The worker with the least to do. Throws WorkerDied when no thread can be made or the pool is closed. */
  pick(): PoolWorker;
  /** The same worker as long as it lives, for small work that is dear to begin with. Throws as pick(). */
  pickSame(): PoolWorker;
  nextId(): number;
  close(): Promise<void>;
}

/** Makes a pool; no thread is started yet. */
export function createPool(options: PoolOptions): Pool {
  const most = options.workers ?? Math.min(4, Math.max(2, availableParallelism()));
  const workers = new Set<PoolWorker>();
  let lastId = 0;
  let closed = false;
  const start = (): PoolWorker => {
    try {
      const worker = startPoolWorker(options.workerUrl, () => workers.delete(worker));
      workers.add(worker);
      return worker;
    } catch (error) {
      throw new WorkerDied(false, error);
    }
  };
  return {
    pick() {
      if (closed) throw new WorkerDied(false, 'closed');
      const idlest = [...workers].sort((a, b) => a.load() - b.load())[0];
      if (idlest !== undefined && (idlest.load() === 0 || workers.size >= most)) return idlest;
      return start();
    },
    pickSame() {
      if (closed) throw new WorkerDied(false, 'closed');
      const [oldest] = workers;
      return oldest ?? start();
    },
    nextId: () => (lastId += 1),
    async close() {
      closed = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
