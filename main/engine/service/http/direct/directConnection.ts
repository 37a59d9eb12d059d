/** One connection to an origin: carries one request at a time, and is kept for the next one. */
import type { Socket } from 'node:net';
import { IDLE_MAX_MS, IDLE_MS } from '../connectionLimits.ts';
import type { TransportController, TransportHandler, TransportRequest } from '../transport.ts';
import { type AnswerHead, keptMs } from './answerHead.ts';
import { AnswerReader } from './answerReader.ts';
import type { SocketOpener } from './openSocket.ts';

/** How much earlier than the server said an idle connection is closed, in ms: both hints are in whole seconds. Our choice. */
const IDLE_MARGIN_MS = 2000;

export interface PreparedRequest {
  readonly request: TransportRequest;
  readonly head: string;
  readonly handler: TransportHandler;
}

export interface ConnectionOwner {
  /** The connection can carry a request. */
  free(connection: DirectConnection): void;
  /** The other side had closed the connection before the request could have an effect: a new connection must carry the request. */
  unused(prepared: PreparedRequest): void;
  /** The connection carries no further request. May be called more than once. */
  gone(connection: DirectConnection): void;
}

/** Why a request ended without the whole answer. */
const closedEarly = (): Error => new Error('the other side closed the connection');

/** Runs the work after reading what has arrived: a server may close right after an answer, and what is written then is lost. */
function afterReading(work: () => void): void {
  // The first callback runs before the sockets are read again.
  setImmediate(() => setImmediate(work));
}

