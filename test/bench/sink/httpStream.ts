/** As much HTTP as a sink needs: requests read from a bare socket one after the other, with their bodies passed on as they arrive. */
import type { Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';

/** The head of a request. */
export interface Head {
  readonly method: string;
  /** Path with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Receives the body of a request, and returns the answer when it is complete. */
export interface Taker {
  chunk(bytes: Buffer): void;
  /** Called when the body has its declared length; a shorter one never gets an answer. */
  end(): Answer;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer;
  /** Instead of `body`: a body of this length that repeats one block. */
  readonly repeat?: { readonly block: Buffer; readonly bytes: number };
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split(LINE_END);
  const [method = '', target = ''] = first.split(' ');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return { method, target, headers: Object.fromEntries(headers) };
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.write(bytes) || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

async function send(socket: Socket, answer: Answer): Promise<void> {
  const { status, headers = {}, body = Buffer.alloc(0), repeat } = answer;
  const lines = Object.entries({ 'content-length': repeat?.bytes ?? body.length, ...headers });
  const head = [`HTTP/1.1 ${status} -`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  const front = Buffer.from(head.join(LINE_END) + HEAD_END, 'latin1');
  await write(socket, body.length > 0 ? Buffer.concat([front, body]) : front);
  for (let left = repeat?.bytes ?? 0; left > 0 && repeat !== undefined && !socket.destroyed;) {
    const part = repeat.block.subarray(0, Math.min(left, repeat.block.length));
    left -= part.length;
    await write(socket, part);
  }
}

/** Tracks how much of a body is still to come; a chunked body states it piece by piece. */
class Body {
  private readonly chunked: boolean;
  private left: number;
  private line = '';
  private last = false;
  constructor({ headers }: Head) {
    this.chunked = headers['transfer-encoding'] === 'chunked';
    this.left = this.chunked ? 0 : Number(headers['content-length'] ?? 0);
  }
  get isWhole(): boolean {
    return this.chunked ? this.last && this.left === 0 && this.line === 'end' : this.left === 0;
  }
  /** Takes the bytes that belong to the body; returns the rest. */
  take(bytes: Buffer, onData: (data: Buffer) => void): Buffer {
    let rest = bytes;
    while (rest.length > 0 && !this.isWhole) {
      if (this.left > 0) {
        const own = rest.subarray(0, this.left);
        this.left -= own.length;
        onData(own);
        rest = rest.subarray(own.length);
        continue;
      }
      const end = rest.indexOf(10);
      this.line += rest.subarray(0, end < 0 ? rest.length : end).toString('latin1');
      rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1);
      if (end >= 0) this.lineEnded();
    }
    return rest;
  }
  private lineEnded(): void {
    const text = this.line.trim();
    this.line = '';
    if (this.last && text === '') this.line = 'end';
    if (text === '' || this.last) return;
    this.left = Number.parseInt(text, 16);
    this.last = this.left === 0;
  }
}

/** Serves a connection: a request is answered before the next one is read. */
export function serve(socket: Socket, answerTo: (head: Head) => Taker, latencyMs: number): void {
  let waiting: Buffer = Buffer.alloc(0);
  let current: { body: Body; taker: Taker } | null = null;
  let busy = false;
  const finish = (taker: Taker): void => {
    current = null;
    busy = true;
    socket.pause();
    const respond = (): void => {
      send(socket, taker.end()).then(
        () => {
          busy = false;
          socket.resume();
          const rest = waiting;
          waiting = Buffer.alloc(0);
          read(rest);
        },
        () => socket.destroy(),
      );
    };
    if (latencyMs > 0) setTimeout(respond, latencyMs);
    else respond();
  };
  const read = (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0) {
      if (busy) {
        waiting = Buffer.concat([waiting, rest]);
        return;
      }
      if (current === null) {
        rest = waiting.length > 0 ? Buffer.concat([waiting, rest]) : rest;
        const end = rest.indexOf(HEAD_END);
        waiting = Buffer.alloc(0);
        if (end < 0) {
          waiting = rest;
          return;
        }
        const head = headOf(rest.subarray(0, end).toString('latin1'));
        rest = rest.subarray(end + HEAD_END.length);
        current = { body: new Body(head), taker: answerTo(head) };
        if (/^100-continue$/i.test(head.headers['expect'] ?? ''))
          socket.write(`HTTP/1.1 100 Continue${HEAD_END}`);
      }
      const { body, taker } = current;
      rest = body.take(rest, (data) => taker.chunk(data));
      if (body.isWhole) finish(taker);
    }
    if (current?.body.isWhole === true) finish(current.taker);
  };
  // Like every HTTP server: head and body are two writes, and the second must not wait for the acknowledgement of the first.
  socket.setNoDelay(true);
  socket.on('data', read);
  socket.on('error', () => socket.destroy());
}
