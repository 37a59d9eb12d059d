/**
 * Makes requests to the service, decides what their end means, and reads their JSON. Reads are retried here; changes only if they were
 * refused without effect.
 */
import { type ErrorCode, fail, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { API_ANSWER_MS, API_STALL_MS, BACKOFF_FIRST_MS, STALL_MS } from '../../core/limits.ts';
import type { HttpAnswer, HttpRequest, StreamBody } from '../../core/ports.ts';
import { addressOf, type KeyCarrier, type Place, WORKSPACE } from './address.ts';
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

/** How many times a request is tried in all (the service's own client: 3). */
const TRIES = 3;
/** After this time a request is not retried any more, in ms: longer waits are left to the engine's own backoff. */
const PATIENCE_MS = 10_000;

/** A request that changes something. `json` undefined: no body. */
interface Change {
  readonly operation: Operation;
  readonly requestClass: RequestClass;
  /** POST when absent. */
  readonly method?: 'POST' | 'PATCH';
  readonly place: Place;
  readonly json?: unknown;
}

export const UNCLEAR: readonly ErrorCode[] = ['network.intercepted', 'service.unexpectedAnswer'];

/** True when the service does not offer what was requested: the path or the method does not exist. */
export function isNotOffered(error: SluiceError): boolean {
  const { status } = error.context;
  return status === 404 || status === 405 || status === 501;
}

/** Repeats a request after a growing pause, as long as its error may pass. */
async function repeated<T>(
  { clock, random }: CallerPorts,
  signal: AbortSignal,
  once: () => Promise<Result<T>>,
  mayPass: (error: SluiceError) => boolean,
): Promise<Result<T>> {
  const startedAt = clock.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    const result = await once();
    if (result.ok || signal.aborted || tries === TRIES || !mayPass(result.error)) return result;
    const jitter = random.fraction() * BACKOFF_FIRST_MS * 2 ** (tries - 1);
    const pause = Math.max(jitter, result.error.retryAfterMs ?? 0);
    if (clock.monotonicMs() - startedAt + pause > PATIENCE_MS) return result;
    await clock.sleep(pause, signal);
    if (signal.aborted) return result;
  }
}

function mayReadAgain(operation: Operation, { next, code }: SluiceError): boolean {
  // batchMetadata is an extra that is requested before the first file is sent: if the service does not offer it, anything may answer, and
  // would answer the same again.
  if (code === 'network.intercepted') return operation !== 'batchMetadata';
  return next === 'retry';
}

/** True for a change that a person made and that the service refused for now, without acting: nothing else retries such a change. */
function mayChangeAgain(requestClass: RequestClass, { code, context }: SluiceError): boolean {
  const isRefusal = context['status'] === 429 || context['status'] === 503;
  return ['create', 'change'].includes(requestClass) && code === 'service.busy' && isRefusal;
}

/** The answer to moving a project has no body; an HTML page is not that answer. */
async function expectNoPage(
  { operation, requestClass }: Change,
  { answer, observed }: Sent,
): Promise<Result<void>> {
  if (bodyKindOf(answer) !== 'html') {
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

/** What requests are made with. `workspace`: returns the workspace of the key, for places in it; its errors are those of a request. */
interface Means {
  readonly ports: CallerPorts;
  readonly workspace: (signal: AbortSignal) => Promise<Result<string>>;
}

async function requestTo(
  { ports, workspace }: Means,
  change: Pick<Change, 'operation' | 'place' | 'json'> & Pick<HttpRequest, 'method'>,
  signal: AbortSignal,
  carrier?: KeyCarrier,
): Promise<Result<HttpRequest>> {
  const { operation, place, method, json } = change;
  const within = place.segments.includes(WORKSPACE) ? await workspace(signal) : ok('');
  if (!within.ok) return within;
  const knownCarrier = carrier ?? ports.carrierMemory.read() ?? 'query';
  const address = addressOf(ports.connection, place, within.value, knownCarrier);
  if (address === null) {
    const reason = 'not an id that the service can have';
    return fail('service.notFound', { operation, reason });
  }
  const body = json === undefined ? null : Buffer.from(JSON.stringify(json), 'utf8');
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const accepted = { accept: 'application/json', 'accept-encoding': 'identity' };
  const headers = { ...accepted, ...type, ...address.headers };
  const limits = { stallMs: API_STALL_MS, answerMs: API_ANSWER_MS };
  return ok({ method, url: address.url, headers, body, ...limits, signal });
}

async function sendChange(
  means: Means,
  change: Change,
  signal: AbortSignal,
): Promise<Result<Sent>> {
  const { operation, requestClass, place } = change;
  const request = await requestTo(means, { method: 'POST', ...change }, signal);
  if (!request.ok) return request;
  const isOfProjects = place.family === 'projects';
  const once = () => send(means.ports, operation, requestClass, request.value, isOfProjects);
  return repeated(means.ports, signal, once, (error) => mayChangeAgain(requestClass, error));
}

export function createCaller(means: Means) {
  const { ports } = means;
  return {
    /** Requests JSON: up to three times, or only once, with the key where `carrier` says. */
    read: async <T>(
      operation: Operation,
      place: Place,
      schema: Schema<T>,
      signal: AbortSignal,
      carrier?: KeyCarrier,
    ): Promise<Result<T>> => {
      const request = await requestTo(means, { operation, place, method: 'GET' }, signal, carrier);
      if (!request.ok) return request;
      const isOfProjects = place.family === 'projects';
      const once = async (): Promise<Result<T>> => {
        const sent = await send(ports, operation, 'read', request.value, isOfProjects);
        return sent.ok ? parsed(ports, operation, sent.value, schema) : sent;
      };
      if (carrier !== undefined) return once();
      return repeated(ports, signal, once, (error) => mayReadAgain(operation, error));
    },
    /** Sends one request to a signed address. The caller reads the body of a success. */
    send: async (
      operation: Operation,
      requestClass: 'signedUpload' | 'download',
      request: HttpRequest,
    ): Promise<Result<HttpAnswer>> => {
      const sent = await send(ports, operation, requestClass, request);
      return sent.ok ? ok(sent.value.answer) : sent;
    },
    /** Sends a body to the service once. The error's next step is `unknown` when it may have arrived. */
    upload: async <T>(
      operation: Operation,
      place: Place,
      { contentType, body }: { readonly contentType: string; readonly body: StreamBody },
      schema: Schema<T>,
      signal: AbortSignal,
    ): Promise<Result<T>> => {
      const request = await requestTo(means, { operation, place, method: 'POST' }, signal);
      if (!request.ok) return request;
      const headers = { ...request.value.headers, 'content-type': contentType };
      const whole = { ...request.value, headers, body, stallMs: STALL_MS };
      const sent = await send(ports, operation, 'upload', whole);
      return sent.ok ? parsed(ports, operation, sent.value, schema) : sent;
    },
    /** Requests a change; repeated only when the service refused it without acting. */
    change: async <T>(
      change: Change,
      schema: Schema<T>,
      signal: AbortSignal,
    ): Promise<Result<T>> => {
      const sent = await sendChange(means, change, signal);
      return sent.ok ? parsed(ports, change.operation, sent.value, schema) : sent;
    },
    /** The same, when any success of the service is enough. */
    demand: async (change: Change, signal: AbortSignal): Promise<Result<void>> => {
      const sent = await sendChange(means, change, signal);
      return sent.ok ? expectNoPage(change, sent.value) : sent;
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;
