/** What all operations of the API share: authentication, known query parameters, answers. */
import type { FastifyInstance } from 'fastify';
import { beforeCommit, exchangeOf, type Exchange } from './exchange.ts';
import { Refusal } from './refusal.ts';
import { violate, type Dialect, type Service } from './service.ts';

export interface Call {
  readonly service: Service;
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  /** A parameter of the path. */
  param(name: string): string;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
}

export interface Answer {
  /** 200 by default. */
  readonly status?: number;
  /** null for no body. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** Names of the query parameters it accepts besides api_key. */
  readonly query?: readonly string[];
  /** Not one of the specification's 18: absent under --spec-only. */
  readonly isExtra?: boolean;
  /** Exists in this dialect only. */
  readonly dialect?: Dialect;
  /** Reads its body itself, and calls `beforeCommit` itself. */
  readonly readsBody?: boolean;
  readonly run: (call: Call) => Answer | Promise<Answer>;
}

/** Makes the operation reachable. */
export function mount(app: FastifyInstance, service: Service, operation: Operation): void {
  const isAbsent =
    (operation.isExtra === true && service.specOnly) ||
    (operation.dialect !== undefined && operation.dialect !== service.dialect);
  if (isAbsent) return;
  app.route<{ Params: Readonly<Record<string, string>>; Body: unknown }>({
    method: operation.method,
    url: operation.path,
    handler: async (request, reply) => {
      const exchange = exchangeOf(request.raw);
      authenticate(service, exchange);
      checkWorkspace(service, request.params['workspace']);
      checkQuery(service, exchange, operation);
      if (operation.readsBody !== true && operation.method !== 'GET') await beforeCommit(exchange);
      const answer = await operation.run({
        service,
        exchange,
        query: exchange.query,
        body: request.body,
        param: (name) => request.params[name] ?? '',
      });
      reply.code(answer.status ?? 200);
      return answer.body === null ? reply.send() : reply.send(enveloped(service, answer.body));
    },
  });
}

function enveloped({ state }: Service, body: Answer['body']): Answer['body'] {
  if (state.settings.envelope === 'ok' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'status'));
}

/** Checks the key in the query or in a Bearer header; each one that is given must be correct. */
function authenticate(service: Service, exchange: Exchange): void {
  const { authorization } = exchange.request.headers;
  const bearer =
    authorization === undefined ? [] : [/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? ''];
  const given = [...exchange.query.getAll('api_key'), ...bearer];
  if (given.length === 0) throw new Refusal(401, 'This request needs an API key.');
  if (given.some((key) => key !== service.state.apiKey))
    throw new Refusal(401, 'The API key is not valid.');
}

function checkWorkspace(service: Service, workspace: string | undefined): void {
  if (workspace !== undefined && workspace !== service.state.workspace)
    throw new Refusal(403, 'The API key gives no access to this workspace.');
}

function checkQuery(service: Service, exchange: Exchange, operation: Operation): void {
  const known = new Set(['api_key', ...(operation.query ?? [])]);
  const seen = new Set<string>();
  for (const name of exchange.query.keys()) {
    if (!known.has(name)) violate(service, exchange, 'unknown-query-parameter', name);
    if (seen.has(name)) violate(service, exchange, 'repeated-query-parameter', name);
    seen.add(name);
  }
}

/** A required query parameter that must not be empty. */
export function requiredQuery(call: Call, name: string): string {
  const value = call.query.get(name);
  if (value === null || value === '')
    throw new Refusal(400, `Query parameter ${name} is required.`);
  return value;
}

/** One page of a list in the order given; `pageSize` and `nextPageToken` come from the query. */
export function page<T>(
  call: Call,
  items: readonly T[],
  standardSize: number,
): { readonly items: readonly T[]; readonly nextPageToken: string | null } {
  const stated = call.query.get('pageSize');
  const asked = stated === null ? standardSize : Number(stated);
  if (!Number.isInteger(asked) || asked < 1 || asked > 1000)
    throw new Refusal(400, 'pageSize must be a whole number from 1 to 1000.');
  const size = Math.min(asked, call.service.state.settings.largestPage);
  const { fault } = call.exchange;
  if (fault?.kind === 'endlessPaging') return endlessPage(call, items.slice(0, size), fault.pages);
  const token = call.query.get('nextPageToken');
  const from = token === null ? 0 : offsetOf(token, call.exchange.path);
  const until = from + size;
  return {
    items: items.slice(from, until),
    nextPageToken: until < items.length ? tokenOf(until, call.exchange.path) : null,
  };
}

/** A page that always names a next one; only the first has anything new. */
function endlessPage<T>(
  call: Call,
  first: readonly T[],
  pages: 'same' | 'empty' = 'same',
): { readonly items: readonly T[]; readonly nextPageToken: string } {
  const isFirst = !call.query.has('nextPageToken');
  const nextPageToken = call.service.state.newId('endless-');
  return { items: isFirst || pages === 'same' ? first : [], nextPageToken };
}

function tokenOf(offset: number, path: string): string {
  return Buffer.from(JSON.stringify([offset, path])).toString('base64url');
}

function offsetOf(token: string, path: string): number {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && typeof parsed[0] === 'number' && parsed[1] === path)
      return parsed[0];
  } catch {
    // Falls through: a token that is not JSON is as wrong as one from another list.
  }
  throw new Refusal(400, 'nextPageToken is not valid.');
}

/** A timestamp in the format of the batch data pipeline. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}
