/** Has a worker thread send a body: the thread reads, checks, hashes and owns the connection; this side decides and gets reports. */
import { errnoOf, threadErrno } from '../../core/errno.ts';
import { drop, FILES_SHORT, SluiceFailure } from '../../core/errors.ts';
import type { SourcePlan } from '../../core/model.ts';
import type {
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  HttpRoute,
  NetworkFault,
  SourceOptions,
  Throttle,
} from '../../core/ports.ts';
import { UNKNOWN_CHECKSUMS } from '../read/bodyChecksums.ts';
import { DRIVE_HOLDS, type PoolWorker, WorkerDied } from './poolThread.ts';
import type { Pool } from './threadPool.ts';
import { type ReadEnd, TURN, type WholeAnswer } from './workerMessages.ts';

const MISSING_CODE: readonly (string | null)[] = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'];
const STOPPED = 'stopped on request';
/** The reason for no longer waiting for a share of the rate; created once. */
const OVER = new Error('the try has ended');

/** What is sent, where to, and how the end is reported. */
interface Send {
  readonly plan: SourcePlan;
  readonly options: SourceOptions;
  readonly route: HttpRoute;
  readonly request: HttpRequest;
  /** Called before the result, if the thread could report how reading the sources ended. */
  readonly ended: (end: ReadEnd) => void;
}

function failure(fault: NetworkFault, maybeSent: boolean, detail: string): HttpFailure {
  return { kind: 'failure', fault, maybeSent, detail };
}

/** An answer as it comes from a connection: its body is read once and may break off. */
function answerOf({ body, cut, ...head }: WholeAnswer): HttpAnswer {
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    await Promise.resolve();
    if (body.length > 0) yield body;
    if (cut !== null) throw new SluiceFailure(cut);
  }
  return { ...head, body: Object.assign(pieces(), { dispose: () => undefined }) };
}

/** The failure when the thread is gone. If there were no free file descriptors, or its code was missing, the thread could not start. */
function afterDeath({ cause }: WorkerDied, maybeSent: boolean): HttpFailure {
  const isShort = FILES_SHORT.has(threadErrno(cause));
  const lost = cause === DRIVE_HOLDS ? 'held' : 'lost';
  const fault = MISSING_CODE.includes(errnoOf(cause)) ? 'replaced' : lost;
  return failure(isShort ? 'openFiles' : fault, maybeSent, 'the thread that sends ended');
}

function pickWorker(pool: Pool): PoolWorker | WorkerDied {
  try {
    return pool.forSending();
  } catch (error) {
    if (error instanceof WorkerDied) return error;
    throw error;
  }
}

/** Reports that a body cannot be read because the drive of a member does not answer; false when every member can be tried. */
function endUnread({ silence }: Pool, { plan: { members }, ended }: Send): boolean {
  const index = members.findIndex(({ path }) => silence.at(path) !== null);
  if (index < 0) return false;
  const outcome = { kind: 'changed', index, code: 'item.unreadable' } as const;
  ended({ outcome, checksums: UNKNOWN_CHECKSUMS });
  return true;
}

function createTurn() {
  const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const turn = new Int32Array(memory);
  return {
    memory,
    /** Takes the turn, unless the last byte has it and may already have left. */
    take: () => Atomics.compareExchange(turn, 0, TURN.open, TURN.stopped) !== TURN.finishing,
  };
}

/** Reports to a worker when the rate limit is turned on or off. */
function createBoundReporter(throttle: Throttle, report: (bound: boolean) => void) {
  const atFirst = throttle.isBound();
  let reported = atFirst;
  return {
    atFirst,
    look() {
      const bound = throttle.isBound();
      if (bound !== reported) report(bound);
      reported = bound;
    },
  };
}

/** What each worker trusts in addition to the usual certificates: sent only once, since it is large. */
const trusted = new WeakMap<PoolWorker, string | null>();

function trust(worker: PoolWorker, id: number, caPem: string | null): void {
  if ((trusted.get(worker) ?? null) === caPem) return;
  trusted.set(worker, caPem);
  worker.post({ type: 'trust', id, caPem });
}

/**
 * Sends a request with a body of source files. Never rejects. When the signal aborts, the turn decides for both threads
 * whether the last byte may have left.
 */
export function sendByThread(pool: Pool, send: Send): Promise<HttpAnswer | HttpFailure> {
  const { plan, options, route, request } = send;
  const { throttle, withMd5, onSent } = options;
  const { signal, body: _body, mayFinish: _mayFinish, ...crossing } = request;
  if (signal.aborted) return Promise.resolve(failure('aborted', false, STOPPED));
  if (endUnread(pool, send)) return Promise.resolve(failure('lost', false, 'its drive is silent'));
  const worker = pickWorker(pool);
  if (worker instanceof WorkerDied) return Promise.resolve(afterDeath(worker, false));
  const id = pool.nextId();
  const turn = createTurn();
  let over: AbortController | null = null;
  const bound = createBoundReporter(throttle, (now) => {
    worker.post({ type: 'bound', id, bound: now });
  });
  const grant = async (wanted: number): Promise<void> => {
    over ??= new AbortController();
    const bytes = await throttle.take(wanted, over.signal);
    bound.look();
    worker.post({ type: 'grant', id, bytes });
  };
  return new Promise((resolve) => {
    const settle = (result: HttpAnswer | HttpFailure): void => {
      signal.removeEventListener('abort', onAbort);
      worker.end(id);
      over?.abort(OVER);
      resolve(result);
    };
    const onAbort = (): void => {
      const maybeSent = !turn.take();
      worker.post({ type: 'stop', id });
      settle(failure('aborted', maybeSent, STOPPED));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.begin(id, {
      paths: () => plan.members.map(({ path }) => path),
      reply(message) {
        if (message.type === 'sent') {
          onSent(message.bytes);
          bound.look();
        } else if (message.type === 'want') {
          drop(grant(message.bytes));
        } else if (message.type === 'sendEnd') {
          if (message.sent > 0) onSent(message.sent);
          send.ended(message);
          settle(message.end.kind === 'answer' ? answerOf(message.end) : message.end);
        }
      },
      died: (reason) => {
        const maybeSent = !turn.take();
        if (!maybeSent) endUnread(pool, send);
        settle(afterDeath(reason, maybeSent));
      },
    });
    const { caPem, ...way } = route;
    trust(worker, id, caPem);
    const sent = { plan, withMd5, bound: bound.atFirst, route: way, turn: turn.memory };
    worker.post({ type: 'send', id, ...sent, request: crossing });
  });
}
