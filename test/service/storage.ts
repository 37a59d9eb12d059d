/** The storage behind signed addresses: PUT of videos and shards, GET of every object with ranges. No key is welcome here. */
import type { Blob } from './blobStore.ts';
import { beforeCommit, receive, type Exchange } from './exchange.ts';
import { scheduleIndexing } from './indexing.ts';
import { ClientGone } from './refusal.ts';
import { newObject, violate, type Service } from './service.ts';
import type { Batch, StoredObject, Upload } from './state.ts';
import { sendBlob } from './storageDownload.ts';

/** Chunks are gathered to this much before they are written, bytes. */
const WRITE_BYTES = 1024 * 1024;

/** Answers a request whose path begins with /storage/. */
export async function answerStorage(service: Service, exchange: Exchange): Promise<void> {
  try {
    const refusal = refusalOf(service, exchange);
    if (refusal !== null) return await sendXml(exchange, refusal.status, refusal.code);
    const uploadId = /^\/storage\/uploads\/[^/]+\/([^/]+)$/.exec(exchange.path)?.[1];
    if (exchange.method === 'PUT' && uploadId !== undefined)
      return await put(service, exchange, uploadId);
    const objectId = /^\/storage\/objects\/[^/]+\/([^/]+)$/.exec(exchange.path)?.[1];
    const found = objectId === undefined ? undefined : service.state.objectsById.get(objectId);
    if (exchange.method !== 'GET' || found === undefined)
      return await sendXml(exchange, 404, 'NoSuchKey');
    if (found.batch.expiresAt <= service.state.clock.now())
      return await sendXml(exchange, 404, 'NoSuchKey');
    await sendBlob(service, exchange, found.object);
  } catch (problem) {
    if (problem instanceof ClientGone) return;
    exchange.response.destroy();
    throw problem;
  }
}

interface StorageRefusal {
  readonly status: number;
  readonly code: string;
}

function refusalOf(service: Service, exchange: Exchange): StorageRefusal | null {
  const { headers } = exchange.request;
  if (exchange.query.has('api_key') || headers.authorization !== undefined) {
    violate(service, exchange, 'key-at-storage', exchange.path);
    return { status: 400, code: 'CredentialsNotSupported' };
  }
  const wrong = service.signer.check({
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    at: service.state.clock.now(),
  });
  if (wrong === 'signature') return { status: 403, code: 'SignatureDoesNotMatch' };
  const { expiredUrlStatus } = service.state.settings;
  if (wrong === 'expired' || exchange.fault?.kind === 'expiredUrl')
    return { status: expiredUrlStatus, code: 'ExpiredToken' };
  return null;
}

async function put(service: Service, exchange: Exchange, uploadId: string): Promise<void> {
  const upload = service.state.uploads.get(uploadId);
  const lengthBytes = exchange.entry.declaredBytes;
  if (upload === undefined) return await sendXml(exchange, 404, 'NoSuchBucket');
  if (lengthBytes === null) return await sendXml(exchange, 411, 'MissingContentLength');
  if (lengthBytes > upload.maxBytes) return await sendXml(exchange, 400, 'EntityTooLarge');
  if (isFilled(service, upload)) return await sendXml(exchange, 412, 'PreconditionFailed');
  const received = await storeBody(service, exchange, lengthBytes);
  await beforeCommit(exchange);
  if (isFilled(service, upload)) return await sendXml(exchange, 412, 'PreconditionFailed');
  commit(service, upload, received);
  exchange.response.writeHead(200, { etag: `"${uploadId}-${upload.bodies}"`, 'content-length': 0 });
  exchange.response.end();
}

function isFilled(service: Service, upload: Upload): boolean {
  return upload.bodies > 0 && service.state.settings.repeatedPut === 'refused';
}

/** Streams the body to the store at the speed of the disk; memory stays at a few MiB. */
async function storeBody(service: Service, exchange: Exchange, lengthBytes: number): Promise<Blob> {
  const blob = service.blobs.reserve(lengthBytes);
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let position = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    const chunks = gathered;
    const at = position;
    position += gatheredBytes;
    gathered = [];
    gatheredBytes = 0;
    // One write at a time, and the next one is gathered meanwhile.
    const previous = writing;
    writing = previous.then(() => service.blobs.write(blob, at, chunks));
    return previous;
  };
  await receive(exchange, (chunk) => {
    gathered.push(chunk);
    gatheredBytes += chunk.byteLength;
    return gatheredBytes >= WRITE_BYTES ? flush() : null;
  });
  if (gatheredBytes > 0) void flush();
  await writing;
  return blob;
}

function commit(service: Service, upload: Upload, body: Blob): void {
  const { state } = service;
  const replaces = upload.bodies > 0 && state.settings.repeatedPut === 'replaces';
  upload.bodies += 1;
  if (upload.shard !== null) {
    if (replaces) forget(upload.batch, (object) => object.shardId === upload.shard?.shardId);
    const at = state.clock.now();
    upload.shard.receivedAt = at;
    upload.shard.archive = body;
    upload.shard.statusName = 'indexing';
    upload.shard.statusType = 'info';
    upload.shard.eventAt = at;
    scheduleIndexing(service, upload.batch, upload.shard, body);
    return;
  }
  if (replaces) forget(upload.batch, (object) => object === upload.object);
  const name = upload.fileName ?? upload.uploadId;
  upload.object = newObject(service, body, { name, contentType: 'videos' });
  state.addObject(upload.batch, upload.object);
}

function forget(batch: Batch, isReplaced: (object: StoredObject) => boolean): void {
  const kept = batch.objects.filter((object) => !isReplaced(object));
  batch.objects.splice(0, batch.objects.length, ...kept);
}

/** Answers as an object storage does. The body is read first: a client that is still sending would miss an early answer. */
async function sendXml(exchange: Exchange, status: number, code: string): Promise<void> {
  if (!exchange.request.complete) await receive(exchange, () => null);
  const text = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`;
  exchange.response.writeHead(status, {
    'content-type': 'application/xml; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
  });
  exchange.response.end(text);
}
