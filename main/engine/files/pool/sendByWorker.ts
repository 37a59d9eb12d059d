/** Has a worker thread send a body: the thread reads, checks, hashes and owns the connection; this one decides and is told. */
import { threadErrno } from '../../core/errno.ts';
import { SluiceFailure } from '../../core/errors.ts';
import type { SourcePlan } from '../../core/model.ts';
import type {
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  HttpRoute,
  NetworkFault,
  SourceOptions,
} from '../../core/ports.ts';
import type { PoolWorker } from './poolThread.ts';
import { WorkerDied } from './poolThread.ts';
import type { Pool } from './threadPool.ts';
import { type SendEnd, TURN, type WholeAnswer } from './workerMessages.ts';

const OUT_OF_FILES: readonly (string | null)[] = ['EMFILE', 'ENFILE'];

/** What is sent, where, and who is told. */
interface Send {
  readonly plan: SourcePlan;
  readonly options: SourceOptions;
  readonly route: HttpRoute;
  readonly request: HttpRequest;
  /** Called before the result is there, when the thread could say how the sources read. */
  readonly ended: (end: SendEnd) => void;
}

function failure(fault: NetworkFault, maybeSent: boolean, detail: string): HttpFailure {
  return { kind: 'failure', fault, maybeSent, detail };
}

/** An answer as it comes from a connection: its body is read once, and may break off. */
function answerOf({ body, cut, ...head }: WholeAnswer): HttpAnswer {
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    await Promise.resolve();
    if (body.length > 0) yield body;
    if (cut !== null) throw new SluiceFailure(cut);
  }
  return { ...head, body: Object.assign(pieces(), { dispose: () => undefined }) };
}

/** A thread that is gone: without open files it could not start. */
function afterDeath(died: WorkerDied, maybeSent: boolean): HttpFailure {
  const isShort = OUT_OF_FILES.includes(threadErrno(died.cause));
  return failure(isShort ? 'openFiles' : 'lost', maybeSent, 'the thread that sends ended');
}

/** Picks the worker with the least to do; null when there can be none. */
function pickWorker(pool: Pool): PoolWorker | WorkerDied {
  try {
    return pool.pick();
  } catch (error) {
    if (error instanceof WorkerDied) return error;
    throw error;
  }
}

/**
 * Sends a request with a body of source files. Never rejects. When the signal aborts, the turn decides for both threads
 * whether the last byte may have left.
 */
export function sendByWorker(pool: Pool, send: Send): Promise<HttpAnswer | HttpFailure> {
  const { plan, options, route } = send;
  const { throttle, withMd5, onSent } = options;
  const { signal, method, url, headers, stallMs, answerMs } = send.request;
  const stopped = 'stopped on request';
  if (signal.aborted) return Promise.resolve(failure('aborted', false, stopped));
  const worker = pickWorker(pool);
  if (worker instanceof WorkerDied) return Promise.resolve(afterDeath(worker, false));
  const id = pool.nextId();
  const turn = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  /** Takes the turn, unless the last byte has it. */
  const mayHaveLeft = (): boolean =>
    Atomics.compareExchange(new Int32Array(turn), 0, TURN.open, TURN.stopped) === TURN.finishing;
  const over = new AbortController();
  let bound = throttle?.isBound() ?? false;
  const tellBound = (): void => {
    const now = throttle?.isBound() ?? false;
    if (now === bound) return;
    bound = now;
    worker.post({ type: 'bound', id, bound });
  };
  return new Promise((resolve) => {
    const settle = (result: HttpAnswer | HttpFailure): void => {
      signal.removeEventListener('abort', onAbort);
      worker.end(id);
      over.abort();
      resolve(result);
    };
    const onAbort = (): void => {
      const maybeSent = mayHaveLeft();
      worker.post({ type: 'stop', id });
      settle(failure('aborted', maybeSent, stopped));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.begin(id, {
      reply(message) {
        if (message.type === 'sent') {
          onSent(message.bytes);
          tellBound();
        } else if (message.type === 'want') {
          tellBound();
          void throttle?.take(message.bytes, over.signal).then((bytes) => {
            tellBound();
            worker.post({ type: 'grant', id, bytes });
          });
        } else if (message.type === 'sendEnd') {
          if (message.sent > 0) onSent(message.sent);
          send.ended(message);
          const { end } = message;
          settle(end.kind === 'answer' ? answerOf(end) : end);
        }
      },
      died: (reason) => settle(afterDeath(reason, mayHaveLeft())),
    });
    const request = {
      method,
      url,
      headers,
      stallMs,
      ...(answerMs === undefined ? {} : { answerMs }),
    };
    worker.post({ type: 'send', id, plan, withMd5, bound, request, route, turn });
  });
}
