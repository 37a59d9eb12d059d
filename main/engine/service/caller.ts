/** Asking the service: one request, its meaning, its JSON. Reads are tried again here; what changes something never is. */
import type { z } from 'zod';
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { fail, ok, SluiceFailure } from '../errors.ts';
import { API_ANSWER_MS, API_STALL_MS, BACKOFF_FIRST_MS } from '../limits.ts';
import type { Clock, Http, HttpAnswer, HttpFailure, HttpRequest, Log, Random } from '../ports.ts';
import { addressOf, type Place } from './address.ts';
import {
  type Answered,
  intercepted,
  mayAct,
  meaningOf,
  type RequestClass,
  retryAfterMs,
  sourceOf,
} from '../evidence/answers.ts';
import { bodyKindOf, keptAnswer, readError, readJson } from './readJson.ts';
import { followed, MOST_REDIRECTS, sentOnTo } from './redirects.ts';
import type { Connection } from './serviceClient.ts';

/** Times a read is asked in all (the service's own client: 3). */
const READ_TRIES = 3;
/** A read with its repetitions takes no new try after this, ms: the engine's own back-off is the patient one. */
const READ_PATIENCE_MS = 10_000;
/** Bytes of an uninteresting answer that are read to keep its connection. Ours. */
const DRAIN_BYTES = 64 * 1024;

/**
 * What the end of one request shows about the connection. `asked`: the service or its storage answered; `between`: a
 * proxy or a sign-in page did; `nothing`: no answer came.
 */
export interface Sighting {
  readonly from: 'asked' | 'between' | 'nothing';
  /** What the service's own `Date` header says, epoch ms; null from a storage, from others, and without one. */
  readonly dateMs: number | null;
  /** Monotonic instant at which the request began, ms. */
  readonly beganAt: number;
}

