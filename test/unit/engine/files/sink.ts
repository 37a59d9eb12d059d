/** A server that accepts bodies, and rate limits for sending to it: for tests of bodies that worker threads send. */
import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { SourceBody, Throttle } from '../../../../main/engine/core/ports.ts';
import { createHttp } from '../../../../main/engine/service/http/http.ts';
import { portOf } from '../../../helpers/listen.ts';
import { NEVER } from './scratch.ts';

/** Starts a server that answers 200, or as `answer` says; it ends with the test. */
export async function createSink(
  answer: (response: ServerResponse) => void = (response) => response.end(),
) {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', () => {
      bodies.push(Buffer.concat(pieces));
      answer(response);
    });
  });
  const port = await portOf(server);
  const http = createHttp();
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    /** The complete bodies, in the order in which they ended. */
    bodies,
    put: (body: SourceBody, signal: AbortSignal = NEVER) =>
      http.request({
        method: 'PUT',
        url: `http://127.0.0.1:${port}/body`,
        headers: {},
        body,
        stallMs: 30_000,
        signal,
      }),
  };
}

/** Grants this many bytes per request; after `times` requests the limit ends. */
export function trickle(bytes: number, times = Infinity): Throttle & { asked(): number } {
  let asked = 0;
  return {
    asked: () => asked,
    isBound: () => asked < times,
    take: (wanted, signal) => {
      asked += 1;
      return Promise.resolve(signal.aborted ? 0 : Math.min(bytes, wanted));
    },
  };
}
