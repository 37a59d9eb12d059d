/** In a file worker: sends bodies from the thread that reads them, over its own connections. */
import { SluiceFailure } from '../../core/errors.ts';
import type { HttpAnswer, Throttle } from '../../core/ports.ts';
import { type Connections, createConnections } from '../../service/http/connections.ts';
import { bodyBytes } from '../read/bodyLayout.ts';
import { type OpenBody, openSourceBody } from '../read/sourceBody.ts';
import {
  type SendRequest,
  TURN,
  type WholeAnswer,
  type WorkerReply,
  type WorkerRequest,
} from './workerMessages.ts';

/** Minimum interval between progress messages, in ms. */
const TELL_MS = 100;
/**
 * Block sizes for reading large files. Larger ones only for long bodies while few are sent: each keeps three in memory, and
 * buffers of one size serve one body after the other. Our choice.
 */
const BLOCK_BYTES = { most: 1024 * 1024, usual: 256 * 1024 } as const;
const LONG_BYTES = 32 * 1024 * 1024;
const FEW_BODIES = 4;
/** Longer answers to an upload are treated as invalid, in bytes. Our choice. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The reason for not reading more of a body; created once, since an error costs more than sending a small image. */
const OVER = new Error('the try has ended');

type Reply = (message: WorkerReply) => void;

/** A body in transit. */
interface Sending {
  bound: boolean;
  /** Resolves with the number of bytes that may pass the rate limit. */
  grant: ((bytes: number) => void) | null;
  readonly stopper: AbortController;
}

/** This thread's connections, replaced when the certificates or the route's generation change. */
function createNewest(): {
  trust(caPem: string | null): void;
  of(route: SendRequest['route']): Connections;
} {
  let connections: Connections | null = null;
  let trusted: string | null = null;
  let newest = 0;
  return {
    trust(caPem) {
      // The certificates changed: connections made with the old ones are no longer used.
      connections?.retire();
      connections = null;
      trusted = caPem;
    },
    of({ generation }) {
      connections ??= createConnections(trusted === null ? {} : { caPem: trusted });
      if (generation !== newest) connections.retire();
      newest = generation;
      return connections;
    },
  };
}

/** Copies the pieces into their own memory: a view of Node's shared memory would take all of it along to the other thread. */
function inOwnMemory(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** An answer with its body, which is short. */
async function wholeAnswer(answer: HttpAnswer): Promise<WholeAnswer> {
  const { kind, status, headers, early } = answer;
  const head = { kind, status, headers, ...(early === undefined ? {} : { early }) };
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      length += piece.length;
      if (length > MAX_ANSWER_BYTES) break;
    }
    return { ...head, body: inOwnMemory(pieces), cut: null };
  } catch (error) {
    if (!(error instanceof SluiceFailure)) throw error;
    return { ...head, body: inOwnMemory(pieces), cut: error.error };
  }
}

function throttleOf(id: number, sending: Sending, reply: Reply): Throttle {
  return {
    isBound: () => sending.bound,
    take: (bytes, signal) =>
      new Promise((resolve) => {
        const answer = (granted: number): void => {
          signal.removeEventListener('abort', onAbort);
          sending.grant = null;
          resolve(granted);
        };
        const onAbort = (): void => answer(0);
        sending.grant = answer;
        if (signal.aborted) return answer(0);
        signal.addEventListener('abort', onAbort, { once: true });
        reply({ type: 'want', id, bytes });
      }),
  };
}

/** Reports sent bytes from time to time; `rest` returns what has not been reported yet. */
function createTold(id: number, reply: Reply): { add(bytes: number): void; rest(): number } {
  let untold = 0;
  let toldAt = performance.now();
  const rest = (): number => {
    const bytes = untold;
    untold = 0;
    return bytes;
  };
  return {
    add(bytes) {
      untold += bytes;
      const now = performance.now();
      if (now - toldAt < TELL_MS) return;
      toldAt = now;
      reply({ type: 'sent', id, bytes: rest() });
    },
    rest,
  };
}

/** Handles requests to send, and messages to those in progress. */
export function createBodySender(
  reply: Reply,
): (
  request: Extract<WorkerRequest, { type: 'trust' | 'send' | 'bound' | 'grant' | 'stop' }>,
) => Promise<void> {
  const newest = createNewest();
  const running = new Map<number, Sending>();

  function bodyOf(asked: SendRequest, sending: Sending, onSent: (bytes: number) => void): OpenBody {
    const bytes = bodyBytes(asked.plan);
    const isLong = bytes >= LONG_BYTES && running.size <= FEW_BODIES;
    return openSourceBody(
      asked.plan,
      { throttle: throttleOf(asked.id, sending, reply), withMd5: asked.withMd5, onSent },
      sending.stopper.signal,
      Math.min(isLong ? BLOCK_BYTES.most : BLOCK_BYTES.usual, bytes),
    );
  }

  async function send(asked: SendRequest): Promise<void> {
    const { id, request, route, bound } = asked;
    const sending: Sending = { bound, grant: null, stopper: new AbortController() };
    running.set(id, sending);
    const turn = new Int32Array(asked.turn);
    const told = createTold(id, reply);
    const body = bodyOf(asked, sending, told.add);
    const result = await newest.of(route).request(new URL(request.url), route.route, {
      ...request,
      body,
      signal: sending.stopper.signal,
      mayFinish: () => Atomics.compareExchange(turn, 0, TURN.open, TURN.finishing) === TURN.open,
    });
    const end = result.kind === 'failure' ? result : await wholeAnswer(result);
    running.delete(id);
    // An answer may arrive before the body has ended: the rest of the body is not read.
    sending.stopper.abort(OVER);
    body.release();
    const checksums = body.checksums();
    reply({ type: 'sendEnd', id, end, outcome: body.outcome(), checksums, sent: told.rest() });
  }

  return async (request) => {
    if (request.type === 'send') return send(request);
    if (request.type === 'trust') return newest.trust(request.caPem);
    const sending = running.get(request.id);
    // It ended while this message was on its way.
    if (sending === undefined) return;
    if (request.type === 'bound') sending.bound = request.bound;
    else if (request.type === 'grant') sending.grant?.(request.bytes);
    else sending.stopper.abort(OVER);
  };
}