/** What asking needs. */
export interface CallerPorts {
  /** Called once for each request, when it is known who answered. */
  readonly observe?: (sighting: Sighting) => void;
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
  /** Sends one request to a signed address; the body of a success is still to be read. */
  send(
    operation: Operation,
    requestClass: 'signedUpload' | 'download',
    request: HttpRequest,
  ): Promise<Result<HttpAnswer>>;
  /** Sends a body to the service once. Next `unknown` where it may have arrived. */
  upload<T>(operation: Operation, request: HttpRequest, schema: z.ZodType<T>): Promise<Result<T>>;
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

/** The head of an answer with the words of an error, for the decision what it means. */
async function readAnswer(
  ports: CallerPorts,
  request: HttpRequest,
  answer: HttpAnswer,
  acceptsText: boolean,
): Promise<Answered> {
  const { status, headers } = answer;
  const hasBody = status >= 400 && status !== 412 && status !== 416;
  const redirect = sentOnTo(answer, request.url);
  const error = hasBody
    ? await readError(answer)
    : {
        body: bodyKindOf(headers),
        words: redirect === null ? null : `it redirects to ${redirect.origin}`,
      };
  const wait = retryAfterMs(headers['retry-after'], ports.clock.now());
  return { kind: 'answer', status, ...error, retryAfterMs: wait, acceptsText };
}

function dateOf(answer: HttpAnswer): number | null {
  const at = Date.parse(answer.headers['date'] ?? '');
  return Number.isNaN(at) ? null : at;
}

/** An answer whose head was a success, and what is needed to say later who gave it. */
interface Sent {
  readonly answer: HttpAnswer;
  readonly requestClass: RequestClass;
  /** Tells who answered, once the body is read. */
  readonly observed: (from: 'asked' | 'between') => void;
}

async function send(
  ports: CallerPorts,
  operation: Operation,
  requestClass: RequestClass,
  request: HttpRequest,
  acceptsText = false,
): Promise<Result<Sent>> {
  const beganAt = ports.clock.monotonicMs();
  const result = await requestFollowing(ports, requestClass, request);
  if (result.kind === 'failure') {
    const { fault, detail, maybeSent } = result;
    ports.log.write('debug', 'service.failure', { operation, fault, maybeSent });
    const from = fault === 'proxyAuth' ? 'between' : 'nothing';
    if (fault !== 'aborted') ports.observe?.({ from, dateMs: null, beganAt });
    const error = meaningOf({ kind: 'failure', fault, detail }, requestClass, maybeSent);
    return error === null ? fail('bug.unexpected', { operation }) : { ok: false, error };
  }
  ports.log.write('debug', 'service.answer', { operation, status: result.status });
  const read = await readAnswer(ports, request, result, acceptsText);
  const isStorage = requestClass === 'signedUpload' || requestClass === 'download';
  const observed = (from: 'asked' | 'between'): void => {
    const dateMs = from === 'asked' && !isStorage ? dateOf(result) : null;
    ports.observe?.({ from, dateMs, beganAt });
  };
  const error = meaningOf(read, requestClass, result.early !== true);
  const from = sourceOf(read, requestClass);
  if (error !== null || isStorage) observed(from);
  if (error === null) return ok({ answer: result, requestClass, observed });
  result.body.dispose();
  if (error.code === 'network.intercepted') {
    const kept = keptAnswer(read.words ?? '');
    ports.log.write('warn', 'service.intercepted', {
      operation,
      status: result.status,
      answer: kept,
    });
  }
  return { ok: false, error };
}

/** The JSON of an answer. A body that is cut or has another shape is not the service's: see evidence/answers.ts. */
async function parsed<T>(
  ports: CallerPorts,
  operation: Operation,
  sent: Sent,
  schema: z.ZodType<T>,
): Promise<Result<T>> {
  const { answer, requestClass, observed } = sent;
  let body;
  try {
    body = await readJson(answer);
  } catch (error) {
    if (!(error instanceof SluiceFailure)) throw error;
    // The service may have done it, and the rest of its answer is lost.
    if (mayAct(requestClass)) return fail('service.noAnswer', { operation });
    return { ok: false, error: error.error };
  }
  const result = schema.safeParse(body.json);
  observed(result.success ? 'asked' : 'between');
  if (result.success) return ok(result.data);
  const issue = result.error.issues[0];
  const where = issue === undefined ? '' : issue.path.join('.');
  const kept = keptAnswer(body.text);
  ports.log.write('warn', 'service.intercepted', { operation, where, answer: kept });
  const context = { operation, status: answer.status, where };
  return { ok: false, error: intercepted(requestClass, true, context) };
}

/** The pause before the next try of a read, ms; null when the read has waited long enough. */
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
  schema: z.ZodType<T>,
  acceptsText: boolean,
): Promise<Result<T>> {
  const sent = await send(ports, operation, 'read', request, acceptsText);
  return sent.ok ? parsed(ports, operation, sent.value, schema) : sent;
}

/** Classes that nobody else repeats, and that may be repeated when the service itself says that it did not act. */
const REPEATED_HERE: readonly RequestClass[] = ['create', 'change'];

/** Sends a change. Told "not now" before anything was done (429, 503), a change of a person's is tried again here. */
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

async function change<T>(
  ports: CallerPorts,
  asked: Change<T>,
  signal: AbortSignal,
): Promise<Result<T | null>> {
  const { operation, requestClass, method, schema } = asked;
  const request = apiRequest(ports.connection, asked.place, method, asked.json, signal);
  if (request === null) return noSuchPlace(operation);
  const acceptsText = asked.place.family === 'projects';
  const sent = await sendPatiently(ports, operation, requestClass, request, acceptsText);
  if (!sent.ok) return sent;
  if (schema !== null) return parsed(ports, operation, sent.value, schema);
  // Moving a project is answered without a body, and a page is no such answer.
  if (bodyKindOf(sent.value.answer.headers) !== 'html') {
    sent.value.observed('asked');
    await drain(sent.value.answer);
    return ok(null);
  }
  sent.value.observed('between');
  sent.value.answer.body.dispose();
  const context = { operation, status: sent.value.answer.status };
  return { ok: false, error: intercepted(requestClass, true, context) };
}

/** Makes the ways to ask one connection's service. */
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
    change: (asked, signal) => change(ports, asked, signal),
    async read(operation, place, schema, signal) {
      const request = apiRequest(ports.connection, place, 'GET', undefined, signal);
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
