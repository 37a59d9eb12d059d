/** One worker thread of the pool and what it still owes. */
import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerRequest } from './workerMessages.ts';

/** A worker thread ended before it answered. */
export class WorkerDied extends Error {
  constructor(cause: unknown) {
    super('a file worker ended early', { cause });
    this.name = 'WorkerDied';
  }
}

/** Who waits for the replies to one request. */
export interface Waiting {
  reply(message: WorkerReply): void;
  died(reason: WorkerDied): void;
}

/** A running worker thread. */
export interface PoolWorker {
  /** Requests that are not finished yet. */
  load(): number;
  begin(id: number, waiting: Waiting): void;
  post(request: WorkerRequest): void;
  /** Nothing more is expected for this request. */
  end(id: number): void;
  terminate(): Promise<void>;
}

/** Starts a worker thread. `onEnd` is called once when it ended, after everybody waiting was told. */
export function startPoolWorker(workerUrl: URL, onEnd: (answered: boolean) => void): PoolWorker {
  const waiting = new Map<number, Waiting>();
  let answered = false;
  let ended = false;
  // No inherited flags: a debugger's or loader's options are not meant for it.
  const thread = new Worker(workerUrl, { name: 'sluice-files', execArgv: [] });
  thread.unref();
  const finish = (cause: unknown): void => {
    if (ended) return;
    ended = true;
    const left = [...waiting.values()];
    waiting.clear();
    for (const one of left) one.died(new WorkerDied(cause));
    onEnd(answered);
  };
  thread.on('message', (message: WorkerReply) => {
    answered = true;
    waiting.get(message.id)?.reply(message);
  });
  thread.on('error', finish);
  thread.on('messageerror', finish);
  thread.on('exit', finish);
  return {
    load: () => waiting.size,
    begin(id, one) {
      // Keeps the process alive only while somebody waits.
      if (waiting.size === 0) thread.ref();
      waiting.set(id, one);
    },
    post: (request) => thread.postMessage(request),
    end(id) {
      if (waiting.delete(id) && waiting.size === 0) thread.unref();
    },
    async terminate() {
      await thread.terminate();
      finish('closed');
    },
  };
}
