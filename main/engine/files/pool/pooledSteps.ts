/** The steps of one source stream, read by a worker thread some chunks ahead of its user. */
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type { SourceMember } from '../../core/model.ts';
import type { PoolWorker } from './poolThread.ts';
import { WorkerDied } from './poolThread.ts';
import type { SourceStep } from '../read/sourceReader.ts';
import type { StepSource } from '../read/sourceStream.ts';
import type { Pool } from './threadPool.ts';

/** Chunks of one stream that may be under way. Ours: two keep the reader busy, a third covers a pause of the receiver. */
const CREDITS = 3;

interface Waiter {
  resolve(step: SourceStep): void;
  reject(reason: unknown): void;
}

function broke(): SluiceFailure {
  return new SluiceFailure(sluiceError('file.busy'));
}

function pickWorker(pool: Pool): PoolWorker {
  try {
    return pool.pick();
  } catch (error) {
    throw error instanceof WorkerDied ? broke() : error;
  }
}

/** Opens a stream in the worker with the least to do. A dead worker breaks it with file.busy: nothing is known about the files. */
export function openSteps(
  pool: Pool,
  members: readonly SourceMember[],
  trailer: Uint8Array,
  signal: AbortSignal,
): StepSource {
  const worker = pickWorker(pool);
  const id = pool.nextId();
  const arrived: SourceStep[] = [];
  let waiter: Waiter | null = null;
  let ended = false;
  let broken: { readonly reason: unknown } | null = null;
  const fail = (reason: unknown): void => {
    broken ??= { reason };
    waiter?.reject(reason);
    waiter = null;
  };
  const abort = (): void => fail(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  worker.begin(id, {
    reply(message) {
      if (message.type !== 'step') return;
      if (waiter === null) arrived.push(message.step);
      else waiter.resolve(message.step);
      waiter = null;
    },
    died: () => fail(broke()),
  });
  worker.post({ type: 'open', id, members, trailer, credits: CREDITS });
  return {
    async next() {
      const step =
        arrived.shift() ??
        (await new Promise<SourceStep>((resolve, reject) => {
          if (broken === null) waiter = { resolve, reject };
          else reject(broken.reason);
        }));
      // A message costs more than reading a small image: none is sent to a stream that has ended.
      if (step.outcome.kind === 'reading') worker.post({ type: 'credit', id });
      else ended = true;
      return step;
    },
    stop() {
      signal.removeEventListener('abort', abort);
      if (!ended) worker.post({ type: 'stop', id });
      worker.end(id);
    },
  };
}
