/** A server that takes bodies, and bounds for what is sent to it: for tests of bodies that worker threads send. */
import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type {
  HttpAnswer,
  HttpFailure,
  SourceBody,
  Throttle,
} from '../../../../main/engine/core/ports.ts';
import { createHttp } from '../../../../main/engine/service/http/http.ts';
import { NEVER } from './scratch.ts';

/** A running server and the way to it. */
export interface Sink {
  /** The bodies that came whole, in the order of their ends. */
  readonly bodies: readonly Buffer[];
  put(body: SourceBody, signal?: AbortSignal): Promise<HttpAnswer | HttpFailure>;
}

/** Starts a server that answers 200, or as it is told; it ends with the test. */
export async function createSink(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<Sink> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = createHttp();
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    bodies,
    put: (body, signal = NEVER) =>
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

/** Lets so many bytes pass each time they are asked for; after `times`, nothing is bound any more. */
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
