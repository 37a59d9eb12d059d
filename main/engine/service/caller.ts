/** Asking the service: one request, its meaning, its JSON. Reads are tried again here; what changes something never is. */
import type { z } from 'zod';
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { fail, ok, SluiceFailure } from '../errors.ts';
import { API_STALL_MS, BACKOFF_FIRST_MS } from '../limits.ts';
import type { Clock, Http, HttpAnswer, HttpFailure, HttpRequest, Log, Random } from '../ports.ts';
import { addressOf, type Place } from './address.ts';
import { classify, retryAfterMs, type RequestClass } from './classify.ts';
import { keptAnswer, readJson, readWords } from './readJson.ts';
import { followed, MOST_REDIRECTS, sentOnTo } from './redirects.ts';
import type { Connection } from './serviceClient.ts';

/** Times a read is asked in all (the service's own client: 3). */
const READ_TRIES = 3;
/** A read with its repetitions takes no new try after this, ms: the engine's own back-off is the patient one. */
const READ_PATIENCE_MS = 10_000;
/** Bytes of an uninteresting answer that are read to keep its connection. Ours. */
const DRAIN_BYTES = 64 * 1024;

/** What asking needs. */
export interface CallerPorts {
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly connection: Connection;
}

/** The name of an operation, for the log and errors. */
type Operation = string;

/** A request that changes something. `json` undefined: no body. */
export interface Change<T> {
  readonly operation: Operation;
  readonly requestClass: RequestClass;
  readonly method: 'POST' | 'PATCH';
  readonly place: Place;
  readonly json?: unknown;
  /** null: whatever the service answers with a success is enough. */
  readonly schema: z.ZodType<T> | null;
}