/** Opens a socket for its first request, which starts as soon as the socket is connected. */
export class DirectConnection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #reader: AnswerReader;
  #running: PreparedRequest | null;
  /** The socket has carried a request before the current one. */
  #isReused = false;
  /** It is known whether the other side closed the connection right after its last answer. */
  #isSettled = true;
  /** The current request has started to be written. */
  #isBegun = false;
  /** Part of the answer has arrived. */
  #isHeard = false;
  /** The whole request has been handed to the socket. */
  #isWritten = false;
  #isAnswered = false;
  /** How long the connection may be idle after the current answer; 0 when it must close. */
  #keepMs = IDLE_MS;
  #idle: NodeJS.Timeout | undefined;
  /** Continues writing a body when the socket has room. */
  #onRoom: (() => void) | null = null;

  constructor(open: SocketOpener, first: PreparedRequest, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#running = first;
    this.#reader = new AnswerReader({
      head: (head) => this.#head(head),
      data: (bytes) => this.#running?.handler.onResponseData(bytes),
      end: (isClean) => this.#answered(isClean),
    });
    this.#socket = open({
      connected: () => this.#begin(first),
      received: (bytes) => this.#received(bytes),
      ended: () => this.#ended(),
      drained: () => this.#onRoom?.(),
      closed: (error) => this.#lost(error ?? closedEarly()),
    });
  }

  /** Starts a request, now or soon; the connection must be free. */
  start(prepared: PreparedRequest): void {
    clearTimeout(this.#idle);
    this.#socket.ref();
    this.#running = prepared;
    this.#isReused = true;
    this.#isBegun = false;
    this.#isAnswered = false;
    if (this.#isSettled) this.#begin(prepared);
  }

  /** Takes no further request: closes now, or after the current one. */
  retire(): void {
    this.#keepMs = 0;
    this.#owner.gone(this);
    if (this.#running === null) this.#socket.destroy();
  }

  /** Closes at once; a running request ends with the error. */
  destroy(reason: Error): void {
    this.#fail(reason);
  }

  #controllerOf(prepared: PreparedRequest): TransportController {
    const isRunning = (): boolean => this.#running === prepared;
    return {
      abort: (reason) => {
        if (isRunning()) this.#fail(reason);
      },
      pause: () => {
        if (isRunning()) this.#socket.pause();
      },
      resume: () => {
        if (isRunning()) this.#socket.resume();
      },
    };
  }

  #begin(prepared: PreparedRequest): void {
    this.#isBegun = true;
    this.#isHeard = false;
    this.#isWritten = false;
    this.#reader.begin();
    prepared.handler.onRequestStart(this.#controllerOf(prepared));
    // Starting may already have ended the request.
    if (this.#running !== prepared) return;
    const { body } = prepared.request;
    if (body !== null && !(body instanceof Uint8Array)) {
      void this.#stream(prepared, body);
      return;
    }
    this.#write(prepared.head, body);
    this.#isWritten = true;
  }

  /** The head and the first bytes after it leave together. */
  #write(head: string | null, bytes: Uint8Array | null): void {
    if (head !== null && bytes !== null) this.#socket.cork();
    if (head !== null) this.#socket.write(head, 'latin1');
    if (bytes !== null) this.#socket.write(bytes);
    if (head !== null && bytes !== null) this.#socket.uncork();
  }

  /** Writes a body as it is handed out: a piece may be read while the previous one is being sent. */
  async #stream(prepared: PreparedRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
    let head: string | null = prepared.head;
    try {
      for await (const piece of body) {
        if (this.#running !== prepared) return;
        const isFull = this.#socket.writableNeedDrain;
        this.#write(head, piece);
        head = null;
        if (isFull) await this.#room();
        if (this.#running !== prepared) return;
        prepared.handler.onBodySent();
      }
      this.#isWritten = true;
    } catch (error) {
      if (this.#running === prepared) this.#fail(error);
    }
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = () => {
        this.#onRoom = null;
        resolve();
      };
      if (!this.#socket.writableNeedDrain) this.#onRoom();
    });
  }

  #received(bytes: Buffer): void {
    this.#isHeard = true;
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#lost(error);
    }
  }

  /** The other side sends no more: this may be the end of the answer. */
  #ended(): void {
    this.#keepMs = 0;
    if (!this.#reader.closed()) this.#lost(closedEarly());
  }

  #head(head: AnswerHead): void {
    // A connection that was retired stays retired.
    if (head.status >= 200 && this.#keepMs > 0) this.#keepMs = keepMsOf(head);
    this.#running?.handler.onResponseStart(head.status, head.headers);
  }

  #answered(isClean: boolean): void {
    this.#isAnswered = true;
    if (!isClean) this.#keepMs = 0;
    // An encrypted connection reports only after the next events that everything has left.
    const isLate = this.#isWritten && this.#socket.writableLength > 0;
    if (isLate) setImmediate(() => this.#end());
    else this.#end();
  }

  /** Ends the answered request: the connection is free, or closes. */
  #end(): void {
    const prepared = this.#running;
    if (prepared === null) return;
    // The rest of a request that has been answered is not sent, and its memory is reused, so the connection must close.
    const isLeft = !this.#isWritten || this.#socket.writableLength > 0;
    if (isLeft || this.#keepMs === 0) this.#close();
    prepared.handler.onResponseEnd();
    if (this.#running !== null) this.#rest();
  }

  #rest(): void {
    const keepMs = this.#keepMs;
    this.#running = null;
    this.#keepMs = IDLE_MS;
    this.#isSettled = false;
    afterReading(() => this.#settled());
    this.#socket.unref();
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#idle = setTimeout(() => this.retire(), keepMs);
    this.#idle.unref();
    this.#owner.free(this);
  }

  #settled(): void {
    this.#isSettled = true;
    if (this.#running !== null) this.#begin(this.#running);
  }

  /**
   * The other side has ended the connection. A server may close an idle connection at any time. A request to which that happened goes to a
   * new connection if it cannot have had an effect (RFC 9112, section 9.3.1): if it was not begun, or is a GET without any answer.
   */
  #lost(error: unknown): void {
    const prepared = this.#running;
    if (prepared !== null && this.#isAnswered) {
      this.#keepMs = 0;
      return this.#end();
    }
    const isSafe = !this.#isBegun || (prepared?.request.method === 'GET' && !this.#isHeard);
    if (prepared === null || !this.#isReused || !isSafe) return this.#fail(error);
    this.#running = null;
    this.#owner.unused(prepared);
    this.#fail(null);
  }

  /** Closes the connection after its request has ended. */
  #close(): void {
    this.#running = null;
    this.#fail(null);
  }

  /** Closes the connection; a request that is still running ends with the error. */
  #fail(error: unknown): void {
    const prepared = this.#running;
    this.#running = null;
    clearTimeout(this.#idle);
    this.#owner.gone(this);
    this.#socket.destroy();
    this.#onRoom?.();
    prepared?.handler.onResponseError(error);
  }
}

/** How long an idle connection may be used again after this answer, in ms. */
function keepMsOf(head: AnswerHead): number {
  const stated = keptMs(head);
  if (stated === null) return IDLE_MS;
  return Math.max(0, Math.min(stated, IDLE_MAX_MS) - IDLE_MARGIN_MS);
}
