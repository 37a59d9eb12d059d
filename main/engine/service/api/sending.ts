/** Sends one request and interprets the answer: who sent it, what it means, and its JSON. */
import type { z } from 'zod';
import { fail, ok, type Result, SluiceFailure } from '../../core/errors.ts';
import {
  type Answered,
  dateOf,
  failedInside,
  intercepted,
  mayAct,
  meaningOf,
  meaningOfFailure,
  type RequestClass,
  retryAfterMs,
  sourceOf,
} from '../../evidence/answers.ts';
import type {
  Clock,
  Http,
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  Log,
  Random,
} from '../../core/ports.ts';
import { bodyKindOf, keptAnswer, readError, readJson, wordsOf } from '../schemas/readJson.ts';
import { followed, MOST_REDIRECTS, sentOnTo } from '../http/redirects.ts';
import type { KeyCarrier } from './address.ts';
import { withKeyInHeader, withKeyInQuery } from './keyCarrier.ts';
import type { Connection, Dialect, Learned } from '../serviceClient.ts';

export type Operation = string;

/** How much of an unneeded answer is read to keep its connection, in bytes. Our choice. */
const DRAIN_BYTES = 64 * 1024;

/** What a request's end shows. `asked`: the service or its storage answered; `between`: a proxy or a sign-in page; `nothing`: no answer. */
export interface RequestEnd {
  readonly operation: Operation;
  readonly from: 'asked' | 'between' | 'nothing';
  /** The request succeeded. */
  readonly accepted: boolean;
  /** The service's own `Date` header, epoch ms; null when there is none, or when the answer is from a storage or anything else. */
  readonly dateMs: number | null;
  /** When the request began, monotonic ms. */
  readonly beganAt: number;
}

export interface CallerPorts {
  /** Called once for each request, as soon as it is known who answered. */
  readonly observe?: (sighting: RequestEnd) => void;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly connection: Connection;
  /** Where the service accepts the key; while that is not known, the key is in the query. */
  readonly carrierMemory: Learned<KeyCarrier>;
  readonly dialectMemory: Learned<Dialect>;
}

/** Reads what is left of an answer so that its connection can be reused; gives up when it is long or broken. */
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

/** Makes the request and follows redirects to places where the request may go. `asked`: the last request, to which `result` belongs. */
async function requestFollowing(
  { http }: CallerPorts,
  requestClass: RequestClass,
  request: HttpRequest,
): Promise<{ readonly result: HttpAnswer | HttpFailure; readonly asked: HttpRequest }> {
  let asked = request;
  for (let hops = 0; ; hops += 1) {
    const result = await http.request(asked);
    if (result.kind === 'failure' || hops === MOST_REDIRECTS) return { result, asked };
    const next = followed(result, requestClass, asked);
    if (next === null) return { result, asked };
    await drain(result);
    asked = next;
  }
}

/** The head of an answer with the text of an error, to decide what it means. */
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
        body: bodyKindOf(answer),
        words: redirect === null ? null : `it redirects to ${redirect.origin}`,
      };
  const wait = retryAfterMs(headers['retry-after'], ports.clock.now());
  return { status, ...error, retryAfterMs: wait, acceptsText };
}

/** An answer whose head was a success, and what is needed to report later who sent it. */
export interface Sent {
  readonly answer: HttpAnswer;
  /** The address that answered; may hold the key. */
  readonly url: string;
  readonly requestClass: RequestClass;
  /** Reports who answered; called once the body is read. */
  readonly observed: (from: 'asked' | 'between') => void;
}

/**
 * A refused request with its key in the other place, if that may help: back in the query after it was in the header, or in the header while
 * nothing is known yet.
 */
function otherCarrier(
  request: HttpRequest,
  { carrierMemory, connection: { apiKey } }: CallerPorts,
): { readonly carrier: KeyCarrier; readonly request: HttpRequest } | null {
  const known = carrierMemory.read();
  if (known === 'query') return null;
  const again = (known === null ? withKeyInHeader : withKeyInQuery)(request, apiKey);
  return again && { carrier: known === null ? 'header' : 'query', request: again };
}

