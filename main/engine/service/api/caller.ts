/** Requests to the service: what their end means, and their JSON. Reads are retried here; changes only when refused without effect. */
import { type ErrorCode, fail, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { API_ANSWER_MS, API_STALL_MS, BACKOFF_FIRST_MS } from '../../core/limits.ts';
import type { HttpAnswer, HttpRequest } from '../../core/ports.ts';
import { addressOf, type KeyCarrier, type Place } from './address.ts';
import { intercepted, type RequestClass } from '../../evidence/answers.ts';
import { bodyKindOf } from '../schemas/readJson.ts';
import {
  type CallerPorts,
  drain,
  type Operation,
  parsed,
  type Schema,
  send,
  type Sent,
} from './sending.ts';

/** How many times a read is tried in all (the service's own client: 3). */
const READ_TRIES = 3;
/** A read is not retried any more after this time, in ms: longer waiting is left to the engine's own back-off. */
const READ_PATIENCE_MS = 10_000;
/** A request that changes something. `json` undefined: no body. */
interface Change {
  readonly operation: Operation;
  readonly requestClass: RequestClass;
  readonly method: 'POST' | 'PATCH';
  readonly place: Place;
  readonly json?: unknown;
}

export interface Caller {
  /** Sends one request to a signed address. The caller reads the body of a success. */
  send(
    operation: Operation,
    requestClass: 'signedUpload' | 'download',
    request: HttpRequest,
  ): Promise<Result<HttpAnswer>>;
  /** Sends a body to the service once. The error's next step is `unknown` when it may have arrived. */
  upload<T>(operation: Operation, request: HttpRequest, schema: Schema<T>): Promise<Result<T>>;
  /** Requests JSON, up to three times. */
  read<T>(
    operation: Operation,
    place: Place,
    schema: Schema<T>,
    signal: AbortSignal,
  ): Promise<Result<T>>;
  /** Requests JSON once, with the key in a header whatever is remembered. */
  readonly readWithHeader: Caller['read'];
  /** Requests a change; repeated only when the service refused it without acting. */
  change<T>(change: Change, schema: Schema<T>, signal: AbortSignal): Promise<Result<T>>;
  /** The same, when any success of the service is enough. */
  demand(change: Change, signal: AbortSignal): Promise<Result<void>>;
}

export const UNCLEAR: readonly ErrorCode[] = ['network.intercepted', 'service.unexpectedAnswer'];

/** True when the service does not offer what was requested: the path or the method does not exist. */
export function isNotOffered(error: SluiceError): boolean {
  const { status } = error.context;
  return status === 404 || status === 405 || status === 501;
}

/** The pause before the next try, in ms; null when there should be none. */
function nextPause(
  ports: CallerPorts,
  error: SluiceError,
  tries: number,
  startedAt: number,
): number | null {
  const mayPass = error.next === 'retry' || error.code === 'network.intercepted';
  if (!mayPass || tries >= READ_TRIES) return null;
  const jitter = ports.random.fraction() * BACKOFF_FIRST_MS * 2 ** (tries - 1);
  const pause = Math.max(jitter, error.retryAfterMs ?? 0);
  return ports.clock.monotonicMs() - startedAt + pause > READ_PATIENCE_MS ? null : pause;
}

function apiRequest(
  { connection, carrierMemory }: CallerPorts,
  place: Place,
  method: HttpRequest['method'],
  json: unknown,
  signal: AbortSignal,
  carrier: KeyCarrier = carrierMemory.read() ?? 'query',
): HttpRequest | null {
  const address = addressOf(connection, place, carrier);
  if (address === null) return null;
  const withBody = json !== undefined;
  const type = withBody ? { 'content-type': 'application/json' } : {};
  return {
    method,
    url: address.url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...type,
      ...address.headers,
    },
    body: withBody ? Buffer.from(JSON.stringify(json), 'utf8') : null,
    stallMs: API_STALL_MS,
    answerMs: API_ANSWER_MS,
    signal,
  };
}

