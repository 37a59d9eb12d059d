/** How a request travels: directly (direct/directPool.ts) or through a proxy (proxyTransport.ts). The handler is shaped like undici's. */

export interface TransportRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The headers state the length of an iterable. A chunk's memory may be reused when the second chunk after it is requested. If the
   * iterable ends without an error, all of it was handed out, or the rest is not wanted.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface TransportController {
  /** Ends the request with this error and closes its connection. */
  abort(reason: Error): void;
  /** Stops reading the answer; some data may still be handed over. */
  pause(): void;
  resume(): void;
}

/** The events of a request, in this order; an error may come at any point and is the last one. */
export interface TransportHandler {
  /** The connection is established; nothing has been written yet. Comes again for a GET that goes to another connection. */
  onRequestStart(controller: TransportController): void;
  /** Some of the body has left. */
  onBodySent(): void;
  /** The head of an answer: any number of 1xx, then the final one. Names are in lower case, values of repeated ones joined by commas. */
  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void;
  onResponseData(chunk: Uint8Array): void;
  onResponseEnd(): void;
  onResponseError(error: unknown): void;
}

export interface Transport {
  /** Starts a request. May throw when it cannot be written as HTTP. */
  dispatch(request: TransportRequest, handler: TransportHandler): void;
  /** Starts nothing more, lets running requests end, and closes the connections. */
  close(): Promise<void>;
  /** Closes the connections at once; running requests end with an error. */
  destroy(): Promise<void>;
}
