/** A few worker threads, started on demand; a dead one is replaced. */
import { availableParallelism } from 'node:os';
import { createSilence, type Silence } from '../silence.ts';
import { type PoolWorker, startPoolWorker, WorkerDied, type WorkerEntry } from './poolThread.ts';

export interface PoolOptions extends WorkerEntry {
  /** Number of threads; by default min(4, max(2, cores)). */
  readonly workers?: number;
  readonly silence?: Silence;
}

/** Reading that takes longer than this, in ms per file, waits for a disk or a network: then several threads are faster. Our choice. */
const SLOW_MS = 2;

/**
 * Creates a pool; no thread is started yet. Each thread costs memory, its own connections and another compilation of the code, and a single
 * thread can send as fast as the ledger can record: a second one starts only where it helps.
 */
export function createPool(options: PoolOptions) {
  const silence = options.silence ?? createSilence();
  const most = options.workers ?? Math.min(4, Math.max(2, availableParallelism()));
  const workers = new Set<PoolWorker>();
  let closed = false;
  let isSlow = false;
  const start = (): PoolWorker => {
    try {
      const worker = startPoolWorker(options, silence, () => workers.delete(worker));
      workers.add(worker);
      return worker;
    } catch (error) {
      throw new WorkerDied(false, error);
    }
  };
  const idlestOf = (some: readonly PoolWorker[]): PoolWorker => {
    const idlest = [...some].sort((a, b) => a.load() - b.load())[0];
    const isEnough = idlest !== undefined && (idlest.load() === 0 || workers.size >= most);
    return isEnough ? idlest : start();
  };
  const oldest = (): PoolWorker => {
    if (closed) throw new WorkerDied(false, 'closed');
    const [first] = workers;
    return first ?? start();
  };
  let suspects: Promise<unknown> = Promise.resolve();
  let lastId = 0;
  const nextId = (): number => (lastId += 1);
  return {
    silence,
    /** Sends bodies and reads files: the oldest worker. Throws WorkerDied when no thread can be started or the pool is closed. */
    forSending: oldest,
    /** Reads files: the least busy worker while the disk is slow, else the oldest. Throws as forSending(). */
    forReading: () => (isSlow ? idlestOf([...workers]) : oldest()),
    /** Works on one file for long: never the sending worker, unless it is the only one. Throws as forSending(). */
    forHashing() {
      const sender = oldest();
      return most === 1 ? sender : idlestOf([...workers].filter((worker) => worker !== sender));
    },
    /** Records how long a worker took for this many files. */
    noteReading(files: number, tookMs: number) {
      isSlow = tookMs > files * SLOW_MS;
    },
    /** Asks about paths on which a thread died, one after the other: together, the one that kills it would put the blame on all. */
    oneByOne<T>(ask: () => Promise<T>): Promise<T> {
      const asked = suspects.then(ask);
      suspects = asked.catch(() => undefined);
      return asked;
    },
    nextId,
    hasThread: () => workers.size > 0,
    /** Starts a thread before its first work; for sending, it also loads the code for that. A failure shows up when the thread is needed. */
    prepare(work: 'sending' | 'writing') {
      try {
        const worker = oldest();
        if (work === 'sending') worker.post({ type: 'prepare', id: nextId() });
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

export type Pool = ReturnType<typeof createPool>;
