/** Requests for the service's tests: exact, without retries, with complete answers. */
import { connect } from 'node:net';
import { request } from 'undici';

/** A service under test: the reference service, or a live one. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

export interface Sending {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: Uint8Array;
  /** null to send no key. */
  readonly key?: string | null;
}

/** Sends one request to an absolute address and reads the whole answer. */
export async function send(
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  { headers = {}, body, json }: Sending = {},
): Promise<Reply> {
  const answer = await request(url, {
    method,
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) plain[name] = `${value}`;
  return { status: answer.statusCode, headers: plain, bytes, json: parsed(bytes) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Calls an operation of the API with the target's key in the query. */
export function call(
  target: Target,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  sending: Sending = {},
): Promise<Reply> {
  const query = new URLSearchParams(sending.query);
  const key = sending.key === undefined ? target.apiKey : sending.key;
  if (key !== null) query.set('api_key', key);
  const tail = query.size === 0 ? '' : `?${query.toString()}`;
  return send(method, `${target.url}${path}${tail}`, sending);
}

export function batchPath(target: Target, batchId: string, tail: string): string {
  return `/data-staging/v1/external/${target.workspace}/batches/${batchId}/${tail}`;
}

export function jobPath(target: Target, jobId: string, tail = ''): string {
  return `/batch-processing/v1/external/${target.workspace}/jobs/${jobId}${tail}`;
}

export function form(content: Uint8Array): Sending {
  const boundary = 'sluice-test-boundary';
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`,
      ),
      content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

export function uploadImage(
  target: Target,
  batchId: string,
  fileName: string,
  content: Uint8Array,
): Promise<Reply> {
  const sending = { ...form(content), query: { fileName } };
  return call(target, 'POST', batchPath(target, batchId, 'upload/image'), sending);
}

/** The answer to a registration. */
export interface Registered {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads a value inside parsed JSON by names and indexes; undefined where there is none. */
export function dig(json: unknown, ...steps: readonly (string | number)[]): unknown {
  let value = json;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** A list inside parsed JSON; fails when there is none. */
export function listIn(json: unknown, name: string): readonly unknown[] {
  const value = dig(json, name);
  if (!Array.isArray(value)) throw new Error(`no list ${name} in ${JSON.stringify(json)}`);
  return value;
}

/** A text inside parsed JSON; fails when there is none. */
export function textIn(json: unknown, ...steps: readonly (string | number)[]): string {
  const value = dig(json, ...steps);
  if (typeof value !== 'string')
    throw new Error(`no text ${steps.join('.')} in ${JSON.stringify(json)}`);
  return value;
}

function registered(reply: Reply): Registered {
  const stated = dig(reply.json, 'signedURLDetails', 'extensionHeaders');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(stated ?? {})) headers[name] = `${value}`;
  return { url: textIn(reply.json, 'signedURLDetails', 'uploadURL'), headers };
}

export async function registerShard(target: Target, batchId: string): Promise<Registered> {
  const path = batchPath(target, batchId, 'bulk-upload/image-files');
  return registered(await call(target, 'POST', path));
}

export async function registerVideo(
  target: Target,
  batchId: string,
  fileName: string,
): Promise<Registered> {
  const path = batchPath(target, batchId, 'upload/video');
  return registered(await call(target, 'POST', path, { query: { fileName } }));
}

/** PUTs a body to a signed address as its registration requires. */
export function put(to: Registered, body: Uint8Array): Promise<Reply> {
  return send('PUT', to.url, { headers: to.headers, body });
}

/** The body of a start-job request for a batch of images. */
export function jobBody(target: Target, batchId: string, more: object = {}): object {
  return {
    type: 'simple-image-processing-v1',
    jobInput: { type: 'staging-batch-input-v1', batchId },
    computeConfiguration: { type: 'compute-configuration-v2' },
    processingSpecification: {
      type: 'workflows-processing-specification-v1',
      workspace: target.workspace,
      workflowId: 'count-things',
    },
    ...more,
  };
}

/** Sends raw bytes over a separate connection and resolves with everything received until the service closed it. */
export function raw(target: Target, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(target.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(bytes);
  });
}

/** The outcome of a request: the status, or "lost" when the connection broke. */
export async function outcome(attempt: Promise<Reply>): Promise<number | 'lost'> {
  try {
    return (await attempt).status;
  } catch {
    return 'lost';
  }
}
