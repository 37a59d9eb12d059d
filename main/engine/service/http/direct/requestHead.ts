/** The head of a request as bytes of HTTP/1.1 (RFC 9112, sections 3 and 5). Pure. */
import type { TransportRequest } from '../transport.ts';

/** A part of a request cannot be written as HTTP, or would change how the connection works. */
export class InvalidRequest extends Error {
  constructor(what: string) {
    super(`invalid ${what}`);
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Any Latin-1 characters except control characters: a line end would begin another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e]+$/;
/** Headers that say how a message is framed or a connection is used: only this client decides that. */
export const FRAMING_HEADER =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;
/** Methods for which a missing length would be ambiguous: RFC 9110, section 8.6. */
const EXPECTS_BODY = /^(?:POST|PUT|PATCH)$/;

/** The length of the body, which the headers declare for a stream; null when there is nothing to state. */
function lengthOf({ method, body, headers }: TransportRequest): string | null {
  if (body === null) return EXPECTS_BODY.test(method) ? '0' : null;
  if (body instanceof Uint8Array) return String(body.length);
  const declared = headers['content-length'] ?? '';
  if (!/^\d+$/.test(declared)) throw new InvalidRequest('content-length');
  return declared;
}

/** Everything before the body. Throws InvalidRequest. */
export function requestHead(request: TransportRequest, host: string): string {
  const { method, path, headers } = request;
  if (!TOKEN.test(method)) throw new InvalidRequest('method');
  if (!TARGET.test(path)) throw new InvalidRequest('target');
  const length = lengthOf(request);
  let lines = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'content-length') continue;
    if (!TOKEN.test(name) || FRAMING_HEADER.test(name)) throw new InvalidRequest('header');
    if (!VALUE.test(value)) throw new InvalidRequest('header value');
    lines += `${name}: ${value}\r\n`;
  }
  return length === null ? `${lines}\r\n` : `${lines}content-length: ${length}\r\n\r\n`;
}
