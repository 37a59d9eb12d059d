/** Downloads from the storage: whole objects and ranges. */
import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Service } from './service.ts';
import type { StoredObject } from './state.ts';
import { storedHeaders } from './storedHeaders.ts';

const READ_BYTES = 1024 * 1024;

interface Span {
  readonly from: number;
  readonly until: number;
}

/** Answers a GET or HEAD of an object: 200, 206 for a range that fits the object, 416 for one outside it. */
export async function sendBlob(
  service: Service,
  exchange: Exchange,
  object: StoredObject,
): Promise<void> {
  const { request, response } = exchange;
  const { settings } = service.state;
  const stored = storedHeaders(settings.states, object.blob, object.objectId);
  const modified = new Date(Math.floor(object.arrivedAt / 1000) * 1000).toUTCString();
  const total = object.sizeBytes;
  const common = {
    ...stored,
    ...(settings.statesTimes ? { 'last-modified': modified } : {}),
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
  };
  const ifRange = request.headers['if-range'];
  const isSameTime = settings.statesTimes && ifRange === modified;
  const isCurrent = ifRange === undefined || ifRange === stored['etag'] || isSameTime;
  const range = isCurrent ? request.headers.range : undefined;
  const span = range === undefined ? null : spanOf(range, total);
  if (span === 'outside') {
    response.writeHead(416, {
      ...common,
      'content-range': `bytes */${total}`,
      'content-length': 0,
    });
    response.end();
    return;
  }
  const { from, until } = span ?? { from: 0, until: total };
  response.writeHead(span === null ? 200 : 206, {
    ...common,
    'content-length': until - from,
    ...(span === null ? {} : { 'content-range': `bytes ${from}-${until - 1}/${total}` }),
  });
  if (request.method === 'HEAD') response.end();
  else await pour(service, exchange, object, { from, until });
}

/** The bytes that a Range header requests; null for a form that is answered with the whole object. */
function spanOf(range: string, total: number): Span | 'outside' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range);
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (match === null || (first === '' && last === '')) return null;
  if (first === '') {
    const from = Math.max(0, total - Number(last));
    return from >= total ? 'outside' : { from, until: total };
  }
  const from = Number(first);
  const until = last === '' ? total : Math.min(total, Number(last) + 1);
  if (last !== '' && Number(last) < from) return null;
  return from >= total ? 'outside' : { from, until };
}

/** Writes, and resolves when the bytes have been sent, or never will be. */
function leave(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const gone = (): void => resolve();
    response.on('close', gone);
    response.write(bytes, () => {
      response.off('close', gone);
      resolve();
    });
  });
}

async function pour(
  service: Service,
  exchange: Exchange,
  object: StoredObject,
  span: Span,
): Promise<void> {
  const { response, fault, clock } = exchange;
  const pace = fault?.kind === 'slow' ? fault.bytesPerSecond : null;
  // No larger than what is sent: most objects are tiny, and clearing two megabytes for each takes longer than sending it.
  const most = Math.min(READ_BYTES, span.until - span.from);
  const stepBytes = pace === null ? most : Math.max(1, Math.min(most, Math.floor(pace / 10)));
  // Two alternating buffers: one is filled while the other is sent.
  const buffers = [Buffer.alloc(stepBytes), Buffer.alloc(stepBytes)] as const;
  let turn: 0 | 1 = 0;
  let leaving: Promise<void> = Promise.resolve();
  for (let at = span.from; at < span.until; at += stepBytes) {
    const room = buffers[turn].subarray(0, Math.min(stepBytes, span.until - at));
    turn = turn === 0 ? 1 : 0;
    await service.blobs.readInto(object.blob, at, room);
    if (pace !== null) await clock.wait((room.byteLength / pace) * 1000);
    await leaving;
    if (response.destroyed) return;
    leaving = leave(response, room);
  }
  await leaving;
  response.end();
}
