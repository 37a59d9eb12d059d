/** An incoming answer's body: a small queue between the socket and its reader. */

/** The socket is paused when this many bytes wait for the reader. */
const QUEUE_BYTES = 1024 * 1024;

/** How the queue controls the connection below it. */
export interface IncomingControl {
  pause(): void;
  resume(): void;
  /** The reader does not want the rest of the body. */
  abandon(): void;
}

/** Chunks of an answer, read once by `for await`. Bytes that arrived before a fault are handed out first. */
export class IncomingBody {
  readonly #control: IncomingControl;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #paused = false;
  #ended = false;
  #disposed = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(control: IncomingControl) {
    this.#control = control;
  }

  push(chunk: Uint8Array): void {
    if (this.#disposed) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes >= QUEUE_BYTES && !this.#paused) {
      this.#paused = true;
      this.#control.pause();
    }
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The rest will not arrive; the reader gets this error after the bytes that did. */
  fail(failure: Error): void {
    if (this.#ended) return;
    this.#failure ??= failure;
    this.#wake?.();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#queue = [];
    if (!this.#ended && this.#failure === null) this.#control.abandon();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const chunk = this.#queue.shift();
        if (chunk !== undefined) {
          this.#taken(chunk);
          yield chunk;
          continue;
        }
        if (this.#failure !== null) throw this.#failure;
        if (this.#ended || this.#disposed) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    } finally {
      this.dispose();
    }
  }

  #taken(chunk: Uint8Array): void {
    this.#queuedBytes -= chunk.length;
    if (this.#paused && this.#queuedBytes < QUEUE_BYTES / 2) {
      this.#paused = false;
      this.#control.resume();
    }
  }
}