function noSuchPlace<T>(operation: Operation): Result<T> {
  return fail('service.notFound', { operation, reason: 'not an id that the service can have' });
}

async function readOnce<T>(
  ports: CallerPorts,
  operation: Operation,
  request: HttpRequest,
  schema: Schema<T>,
  acceptsText: boolean,
): Promise<Result<T>> {
  const sent = await send(ports, operation, 'read', request, acceptsText);
  return sent.ok ? parsed(ports, operation, sent.value, schema) : sent;
}

/** Classes that nothing else retries, and that may be retried when the service itself says that it did not act. */
const REPEATED_HERE: readonly RequestClass[] = ['create', 'change'];

/** Sends a change. One that a person made is retried when the service refused it for now without acting (429, 503). */
async function sendPatiently(
  ports: CallerPorts,
  operation: Operation,
  requestClass: RequestClass,
  request: HttpRequest,
  acceptsText: boolean,
): Promise<Result<Sent>> {
  const startedAt = ports.clock.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    const sent = await send(ports, operation, requestClass, request, acceptsText);
    if (sent.ok || !REPEATED_HERE.includes(requestClass) || request.signal.aborted) return sent;
    const { code, context } = sent.error;
    const isRefusal = context['status'] === 429 || context['status'] === 503;
    if (code !== 'service.busy' || !isRefusal) return sent;
    const pause = nextPause(ports, sent.error, tries, startedAt);
    if (pause === null) return sent;
    await ports.clock.sleep(pause, request.signal);
    if (request.signal.aborted) return sent;
  }
}

async function sendChange(
  ports: CallerPorts,
  { operation, requestClass, method, place, json }: Change,
  signal: AbortSignal,
): Promise<Result<Sent>> {
  const request = apiRequest(ports, place, method, json, signal);
  if (request === null) return noSuchPlace(operation);
  return sendPatiently(ports, operation, requestClass, request, place.family === 'projects');
}

/** The answer to moving a project has no body; an HTML page is not that answer. */
async function expectNoPage(
  { operation, requestClass }: Change,
  { answer, observed }: Sent,
): Promise<Result<void>> {
  if (bodyKindOf(answer.headers) !== 'html') {
    observed('asked');
    await drain(answer);
    return ok(undefined);
  }
  observed('between');
  answer.body.dispose();
  return {
    ok: false,
    error: intercepted(requestClass, true, { operation, status: answer.status }),
  };
}

export function createCaller(ports: CallerPorts): Caller {
  return {
    send: async (operation, requestClass, request) => {
      const sent = await send(ports, operation, requestClass, request);
      return sent.ok ? ok(sent.value.answer) : sent;
    },
    upload: async (operation, request, schema) => {
      const sent = await send(ports, operation, 'upload', request);
      return sent.ok ? parsed(ports, operation, sent.value, schema) : sent;
    },
    change: async (change, schema, signal) => {
      const sent = await sendChange(ports, change, signal);
      return sent.ok ? parsed(ports, change.operation, sent.value, schema) : sent;
    },
    demand: async (change, signal) => {
      const sent = await sendChange(ports, change, signal);
      return sent.ok ? expectNoPage(change, sent.value) : sent;
    },
    async readWithHeader(operation, place, schema, signal) {
      const request = apiRequest(ports, place, 'GET', undefined, signal, 'header');
      if (request === null) return noSuchPlace(operation);
      return readOnce(ports, operation, request, schema, false);
    },
    async read(operation, place, schema, signal) {
      const request = apiRequest(ports, place, 'GET', undefined, signal);
      if (request === null) return noSuchPlace(operation);
      const acceptsText = place.family === 'projects';
      const startedAt = ports.clock.monotonicMs();
      for (let tries = 1; ; tries += 1) {
        const result = await readOnce(ports, operation, request, schema, acceptsText);
        if (result.ok || signal.aborted) return result;
        const pause = nextPause(ports, result.error, tries, startedAt);
        if (pause === null) return result;
        await ports.clock.sleep(pause, signal);
        if (signal.aborted) return result;
      }
    },
  };
}
