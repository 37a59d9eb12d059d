/**
 * Receives the service's webhooks: a small HTTP server behind a secret path. An event is only a hint to ask the service now;
 * everything that is not a notification gets the same answer, which reveals nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Result, drop, usage } from '../core/errors.ts';
import type { Hint } from '../core/hints.ts';
import { createHttpServer, listen, type ListeningServer } from '../core/listening.ts';
import type { Random } from '../core/ports.ts';
import { registerSecret } from '../core/redact.ts';
import { readWebhook, type WebhookEvent } from '../service/schemas/webhooks.ts';

export interface ReceiverOptions {
  /** Local address to listen on; 127.0.0.1 behind a proxy or a tunnel. */
  readonly bindAddress: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Created by newSecretPath and stored: addresses that were given out must stay valid. */
  readonly secretPath: string;
  /** Called once per event, after the sender got its answer. */
  readonly onHint: (hint: Hint) => void;
}

const SECRET_CHARACTERS = 40;
const LEAST_SECRET_CHARACTERS = 32;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
/** Interval between checks for requests that take too long, in ms. */
const CHECK_MS = 500;
const MAX_CONNECTIONS = 64;
/** Number of events to remember, to recognise repeated ones. */
const REMEMBERED_EVENTS = 10_000;
const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

export function newSecretPath(random: Random): string {
  return random.token(SECRET_CHARACTERS);
}

/** The address given to jobs and shards; it is a secret. `publicUrl` as returned by readPublicUrl. */
export function notificationsUrl(publicUrl: string, secretPath: string): string {
  registerSecret(secretPath);
  return `${publicUrl}/${secretPath}`;
}

/** The content of a shard's notification member. */
export function notificationFor(publicUrl: string, secretPath: string, ingestId: string): string {
  return JSON.stringify({ ingestId, notificationsURL: notificationsUrl(publicUrl, secretPath) });
}

/** Compares in constant time, so that the duration does not reveal how much was right. */
function isSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** The last part of the path: a proxy in front of the receiver may keep the path of the public address before it. */
function lastPart(target: string): string {
  const path = /^[^?#]*/.exec(target)?.[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1);
}

function isEventRequest(request: IncomingMessage, secretPath: string): boolean {
  const secret = isSecret(lastPart(request.url ?? ''), secretPath);
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const declared = Number(request.headers['content-length'] ?? 0);
  const plain = request.headers['content-encoding'] === undefined && declared <= MAX_BODY_BYTES;
  return secret && request.method === 'POST' && type === 'application/json' && plain;
}

/** The body as JSON; undefined when it is too long, truncated or not JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of request) {
      if (!(piece instanceof Uint8Array)) return undefined;
      length += piece.length;
      if (length > MAX_BODY_BYTES) return undefined;
      pieces.push(piece);
    }
    const value: unknown = JSON.parse(new TextDecoder().decode(Buffer.concat(pieces)));
    return value;
  } catch {
    return undefined;
  }
}

/** Remembers the last events, in order of arrival; returns whether one is new. */
function createMemory(): (eventId: string) => boolean {
  const known = new Set<string>();
  return (eventId) => {
    if (known.has(eventId)) return false;
    const oldest = known.values().next().value;
    if (oldest !== undefined && known.size >= REMEMBERED_EVENTS) known.delete(oldest);
    known.add(eventId);
    return true;
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  secretPath: string,
  isNew: (eventId: string) => boolean,
): Promise<WebhookEvent | null> {
  // A sender that hangs up needs no answer.
  response.on('error', () => undefined);
  const body = isEventRequest(request, secretPath) ? await readBody(request) : undefined;
  const event = readWebhook(body);
  if (event === null) {
    response.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
    return null;
  }
  const fresh = isNew(event.eventId);
  response.writeHead(204).end();
  return fresh ? event : null;
}

function createWebhookServer(): Server {
  const server = createHttpServer(MAX_CONNECTIONS, {
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // This also answers requests that take too long: Node's own 408 would reveal that a server is here.
  server.on('clientError', (_error, socket) => {
    socket.on('error', () => undefined);
    if (socket.writable) socket.end(NOT_FOUND, () => socket.destroy());
    else socket.destroy();
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
  });
  return server;
}

/** Starts a receiver. Error: usage.invalid when the port is taken or the address is not ours. Each event is passed on once per id. */
export async function startWebhookReceiver(
  options: ReceiverOptions,
): Promise<Result<ListeningServer>> {
  const { secretPath, onHint } = options;
  if (secretPath.length < LEAST_SECRET_CHARACTERS) {
    return usage(`the secret path has under ${LEAST_SECRET_CHARACTERS} characters`);
  }
  registerSecret(secretPath);
  const isNew = createMemory();
  const server = createWebhookServer();
  server.on('request', (request, response) => {
    // A hint fails when the ledger cannot be read; the running pipeline reports that.
    drop(
      answer(request, response, secretPath, isNew).then((event) => {
        if (event !== null) onHint({ batchId: event.batchId });
      }),
    );
  });
  return listen(server, options.bindAddress, options.port, 'webhooks');
}
