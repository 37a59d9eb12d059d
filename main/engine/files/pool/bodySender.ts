/** In a file worker: sends bodies from the thread that reads them, over its own connections. */
import { SluiceFailure } from '../../core/errors.ts';
import type { SourceMember } from '../../core/model.ts';
import type { HttpAnswer, HttpFailure, HttpRequest, Throttle } from '../../core/ports.ts';
import { type Connections, createConnections } from '../../service/http/connections.ts';
import { bodyBytes } from '../read/bodyLayout.ts';
import { type OpenBody, openSourceBody } from '../read/sourceBody.ts';
import { readWholeBody, wholeMember } from '../read/wholeBody.ts';
import {
  type SendEnd,
  type SendRequest,
  TURN,
  type WholeAnswer,
  type WorkerReply,
  type WorkerRequest,
} from './workerMessages.ts';
import { uptimeMs } from '../../core/uptime.ts';

/** Minimum interval between progress messages, in ms. */
const REPORT_MS = 100;
/** Longer answers to an upload are treated as invalid, in bytes. Our choice. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The reason for not reading more of a body; created once, since an error costs more than sending a small image. */
const OVER = new Error('the try has ended');

/** The result of a try whose file had changed before anything was sent. */
const CHANGED: HttpFailure = {
  ...({ kind: 'failure', fault: 'lost', maybeSent: false, detail: 'the file changed' } as const),
};

type Reply = (message: WorkerReply) => void;
type Ended = Omit<SendEnd, 'type' | 'id'>;

/** A body in transit. */
interface Sending {
  bound: boolean;
  /** Resolves with the number of bytes that may pass the rate limit. */
  grant: ((bytes: number) => void) | null;
  readonly stopper: AbortController;
}

/** This thread's connections, replaced when the certificates or the route's generation change. */
function createNewest() {
  let connections: Connections | null = null;
  let trusted: string | null = null;
  let newest = 0;
  return {
    trust(caPem: string | null) {
      // The certificates changed: connections made with the old ones are no longer used.
      connections?.retire();
      connections = null;
      trusted = caPem;
    },
    of({ generation }: SendRequest['route']) {
      connections ??= createConnections(trusted);
      if (generation !== newest) connections.retire();
      newest = generation;
      return connections;
    },
  };
}

/** Copies the pieces into memory of their own: a view of Node's pooled memory would take the whole pool along to the other thread. */
function inOwnMemory(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces));
}

/** An answer with its body, which is short. */
async function wholeAnswer(answer: HttpAnswer): Promise<WholeAnswer> {
  const { body, ...head } = answer;
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
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
function createSentReporter(id: number, reply: Reply) {
  let unreported = 0;
  let reportedAt = uptimeMs();
  const rest = (): number => {
    const bytes = unreported;
    unreported = 0;
    return bytes;
  };
  return {
    add(bytes: number) {
      unreported += bytes;
      const now = uptimeMs();
      if (now - reportedAt < REPORT_MS) return;
      reportedAt = now;
      reply({ type: 'sent', id, bytes: rest() });
    },
    rest,
  };
}

/** One try, with a body that has been read already, or is read meanwhile. */
async function request(
  connections: Connections,
  { request: asked, route, turn }: SendRequest,
  { stopper: { signal } }: Sending,
  body: HttpRequest['body'],
): Promise<SendEnd['end']> {
  const taken = new Int32Array(turn);
  const mayFinish = (): boolean =>
    Atomics.compareExchange(taken, 0, TURN.open, TURN.finishing) === TURN.open;
  const whole = { ...asked, body, signal, mayFinish };
  const result = await connections.request(new URL(asked.url), route.route, whole);
  return result.kind === 'failure' ? result : wholeAnswer(result);
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
    return openSourceBody(
      asked.plan,
      { throttle: throttleOf(asked.id, sending, reply), withMd5: asked.withMd5, onSent },
      sending.stopper.signal,
    );
  }

  async function sendStream(asked: SendRequest, sending: Sending): Promise<Ended> {
    const reporter = createSentReporter(asked.id, reply);
    const body = bodyOf(asked, sending, reporter.add);
    const end = await request(newest.of(asked.route), asked, sending, body);
    // An answer may arrive before the body has ended: the rest of the body is not read.
    sending.stopper.abort(OVER);
    body.release();
    const [outcome, checksums] = [body.outcome(), body.checksums()];
    return { end, outcome, checksums, sent: reporter.rest() };
  }

  async function sendWhole(
    asked: SendRequest,
    sending: Sending,
    member: SourceMember,
  ): Promise<Ended> {
    const body = await readWholeBody(asked.plan, member, { md5: asked.withMd5 });
    const { bytes, outcome, checksums } = body;
    const end =
      bytes === null ? CHANGED : await request(newest.of(asked.route), asked, sending, bytes);
    body.release();
    const sent = end.kind === 'answer' || end.maybeSent ? bodyBytes(asked.plan) : 0;
    return { end, outcome, checksums, sent };
  }

  async function send(asked: SendRequest): Promise<void> {
    const { id, bound, plan } = asked;
    const sending: Sending = { bound, grant: null, stopper: new AbortController() };
    running.set(id, sending);
    const member = bound ? null : wholeMember(plan);
    const ended = await (member === null
      ? sendStream(asked, sending)
      : sendWhole(asked, sending, member));
    running.delete(id);
    reply({ type: 'sendEnd', id, ...ended });
  }

  return async (request) => {
    if (request.type === 'send') return send(request);
    if (request.type === 'trust') return newest.trust(request.caPem);
    const sending = running.get(request.id);
    // The body ended while this message was on its way.
    if (sending === undefined) return;
    if (request.type === 'bound') sending.bound = request.bound;
    else if (request.type === 'grant') sending.grant?.(request.bytes);
    else sending.stopper.abort(OVER);
  };
}
