/** Engines broken on purpose, through their ports: the simulation must report each of them. */
import { ok } from '../../main/engine/core/errors.ts';
import type { Files, Http, HttpAnswer, HttpRequest, Ports } from '../../main/engine/core/ports.ts';
import { STORAGE_URL } from './serviceWords.ts';
import { RESULTS } from './watchPlan.ts';

export interface Sabotage {
  readonly words: string;
  /** Creates one for a seed; the result is applied to the ports of each process. */
  readonly create: () => (ports: Ports) => Ports;
  readonly reports: RegExp;
  /** The first seed that is tried. */
  readonly from: number;
}

function withRequests(
  ports: Ports,
  change: (http: Http, request: HttpRequest) => ReturnType<Http['request']>,
): Ports {
  const { http } = ports;
  return { ...ports, http: { ...http, request: (request) => change(http, request) } };
}

function isUpload({ method, url }: HttpRequest): boolean {
  return method === 'PUT' || (method === 'POST' && url.includes('/upload/image'));
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a whole body. */
async function bodyOf({ body }: HttpRequest): Promise<Uint8Array> {
  if (body === null || body instanceof Uint8Array) return body ?? new Uint8Array();
  return collect(body.chunks());
}

/** Every upload is sent twice, the second time under another name, as by an engine that does not check first. */
function sendingTwice(ports: Ports): Ports {
  return withRequests(ports, async (http, request) => {
    if (request.method !== 'POST' || !isUpload(request)) return http.request(request);
    const body = await bodyOf(request);
    const again = request.url.replace('fileName=', 'fileName=again-');
    await http.request({ ...request, body, url: again });
    return http.request({ ...request, body });
  });
}

/** Names that were sent to the service count as listed, whatever happened to them: an engine that believes answers. */
function believingAnswers(ports: Ports): Ports {
  const sent = new Set<string>();
  return withRequests(ports, async (http, request) => {
    const { pathname, searchParams } = new URL(request.url);
    const name = searchParams.get('fileName');
    if (isUpload(request) && name !== null) {
      // Half of the bodies are lost, unnoticed.
      sent.add(name);
      if (sent.size % 2 === 0) {
        await bodyOf(request);
        return answered('{"status":"ok"}');
      }
    }
    if (sent.size > 0 && pathname.endsWith('/count')) return answered(`{"count":${sent.size}}`);
    if (sent.size === 0 || !pathname.endsWith('/list')) return http.request(request);
    const filesMetadata = [...sent].map((fileName) => ({
      fileName,
      downloadURL: `${STORAGE_URL}/down/0`,
      contentType: 'images',
    }));
    return answered(JSON.stringify({ filesMetadata }));
  });
}

function answered(text: string): HttpAnswer {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield Buffer.from(text);
  }
  const body = Object.assign(chunks(), { dispose: () => undefined });
  return { kind: 'answer', status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** The program changes a user's file. */
function changingFiles(ports: Ports): Ports {
  const { files } = ports;
  const inspect: Files['inspect'] = async (paths) => {
    const first = paths[0];
    if (first !== undefined) {
      const part = await files.openPart(first, `${first}.part`, null);
      if (part.ok) await part.value.commit({ replace: true });
    }
    return files.inspect(paths);
  };
  return { ...ports, files: { ...files, inspect } };
}

/** A single failure is held against the file forever, whatever the cause was. */
function neverForgiving(): (ports: Ports) => Ports {
  const failed = new Set<string>();
  return (ports) =>
    withRequests(ports, async (http, request) => {
      const name = new URL(request.url).searchParams.get('fileName');
      if (!isUpload(request) || name === null) return http.request(request);
      const end = failed.has(name) ? null : await http.request(request);
      if (end?.kind === 'answer' && end.status < 300) return end;
      failed.add(name);
      return { ...answered('{"error":"not this one"}'), status: 422 };
    });
}

/** Directories are not entered: their content is silently skipped. */
function overlooking(ports: Ports): Ports {
  const { files } = ports;
  const list: Files['list'] = async (directory) => {
    const listing = await files.list(directory);
    return listing.ok
      ? { ok: true, value: [...listing.value].filter((_, index) => index % 3 !== 2) }
      : listing;
  };
  return { ...ports, files: { ...files, list } };
}

/** The key is sent to the storage. */
function leakingTheKey(ports: Ports): Ports {
  let key = '';
  return withRequests(ports, (http, request) => {
    const own =
      new URL(request.url).searchParams.get('api_key') ?? request.headers['authorization'];
    if (own !== null && own !== undefined) key = own;
    const headers = { ...request.headers, authorization: key };
    return http.request(request.url.startsWith(STORAGE_URL) ? { ...request, headers } : request);
  });
}

/** Existing files in the results folder are not checked before writing. */
function writingOver(ports: Ports): Ports {
  const { files } = ports;
  const typeOf: Files['typeOf'] = (path) =>
    path.startsWith(`${RESULTS}/`) ? Promise.resolve(null) : files.typeOf(path);
  const replace = true;
  const writeWhole: Files['writeWhole'] = (path, part, bytes) =>
    files.writeWhole(path, part, bytes, { replace });
  const openPart: Files['openPart'] = async (path, name, synced) => {
    const part = await files.openPart(path, name, synced);
    return part.ok ? ok({ ...part.value, commit: () => part.value.commit({ replace }) }) : part;
  };
  return { ...ports, files: { ...files, typeOf, writeWhole, openPart } };
}

/** Each start of a job starts a second one, as by an engine that forgets what it started. */
function startingTwice(ports: Ports): Ports {
  return withRequests(ports, async (http, request) => {
    const start = /\/jobs\/[a-z0-9-]+(?=\?|$)/;
    if (request.method === 'POST' && start.test(request.url))
      await http.request({
        ...request,
        url: request.url.replace(/\/jobs\/sluice-/, '/jobs/again-'),
      });
    return http.request(request);
  });
}

/** Lists of results are truncated, and no count reveals it. */
function believingLists(ports: Ports): Ports {
  return withRequests(ports, (http, request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('-export/count')) return Promise.resolve(answered('{"count":1}'));
    return http.request(request).then(async (end) => {
      if (end.kind !== 'answer' || end.status !== 200 || !pathname.endsWith('-export/list'))
        return end;
      const list = /"filesMetadata":\[(\{.*?\})?/.exec((await collect(end.body)).toString('utf8'));
      return answered(`{"filesMetadata":[${list?.[1] ?? ''}]}`);
    });
  });
}

/** The broken engines, and what the checks must report about each. */
export const SABOTAGES: readonly Sabotage[] = [
  { words: 'one that sends twice', create: () => sendingTwice, reports: /sent twice/, from: 1 },
  {
    words: 'one that confirms without a listing',
    create: () => believingAnswers,
    reports: /confirmed and not there/,
    from: 1,
  },
  {
    words: 'one that changes a file',
    create: () => changingFiles,
    reports: /a file of the user was touched/,
    from: 1,
  },
  { words: 'one that parks for an outage', create: neverForgiving, reports: /parked: /, from: 1 },
  {
    words: 'one that overlooks files',
    create: () => overlooking,
    reports: /lost: .* is in no ledger/,
    from: 1,
  },
  {
    words: 'one that writes over results that the user changed',
    create: () => writingOver,
    reports: /a file of the user was touched: replaced/,
    from: 29,
  },
  {
    words: 'one that starts a second job',
    create: () => startingTwice,
    reports: /is processed by/,
    from: 8,
  },
  {
    words: 'one that believes a short list of results',
    create: () => believingLists,
    reports: /fetched and not there/,
    from: 8,
  },
  {
    words: 'one that sends the key to the storage',
    create: () => leakingTheKey,
    reports: /the key went/,
    from: 1,
  },
];
