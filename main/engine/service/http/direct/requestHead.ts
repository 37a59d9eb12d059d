/** The head of a request as bytes of HTTP/1.1 (RFC 9112, sections 3 and 5). Pure. */
import type { TransportRequest } from '../transport.ts';

/** What a request states cannot be written as HTTP, or would change how the connection works. */
export class InvalidRequest extends Error {
  readonly code = 'ERR_INVALID_ARG_VALUE';
  constructor(what: string) {
    super(`invalid ${what}`);
    this.name = 'InvalidRequest';
  }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Anything but control characters, up to Latin-1: a line end would begin a header of somebody else's choice. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e]+$/;
/** They say how a message is framed or a connection is used, which only this client decides. */
const OURS =
  /^(?:connection|keep-alive|proxy-connection|transfer-encoding|te|trailer|upgrade|expect)$/i;
/** Methods for which a missing length would be doubtful: RFC 9110, section 8.6. */
const EXPECTS_BODY = /^(?:POST|PUT|PATCH)$/;

/** The declared or real length of the body; null when there is no body. */
function lengthOf({ body, headers }: TransportRequest): string | null {
  const declared = Object.entries(headers).filter(([name]) => /^content-length$/i.test(name));
  const [first] = declared;
  const real = body instanceof Uint8Array ? String(body.length) : null;
  if (declared.length > 1 || (first !== undefined && !/^\d+$/.test(first[1])))
    throw new InvalidRequest('content-length');
  if (real !== null && first !== undefined && first[1] !== real)
    throw new InvalidRequest('content-length');
  if (body === null && first !== undefined && first[1] !== '0')
    throw new InvalidRequest('content-length');
  return real ?? first?.[1] ?? null;
}

/** Everything before the body. Throws InvalidRequest. `host` is used unless a header names another one. */
export function requestHead(request: TransportRequest, host: string): string {
  const { method, path, headers, body } = request;
  if (!TOKEN.test(method)) throw new InvalidRequest('method');
  if (!TARGET.test(path)) throw new InvalidRequest('target');
  const length = lengthOf(request);
  if (length === null && body !== null) throw new InvalidRequest('content-length');
  let lines = '';
  let hasHost = false;
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || OURS.test(name)) throw new InvalidRequest('header');
    if (!VALUE.test(value)) throw new InvalidRequest('header value');
    if (/^content-length$/i.test(name)) continue;
    hasHost ||= /^host$/i.test(name);
    lines += `${name}: ${value}\r\n`;
  }
  if (!hasHost) lines = `host: ${host}\r\n${lines}`;
  const stated = length ?? (EXPECTS_BODY.test(method) ? '0' : null);
  const framing = stated === null ? '' : `content-length: ${stated}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines}connection: keep-alive\r\n${framing}\r\n`;
}
