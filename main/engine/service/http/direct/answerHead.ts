/** The head of an answer in HTTP/1.1, and what it says about the body and the connection (RFC 9112). Strict, like Node's own parser. Pure. */

/** What arrived is not an answer in HTTP, or says two things about its length. */
export class MalformedAnswer extends Error {
  constructor(what: string) {
    super(`not an answer in HTTP: ${what}`);
  }
}

export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; the values of repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly isVersion10: boolean;
}

/** Where the body ends: after a number of bytes, after its last chunk, or at the end of the connection. */
export type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^\d{1,15}$/;
const NO_BODY: readonly number[] = [204, 304];

/** Parses the lines before the empty one. Throws MalformedAnswer. */
export function parseHead(text: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const line = STATUS_LINE.exec(first);
  if (line === null) throw new MalformedAnswer('status line');
  const headers: Record<string, string> = Object.create(null);
  for (const each of lines) {
    const header = HEADER.exec(each);
    if (header === null) throw new MalformedAnswer('header');
    const name = (header[1] ?? '').toLowerCase();
    const value = (header[2] ?? '').trimEnd();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { status: Number(line[2]), headers, isVersion10: line[1] === '0' };
}

/** How the body of a final answer is framed. Throws MalformedAnswer. */
export function framingOf({ status, headers }: AnswerHead): Framing {
  if (status < 200 || NO_BODY.includes(status)) return { kind: 'length', bytes: 0 };
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  // Two lengths: a proxy in between may have used the other one.
  if (coding !== undefined && length !== undefined) throw new MalformedAnswer('two lengths');
  if (coding !== undefined)
    return { kind: /(?:^|,)[\t ]*chunked$/i.test(coding) ? 'chunked' : 'close' };
  if (length === undefined) return { kind: 'close' };
  if (!LENGTH.test(length)) throw new MalformedAnswer('content-length');
  return { kind: 'length', bytes: Number(length) };
}

/** How long the server keeps the idle connection, in ms: 0 when it closes it, null when it does not say. */
export function keptMs({ headers, isVersion10 }: AnswerHead): number | null {
  const tokens = (headers['connection'] ?? '').toLowerCase().split(/[\t ]*,[\t ]*/);
  if (tokens.includes('close')) return 0;
  if (isVersion10 && !tokens.includes('keep-alive')) return 0;
  const seconds = /(?:^|,)[\t ]*timeout[\t ]*=[\t ]*(\d{1,6})/i.exec(
    headers['keep-alive'] ?? '',
  )?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
