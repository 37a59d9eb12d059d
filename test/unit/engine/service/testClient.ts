/** A client on a real HTTP port with a clock that only counts. */
import { onTestFinished } from 'vitest';
import type { KeyCarrier } from '../../../../main/engine/service/api/address.ts';
import type {
  Http,
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  StreamBody,
} from '../../../../main/engine/core/ports.ts';
import { createServiceClient } from '../../../../main/engine/service/api/client.ts';
import type { RequestEnd } from '../../../../main/engine/service/api/sending.ts';
import { createHttp } from '../../../../main/engine/service/http/http.ts';
import type { Connection, Dialect } from '../../../../main/engine/service/serviceClient.ts';
import { answering } from './testServer.ts';

export const KEY = 'k3y-of-the-workspace';

/** Creates a client for a server that answers each request so. */
export async function clientOf(answer: Parameters<typeof answering>[0]) {
  const server = await answering(answer);
  return { server, ...clientFor(server.url) };
}

/** Creates a client for the server at `url`. Time passes only in its pauses. */
export function clientFor(
  url: string,
  fields: Partial<Connection> = {},
  http: Http = createHttp(),
  carrier: KeyCarrier | null = 'query',
) {
  onTestFinished(() => http.close());
  const pauses: number[] = [];
  const log: string[] = [];
  const ends: RequestEnd[] = [];
  const memory: { dialect: Dialect | null; carrier: KeyCarrier | null } = {
    dialect: null,
    carrier,
  };
  const stop = new AbortController();
  let now = 1_000_000;
  const client = createServiceClient({
    http,
    observe: (end) => ends.push(end),
    clock: {
      now: () => now,
      monotonicMs: () => now,
      sleep: (ms) => {
        pauses.push(ms);
        now += ms;
        return Promise.resolve();
      },
    },
    log: { write: (level, event, facts) => log.push(`${level} ${event} ${JSON.stringify(facts)}`) },
    random: { fraction: () => 0.5, token: (length) => 'a'.repeat(length) },
    connection: {
      apiUrl: url,
      projectsUrl: url,
      apiKey: KEY,
      workspace: 'acme',
      ...fields,
    },
    dialectMemory: {
      read: () => memory.dialect,
      write: (dialect) => {
        memory.dialect = dialect;
      },
    },
    carrierMemory: {
      read: () => memory.carrier,
      write: (found) => {
        memory.carrier = found;
      },
    },
  });
  return {
    client,
    signal: stop.signal,
    stop /** Pauses that the client asked for, ms. */,
    pauses,
    log,
    ends,
    memory,
  };
}

/** An HTTP port that answers from a list and counts; the last entry repeats. */
export function scriptedHttp(
  results: readonly (HttpAnswer | HttpFailure)[],
): Http & { requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  return {
    requests,
    request(request) {
      const result = results[Math.min(requests.length, results.length - 1)];
      requests.push(request);
      if (result === undefined) throw new Error('nothing to answer');
      return Promise.resolve(result);
    },
    close: () => Promise.resolve(),
  };
}

/** A client over such a port. */
export function scripted(...results: readonly (HttpAnswer | HttpFailure)[]) {
  const http = scriptedHttp(results);
  return { requests: http.requests, ...clientFor('http://h.example', {}, http) };
}

/** A body of one piece. */
export function bodyOf(text: string): StreamBody {
  const bytes = Buffer.from(text);
  return {
    lengthBytes: bytes.length,
    async *chunks() {
      yield bytes;
    },
  };
}
