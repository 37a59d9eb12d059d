/** Applies the faults that a request meets. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { receive, type Exchange } from './exchange.ts';
import type { Fault } from './faults.ts';

/**
 * Applies the exchange's fault before the operation runs. Returns true if the operation runs (perhaps with a changed answer),
 * false if the exchange is over.
 */
export async function applyFault(exchange: Exchange): Promise<boolean> {
  const { fault } = exchange;
  if (fault === null) return true;
  switch (fault.kind) {
    case 'delay':
      await exchange.clock.wait(fault.ms);
      return true;
    case 'held':
      await Promise.race([fault.until, once(exchange.response, 'close')]);
      return !exchange.response.destroyed;
    case 'status':
      await drain(exchange);
      answerStatus(exchange.response, fault);
      return false;
    case 'hang':
      if (fault.acted === true) return silence(exchange.response);
      await drain(exchange);
      return false;
    case 'cutWhileReceiving':
      await cutWhileReceiving(exchange, fault.afterBytes);
      return false;
    case 'cutWhileAnswering':
      cutAnswer(exchange, fault.afterBytes);
      return true;
    case 'doneButAnswerLost':
      loseAnswer(exchange);
      return true;
    case 'wrongJson':
      return wrongJson(exchange, fault);
    case 'slow':
      if (!exchange.path.startsWith('/storage/')) slowAnswer(exchange, fault.bytesPerSecond);
      return true;
    case 'drips':
      slowAnswer(exchange, fault.bytesPerSecond ?? 1);
      return true;
    case 'html':
      return wrongJson(exchange, pageOfHtml(fault));
    case 'lateCommit':
    case 'expiredUrl':
    case 'acknowledgedAndDropped':
    case 'damagesBody':
    case 'endlessPaging':
      return true;
  }
}

async function drain(exchange: Exchange): Promise<void> {
  await receive(exchange, () => null);
}

function answerStatus(
  response: ServerResponse,
  fault: Extract<Fault, { readonly kind: 'status' }>,
): void {
  const text =
    typeof fault.body === 'string'
      ? fault.body
      : JSON.stringify(fault.body ?? { error: `status ${fault.status}` });
  const retryAfter = fault.retryAfter === undefined ? {} : { 'retry-after': `${fault.retryAfter}` };
  const bodyless = fault.status === 204 || fault.status === 304;
  response.writeHead(fault.status, {
    ...(bodyless
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...retryAfter,
    ...fault.headers,
  });
  response.end(bodyless ? undefined : text);
}

async function cutWhileReceiving(exchange: Exchange, afterBytes: number): Promise<void> {
  const { request } = exchange;
  if (afterBytes <= 0) {
    request.socket.resetAndDestroy();
    return;
  }
  let left = afterBytes;
  await receive(exchange, (chunk) => {
    left -= chunk.byteLength;
    if (left <= 0) request.socket.resetAndDestroy();
    return null;
  });
  request.socket.resetAndDestroy();
}

/** Swallows the operation's answer. */
function silence(response: ServerResponse): true {
  response.writeHead = () => response;
  response.write = () => true;
  response.end = () => response;
  return true;
}

function loseAnswer(exchange: Exchange): void {
  const { response, request } = exchange;
  silence(response);
  response.end = () => {
    request.socket.resetAndDestroy();
    return response;
  };
  response.write = () => {
    request.socket.resetAndDestroy();
    return true;
  };
}

/** Where a sign-in page sends its visitors. */
const PORTAL = 'http://portal.invalid/sign-in';

function pageOfHtml(fault: Extract<Fault, { readonly kind: 'html' }>): OtherAnswer {
  const { status, location, acted = false } = fault;
  const isRedirect = status >= 300 && status < 400;
  const text = `<!DOCTYPE html><html><head><title>Sign in</title></head><body>Network sign-in (${status})</body></html>`;
  return {
    status,
    text,
    contentType: 'text/html; charset=utf-8',
    acted,
    ...(isRedirect ? { headers: { location: location ?? PORTAL } } : {}),
  };
}

interface OtherAnswer {
  readonly text: string;
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly acted?: boolean;
}

async function wrongJson(exchange: Exchange, fault: OtherAnswer): Promise<boolean> {
  const { response } = exchange;
  const writeHead = response.writeHead.bind(response);
  const end = response.end.bind(response);
  const answer = (): void => {
    writeHead(fault.status ?? 200, {
      'content-type': fault.contentType ?? 'application/json',
      'content-length': Buffer.byteLength(fault.text),
      ...fault.headers,
    });
    end(fault.text);
  };
  if (fault.acted !== true) {
    await drain(exchange);
    answer();
    return false;
  }
  silence(response);
  response.end = () => {
    answer();
    return response;
  };
  return true;
}

function bytesOf(chunk: unknown): Buffer | null {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : null;
}

/** Sends only this many bytes of the answer's body, then resets, after those bytes have been sent. */
function cutAnswer(exchange: Exchange, afterBytes: number): void {
  const { response, request } = exchange;
  const write = response.write.bind(response);
  let left = afterBytes;
  let underWay = 0;
  let isOver = false;
  const resetWhenSent = (): void => {
    if (isOver && underWay === 0) setImmediate(() => void request.socket.resetAndDestroy());
  };
  const passOn = (chunk: unknown): void => {
    const bytes = bytesOf(chunk);
    if (bytes === null || isOver) return;
    const allowed = bytes.subarray(0, Math.max(0, left));
    left -= bytes.byteLength;
    if (left <= 0) isOver = true;
    if (allowed.byteLength === 0) return;
    underWay += 1;
    write(allowed, () => {
      underWay -= 1;
      resetWhenSent();
    });
  };
  response.write = (chunk: unknown, ...rest: readonly unknown[]) => {
    passOn(chunk);
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    resetWhenSent();
    return true;
  };
  response.end = (chunk?: unknown) => {
    // The head must be sent even if no byte of the body may: a cut answer is not a lost one.
    response.flushHeaders();
    passOn(chunk);
    isOver = true;
    resetWhenSent();
    return response;
  };
}

/** Sends a short answer slowly, piece by piece. */
function slowAnswer(exchange: Exchange, bytesPerSecond: number): void {
  const { response, clock } = exchange;
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const drops = async (bytes: Buffer): Promise<void> => {
    const dropBytes = Math.max(1, Math.floor(bytesPerSecond / 10));
    for (let at = 0; at < bytes.byteLength; at += dropBytes) {
      const drop = bytes.subarray(at, at + dropBytes);
      await clock.wait((drop.byteLength / bytesPerSecond) * 1000);
      if (response.destroyed) return;
      write(drop);
    }
    end();
  };
  response.end = (chunk?: unknown) => {
    response.flushHeaders();
    void drops(bytesOf(chunk) ?? Buffer.alloc(0));
    return response;
  };
}
