/** One request and its answer over a transport: what was sent, what came back, and when it stalled. */
import { SluiceFailure, sluiceError } from '../../core/errors.ts';
import type {
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  NetworkFault,
  StreamBody,
} from '../../core/ports.ts';
import { detailOf, faultOf } from './httpFaults.ts';
import { IncomingBody } from './incomingBody.ts';
import { outgoing, type OutgoingWatch } from './outgoingBody.ts';
import type {
  Transport,
  TransportController,
  TransportHandler,
  TransportRequest,
} from './transport.ts';

type Settle = (result: HttpAnswer | HttpFailure) => void;

/**
 * An answer of which this much arrives within the time for a whole answer does not count as trickling. Our choice: 9 kB a second for API
 * answers.
 */
const ENOUGH_BYTES = 1024 * 1024;

function isStream(body: HttpRequest['body']): body is StreamBody {
  return body !== null && !(body instanceof Uint8Array);
}

function bodyFailure(fault: NetworkFault): SluiceFailure {
  const code = fault === 'timeout' ? 'network.timeout' : 'network.lost';
  return new SluiceFailure(sluiceError(code, { fault }));
}

/** One attempt; settles once. `maybeSent`: the socket was given the last slice of a stream, or the head of any other request. */
class Exchange implements TransportHandler, OutgoingWatch {
  readonly #request: HttpRequest;
  readonly #settle: Settle;
  readonly #streaming: boolean;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#break('aborted', 'stopped on request');
  #controller: TransportController | null = null;
  #maybeSent = false;
  #waitingForUs = false;
  #begun = false;
  #movements = 0;
  /** Bytes of the answer's body that have arrived. */
  #arrived = 0;
  #settled = false;
  #over = false;
  #answer: IncomingBody | null = null;
  #deadline: NodeJS.Timeout | undefined;

  constructor(request: HttpRequest, settle: Settle) {
    this.#request = request;
    this.#settle = settle;
    this.#streaming = isStream(request.body) && request.body.lengthBytes > 0;
    this.#timer = setTimeout(() => this.#stalled(), request.stallMs);
  }

  start(transport: Transport, request: TransportRequest): void {
    if (this.#request.signal.aborted) return this.#onAbort();
    this.#request.signal.addEventListener('abort', this.#onAbort, { once: true });
    try {
      transport.dispatch(request, this);
    } catch (error) {
      this.onResponseError(error);
    }
  }

  /** The body as it leaves; null for an empty one. */
  bodyLeaving(): TransportRequest['body'] {
    const { body } = this.#request;
    if (!isStream(body)) return body;
    return body.lengthBytes === 0 ? null : outgoing(body, this);
  }

  reading(): void {
    this.#waitingForUs = true;
    this.#begun = true;
  }

  sending(last: boolean): boolean {
    this.#waitingForUs = false;
    this.#progress();
    return !last || this.#finishes();
  }

  stopped(): boolean {
    return this.#over;
  }

  onRequestStart(controller: TransportController): void {
    // A second start would send the same request twice, which only a GET allows, and only while nothing of its answer has come.
    const mayStart =
      this.#controller === null || (this.#request.method === 'GET' && this.#answer === null);
    if (this.#over || !mayStart) {
      controller.abort(new Error('not sent again'));
      return;
    }
    this.#controller = controller;
    this.#progress();
    if (!this.#streaming) this.#finishes();
  }

  onBodySent(): void {
    this.#progress();
  }

  onResponseData(chunk: Uint8Array): void {
    this.#progress();
    this.#arrived += chunk.length;
    this.#answer?.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#answer?.end();
  }

  onResponseError(error: unknown): void {
    this.#fail(faultOf(error), detailOf(error));
  }

  /** The rest of the request leaves now; false when it must not, and the attempt is over. */
  #finishes(): boolean {
    const may = this.#request.mayFinish?.() !== false;
    if (may) this.#maybeSent = true;
    else this.#onAbort();
    return may;
  }

  onResponseStart(status: number, headers: HttpAnswer['headers']): void {
    // A 1xx only announces an answer, and some servers announce it forever.
    if (status < 200 || this.#over) return;
    this.#progress();
    this.#waitingForUs = false;
    const early = !this.#maybeSent;
    if (early && status < 300) {
      this.#break('lost', 'the service answered before the body was complete');
      return;
    }
    const answer = new IncomingBody({
      pause: () => {
        this.#waitingForUs = true;
        this.#controller?.pause();
      },
      resume: () => {
        this.#waitingForUs = false;
        this.#progress();
        this.#controller?.resume();
      },
      abandon: () => this.#break('aborted', 'the rest of the answer is not wanted'),
    });
    this.#answer = answer;
    this.#settled = true;
    const { answerMs } = this.#request;
    if (answerMs !== undefined) this.#expectEnd(answerMs);
    const head = { kind: 'answer', status, headers, body: answer } as const;
    this.#settle(early ? { ...head, early } : head);
  }

  /** The answer must end within this time, or enough of it must arrive: a long list takes long over a slow connection. */
  #expectEnd(answerMs: number): void {
    const before = this.#arrived;
    this.#deadline = setTimeout(() => {
      if (this.#arrived - before >= ENOUGH_BYTES) this.#expectEnd(answerMs);
      else this.#break('timeout', `the answer took over ${answerMs} ms`);
    }, answerMs);
  }

  #progress(): void {
    this.#movements += 1;
    if (!this.#over) this.#timer.refresh();
  }

  /** A busy thread runs its timers before it reads what has arrived, so let it read first. */
  #stalled(): void {
    const { stallMs } = this.#request;
    const before = this.#movements;
    setImmediate(() => {
      if (this.#waitingForUs) this.#timer.refresh();
      else if (this.#movements === before)
        this.#break('timeout', `nothing moved for ${String(stallMs)} ms`);
    });
  }

  /** Ends the attempt from our side and closes its connection. */
  #break(fault: NetworkFault, detail: string): void {
    this.#fail(fault, detail);
    this.#controller?.abort(new Error(detail));
  }

  #fail(fault: NetworkFault, detail: string): void {
    if (this.#over) return;
    this.#finish();
    this.#answer?.fail(bodyFailure(fault));
    if (this.#settled) return;
    this.#settled = true;
    const begun = this.#begun ? { begun: true as const } : {};
    this.#settle({ kind: 'failure', fault, maybeSent: this.#maybeSent, ...begun, detail });
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }
}

/**
 * The target of a request. A valid query is kept byte for byte, because a signature may cover it: the class URL would write an apostrophe
 * as %27.
 */
function targetOf(url: URL, given: string): string {
  const query = /^[^?#]*(\?[\w\-.~!$&'()*+,;=:@/?%]*)(?:#|$)/.exec(given)?.[1];
  return url.pathname + (query === undefined || query === '?' ? url.search : query);
}

/** Runs one request over a transport. Resolves with the head of the answer; never rejects. */
export function exchange(
  transport: Transport,
  url: URL,
  request: HttpRequest,
): Promise<HttpAnswer | HttpFailure> {
  const length = isStream(request.body) ? String(request.body.lengthBytes) : null;
  const headers = { ...request.headers, ...(length === null ? {} : { 'content-length': length }) };
  return new Promise((resolve) => {
    const running = new Exchange(request, resolve);
    running.start(transport, {
      path: targetOf(url, request.url),
      method: request.method,
      headers,
      body: running.bodyLeaving(),
    });
  });
}
