/** One request and its answer, with what the service records about them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import { ClientGone } from './refusal.ts';
import type { LogEntry } from './requestLog.ts';
import type { ServiceClock } from './testClock.ts';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: LogEntry;
  readonly fault: Fault | null;
  readonly clock: ServiceClock;
}

const open = new WeakMap<IncomingMessage, Exchange>();

/** Remembers the exchange that a request belongs to. */
export function keepExchange(exchange: Exchange): void {
  open.set(exchange.request, exchange);
}

export function exchangeOf(request: IncomingMessage): Exchange {
  const exchange = open.get(request);
  if (exchange === undefined) throw new Error('a request without an exchange');
  return exchange;
}

/** Await this when a request is complete and valid, before anything is changed: a late commit waits here. */
export async function beforeCommit(exchange: Exchange): Promise<void> {
  if (exchange.fault?.kind !== 'lateCommit') return;
  exchange.request.socket.resetAndDestroy();
  await exchange.clock.wait(exchange.fault.afterMs);
}

/**
 * Passes the body's chunks to `take` in order, waiting for the promises it returns. Rejects with ClientGone when the
 * connection ends before the body is complete.
 */
export function receive(
  exchange: Exchange,
  take: (chunk: Buffer) => Promise<void> | null,
): Promise<void> {
  const { request, entry } = exchange;
  const pace = exchange.fault?.kind === 'slow' ? exchange.fault.bytesPerSecond : null;
  return new Promise((resolve, reject) => {
    const waitFor = async (taken: Promise<void> | null, lengthBytes: number): Promise<void> => {
      await taken;
      if (pace !== null) await exchange.clock.wait((lengthBytes / pace) * 1000);
    };
    request.on('data', (chunk: Buffer) => {
      entry.receivedBytes += chunk.byteLength;
      const taken = take(chunk);
      if (taken === null && pace === null) return;
      request.pause();
      waitFor(taken, chunk.byteLength).then(() => request.resume(), reject);
    });
    request.on('end', () => (request.complete ? resolve() : reject(new ClientGone())));
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });
}

/** Reads the body into memory; if it is longer than `mostBytes`, drops the rest and returns null. */
export async function receiveWhole(exchange: Exchange, mostBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let total = 0;
  await receive(exchange, (chunk) => {
    total += chunk.byteLength;
    if (total <= mostBytes) chunks.push(chunk);
    else chunks.length = 0;
    return null;
  });
  return total <= mostBytes ? Buffer.concat(chunks, total) : null;
}
