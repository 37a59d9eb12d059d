/** Reads the answers of one connection from its bytes, as they arrive in pieces of any size. */
import { assertNever } from '../../../core/errors.ts';
import {
  type AnswerHead,
  type Framing,
  framingOf,
  MalformedAnswer,
  parseHead,
} from './answerHead.ts';

export interface AnswerParts {
  /** Any number of 1xx, then the final one. */
  head(head: AnswerHead): void;
  data(bytes: Uint8Array): void;
  /** The answer is complete. `isClean`: nothing came after it. */
  end(isClean: boolean): void;
}

const HEAD_END = '\r\n\r\n';
/** Longest head, and longest line of a chunked body, in bytes. Node's own limit. */
const MAX_HEAD_BYTES = 16 * 1024;
const CHUNK_SIZE = /^([\da-f]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;
const NEWLINE = 10;
const RETURN = 13;

const VERSION = Buffer.from('HTTP/1.');

/**
 * Whether bytes can be the start of a head; the first `known` bytes were checked before. If they cannot, the end of the head would never
 * come.
 */
function canBegin(bytes: Buffer, known: number): boolean {
  const version = bytes.subarray(0, VERSION.length);
  if (!version.equals(VERSION.subarray(0, version.length))) return false;
  for (let at = bytes.indexOf(NEWLINE, known); at >= 0; at = bytes.indexOf(NEWLINE, at + 1))
    if (bytes[at - 1] !== RETURN) return false;
  return true;
}

/** What the next byte belongs to; `over`: to no answer that was requested. */
type State =
  | 'head'
  | 'length'
  | 'close'
  | 'chunkSize'
  | 'chunkData'
  | 'chunkEnd'
  | 'trailer'
  | 'over';

/** Reads one answer after the other; call begin() before each. */
export class AnswerReader {
  readonly #parts: AnswerParts;
  #state: State = 'over';
  /** The part of a head or line that has arrived. */
  #kept: Buffer | null = null;
  /** Bytes of the body, or of its chunk, that are still to come. */
  #left = 0;
  #trailerBytes = 0;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** The next bytes belong to a new answer. */
  begin(): void {
    this.#state = 'head';
    this.#kept = null;
  }

  /** Takes the next bytes. Throws MalformedAnswer; then nothing more may be read from the connection. */
  read(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.#state !== 'over') rest = this.#step(rest);
    if (rest.length > 0) throw new MalformedAnswer('bytes that were not requested');
  }

  /** The other side has closed the connection: true when the answer ends there. */
  closed(): boolean {
    if (this.#state !== 'close') return false;
    this.#end(true);
    return true;
  }

  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'length':
      case 'chunkData':
        return this.#data(bytes);
      case 'close':
        this.#parts.data(bytes);
        return bytes.subarray(bytes.length);
      case 'chunkSize':
      case 'chunkEnd':
      case 'trailer':
        return this.#line(bytes);
      case 'over':
        return bytes;
      default:
        return assertNever(this.#state);
    }
  }

  #head(bytes: Buffer): Buffer {
    const before = this.#kept?.length ?? 0;
    const all = this.#kept === null ? bytes : Buffer.concat([this.#kept, bytes]);
    const end = all.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
    if ((end < 0 ? all.length : end) > MAX_HEAD_BYTES) throw new MalformedAnswer('head too long');
    if (end < 0) {
      if (!canBegin(all, before)) throw new MalformedAnswer('head');
      // A copy, because the memory of the arrived bytes is reused.
      this.#kept = Buffer.from(all);
      return bytes.subarray(bytes.length);
    }
    this.#kept = null;
    const rest = bytes.subarray(end + HEAD_END.length - before);
    const head = parseHead(all.toString('latin1', 0, end));
    if (head.status === 101) throw new MalformedAnswer('another protocol');
    if (head.status < 200) {
      this.#parts.head(head);
      return rest;
    }
    this.#frame(framingOf(head));
    this.#parts.head(head);
    if (this.#state === 'length' && this.#left === 0) this.#end(rest.length === 0);
    return rest;
  }

  #frame(framing: Framing): void {
    this.#trailerBytes = 0;
    this.#left = framing.kind === 'length' ? framing.bytes : 0;
    this.#state = framing.kind === 'chunked' ? 'chunkSize' : framing.kind;
  }

  #data(bytes: Buffer): Buffer {
    const own = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    const rest = bytes.subarray(own.length);
    this.#left -= own.length;
    this.#parts.data(own);
    if (this.#left > 0) return rest;
    if (this.#state === 'chunkData') this.#state = 'chunkEnd';
    else this.#end(rest.length === 0);
    return rest;
  }

  /** A line of a chunked body: the size of a chunk, the end of its data, or a trailer, which is ignored. */
  #line(bytes: Buffer): Buffer {
    const at = bytes.indexOf(NEWLINE);
    const part = at < 0 ? bytes : bytes.subarray(0, at + 1);
    const rest = bytes.subarray(part.length);
    const line = this.#kept === null ? part : Buffer.concat([this.#kept, part]);
    if (line.length > MAX_HEAD_BYTES) throw new MalformedAnswer('line too long');
    if (at < 0) {
      this.#kept = Buffer.from(line);
      return rest;
    }
    this.#kept = null;
    if (line.at(-2) !== RETURN) throw new MalformedAnswer('line end');
    this.#lineEnded(line.toString('latin1', 0, line.length - 2), rest.length === 0);
    return rest;
  }

  #lineEnded(line: string, isLast: boolean): void {
    if (this.#state === 'chunkSize') {
      const size = CHUNK_SIZE.exec(line)?.[1];
      if (size === undefined) throw new MalformedAnswer('chunk size');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunkData';
      return;
    }
    if (this.#state === 'chunkEnd') {
      if (line !== '') throw new MalformedAnswer('chunk end');
      this.#state = 'chunkSize';
      return;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > MAX_HEAD_BYTES) throw new MalformedAnswer('trailers too long');
    if (line === '') this.#end(isLast);
  }

  #end(isClean: boolean): void {
    this.#state = 'over';
    this.#parts.end(isClean);
  }
}