/** Sends a request once. Returns the head of a success, or the error that its end means. */
export async function send(
  ports: CallerPorts,
  operation: Operation,
  requestClass: RequestClass,
  request: HttpRequest,
  acceptsText = false,
): Promise<Result<Sent>> {
  const beganAt = ports.clock.monotonicMs();
  const { result, asked } = await requestFollowing(ports, requestClass, request);
  if (result.kind === 'failure') {
    const { fault, maybeSent } = result;
    ports.log.write('debug', 'service.failure', { operation, fault, maybeSent });
    const from = fault === 'proxyAuth' ? 'between' : 'nothing';
    if (fault !== 'aborted')
      ports.observe?.({ operation, from, accepted: false, dateMs: null, beganAt });
    return { ok: false, error: meaningOfFailure(result, requestClass) };
  }
  ports.log.write('debug', 'service.answer', { operation, status: result.status });
  const other = result.status === 401 ? otherCarrier(request, ports) : null;
  if (other !== null) {
    await drain(result);
    const sent = await send(ports, operation, requestClass, other.request, acceptsText);
    // "Not found" for a batch or a job is also an answer to an accepted key.
    if (sent.ok || sent.error.code === 'service.notFound') ports.carrierMemory.write(other.carrier);
    return sent;
  }
  const read = await readAnswer(ports, asked, result, acceptsText);
  const isStorage = requestClass === 'signedUpload' || requestClass === 'download';
  const error = meaningOf(read, requestClass, result.early !== true);
  const observed = (from: 'asked' | 'between'): void => {
    // The date of a refusal without JSON may come from a load balancer's clock.
    const isDated = from === 'asked' && !isStorage && (error === null || read.body === 'json');
    const dateMs = isDated ? dateOf(result.headers) : null;
    ports.observe?.({
      operation,
      from,
      accepted: error === null && from === 'asked',
      dateMs,
      beganAt,
    });
  };
  const from = sourceOf(read, requestClass);
  if (error !== null || isStorage) observed(from);
  if (error === null) return ok({ answer: result, url: asked.url, requestClass, observed });
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

/** The schema of the JSON that this address answers with; made when it is first needed. */
export type Schema<T> = (url: string) => z.ZodType<T>;

/** The JSON of an answer. A body of another shape is not the service's: see evidence/answers.ts. */
export async function parsed<T>(
  ports: CallerPorts,
  operation: Operation,
  sent: Sent,
  schema: Schema<T>,
): Promise<Result<T>> {
  const { answer, url, requestClass, observed } = sent;
  let body;
  try {
    body = await readJson(answer);
  } catch (error) {
    if (!(error instanceof SluiceFailure)) throw error;
    // The service may have acted, but the rest of its answer is lost.
    if (mayAct(requestClass)) return fail('service.noAnswer', { operation });
    return { ok: false, error: error.error };
  }
  const isDoubtful = requestClass === 'startJob' || requestClass === 'create';
  if (isDoubtful && body.text === '') {
    // An empty answer shows neither whether the service acted, nor whether it comes from the service: the service is asked.
    observed('asked');
    return fail('service.noAnswer', { operation, said: 'an empty answer came' });
  }
  const result = schema(url).safeParse(body.json);
  // After a mere read, an error in another shape may come from anything.
  const isError = requestClass !== 'read' && body.json !== undefined;
  const said = isError && !result.success ? wordsOf(body.text) : null;
  observed(result.success || said !== null ? 'asked' : 'between');
  if (result.success) return ok(result.data);
  const issue = result.error.issues[0];
  const where = issue === undefined ? '' : issue.path.join('.');
  const kept = keptAnswer(body.text);
  ports.log.write('warn', 'service.intercepted', { operation, where, answer: kept });
  const plain = bodyKindOf(answer) !== 'html';
  const context = { operation, status: answer.status, where, plain };
  if (said !== null) return { ok: false, error: failedInside(requestClass, { ...context, said }) };
  return { ok: false, error: intercepted(requestClass, true, context) };
}