/** The ways to ask. */
export interface Caller {
  /** Sends one request and reads what an error says; the answer of a success is still to be read. */
  send(
    operation: Operation,
    requestClass: RequestClass,
    request: HttpRequest,
  ): Promise<Result<HttpAnswer>>;
  /** Asks for JSON, up to three times. */
  read<T>(
    operation: Operation,
    place: Place,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<Result<T>>;
  /** Asks for a change, once. The value is null when the change has no schema. */
  change<T>(change: Change<T>, signal: AbortSignal): Promise<Result<T | null>>;
}

/** True when the service does not offer what was asked: the path or the method is not there. */
export function isNotOffered(error: SluiceError): boolean {
  const { status } = error.context;
  return status === 404 || status === 405 || status === 501;
}

/** Reads a short rest of an answer so that its connection can be used again; gives up on a long or broken one. */
export async function drain(answer: HttpAnswer): Promise<void> {
  let length = 0;
  try {
    for await (const chunk of answer.body) {
      length += chunk.length;
      if (length > DRAIN_BYTES) return;
    }
  } catch (error) {
    if (!(error instanceof SluiceFailure)) throw error;
  }
}

/** Makes the request, and makes it again where an answer sends it on to a place it may go to. */
async function requestFollowing(
  { http }: CallerPorts,
  requestClass: RequestClass,
  request: HttpRequest,
): Promise<HttpAnswer | HttpFailure> {
  let asked = request;
  for (let hops = 0; ; hops += 1) {
    const result = await http.request(asked);
    if (result.kind === 'failure' || hops === MOST_REDIRECTS) return result;
    const next = followed(result, requestClass, asked);
    if (next === null) return result;
    await drain(result);
    asked = next;
  }
}

async function send(
  ports: CallerPorts,
  operation: Operation,
  requestClass: RequestClass,
  request: HttpRequest,
): Promise<Result<HttpAnswer>> {
  const result = await requestFollowing(ports, requestClass, request);
  if (result.kind === 'failure') {
    const { fault, detail, maybeSent } = result;
    ports.log.write('debug', 'service.failure', { operation, fault, maybeSent });
    const error = classify({ kind: 'failure', fault, detail }, requestClass, maybeSent);
    return error === null ? fail('bug.unexpected', { operation }) : { ok: false, error };
  }
  const { status } = result;
  ports.log.write('debug', 'service.answer', { operation, status });
  const onTo = sentOnTo(result, request.url);
  const wordless = status < 400 || status === 412 || status === 416;
  const said = wordless
    ? onTo === null
      ? null
      : `it sends on to ${onTo.origin}`
    : await readWords(result);
  const wait = retryAfterMs(result.headers['retry-after'], ports.clock.now());
  const heard = { kind: 'answer', status, said, retryAfterMs: wait } as const;
  const error = classify(heard, requestClass, result.early !== true);
  if (error === null) return ok(result);
  result.body.dispose();
  return { ok: false, error };
}

async function parsed<T>(
  ports: CallerPorts,
  operation: Operation,
  answer: HttpAnswer,
  schema: z.ZodType<T>,
): Promise<Result<T>> {
  const body = await readJson(answer);
  const result = schema.safeParse(body.json);
  if (result.success) return ok(result.data);
  const issue = result.error.issues[0];
  const where = issue === undefined ? '' : issue.path.join('.');
  const kept = keptAnswer(body.text);
  ports.log.write('warn', 'service.unexpectedAnswer', { operation, where, answer: kept });
  return fail('service.unexpectedAnswer', { operation, status: answer.status, where });
}

/** The pause before the next try of a read, ms; null when the read has waited long enough. */
function nextPause(
  ports: CallerPorts,
  error: SluiceError,
  tries: number,
  startedAt: number,
): number | null {
  if (error.next !== 'retry' || tries >= READ_TRIES) return null;
  const jitter = ports.random.fraction() * BACKOFF_FIRST_MS * 2 ** (tries - 1);
  const pause = Math.max(jitter, error.retryAfterMs ?? 0);
  return ports.clock.monotonicMs() - startedAt + pause > READ_PATIENCE_MS ? null : pause;
}

function apiRequest(
  connection: Connection,
  place: Place,
  method: HttpRequest['method'],
  json: unknown,
  signal: AbortSignal,
): HttpRequest | null {
  const address = addressOf(connection, place);
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
  schema: z.ZodType<T>,
): Promise<Result<T>> {
  const sent = await send(ports, operation, 'read', request);
  if (!sent.ok) return sent;
  try {
    return await parsed(ports, operation, sent.value, schema);
  } catch (error) {
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  }
}

/** Classes that nobody else repeats, and that may be repeated when the service itself says that it did not act. */
const REPEATED_HERE: readonly RequestClass[] = ['create', 'change'];

/** Sends a change. Told "not now" before anything was done (429, 503), a change of a person's is tried again here. */
async function sendPatiently(
  ports: CallerPorts,
  operation: Operation,
  requestClass: RequestClass,
  request: HttpRequest,
): Promise<Result<HttpAnswer>> {
  const startedAt = ports.clock.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    const sent = await send(ports, operation, requestClass, request);
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

async function change<T>(
  ports: CallerPorts,
  asked: Change<T>,
  signal: AbortSignal,
): Promise<Result<T | null>> {
  const { operation, requestClass, method, schema } = asked;
  const request = apiRequest(ports.connection, asked.place, method, asked.json, signal);
  if (request === null) return noSuchPlace(operation);
  const sent = await sendPatiently(ports, operation, requestClass, request);
  if (!sent.ok) return sent;
  if (schema === null) {
    await drain(sent.value);
    return ok(null);
  }
  try {
    return await parsed(ports, operation, sent.value, schema);
  } catch (error) {
    if (!(error instanceof SluiceFailure)) throw error;
    // The service has made it, and the rest of its answer is lost.
    if (requestClass === 'create') return fail('service.noAnswer', { operation });
    return { ok: false, error: error.error };
  }
}

/** Makes the ways to ask one connection's service. */
export function createCaller(ports: CallerPorts): Caller {
  return {
    send: (operation, requestClass, request) => send(ports, operation, requestClass, request),
    change: (asked, signal) => change(ports, asked, signal),
    async read(operation, place, schema, signal) {
      const request = apiRequest(ports.connection, place, 'GET', undefined, signal);
      if (request === null) return noSuchPlace(operation);
      const startedAt = ports.clock.monotonicMs();
      for (let tries = 1; ; tries += 1) {
        const result = await readOnce(ports, operation, request, schema);
        if (result.ok || signal.aborted) return result;
        const pause = nextPause(ports, result.error, tries, startedAt);
        if (pause === null) return result;
        await ports.clock.sleep(pause, signal);
        if (signal.aborted) return result;
      }
    },
  };
}
