/** The storage behind signed addresses: PUT of videos and shards, GET and HEAD of every object with ranges. Requests must not carry the key. */
import { drop, isNameTaken, takeIn } from './arrivals.ts';
import type { Blob } from './blobStore.ts';
import { damageBlob } from './damage.ts';
import { beforeCommit, receive, type Exchange } from './exchange.ts';
import { scheduleIndexing } from './indexing.ts';
import { ClientGone } from './refusal.ts';
import { newObject, violate, type Service } from './service.ts';
import { receiveShard } from './shards.ts';
import type { Batch, Shard, StoredObject, Upload } from './state.ts';
import { sendBlob } from './storageDownload.ts';
import { storedHeaders } from './storedHeaders.ts';

/** Chunks are collected to this size before they are written, bytes. */
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
    if (!['GET', 'HEAD'].includes(exchange.method) || found === undefined)
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
  const isHead = exchange.method === 'HEAD' && service.state.settings.answersHead;
  const wrong = service.signer.check({
    method: isHead ? 'GET' : exchange.method,
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
  if (exchange.fault?.kind === 'damagesBody')
    await damageBlob(service, received, upload.shard !== null);
  await beforeCommit(exchange);
  if (isFilled(service, upload)) return await sendXml(exchange, 412, 'PreconditionFailed');
  commit(service, upload, received, exchange);
  exchange.response.writeHead(200, {
    ...storedHeaders(service.state.settings.states, received, `${uploadId}-${upload.bodies}`),
    'content-length': 0,
  });
  exchange.response.end();
}

/** True when an object exists that this address must not replace. */
function isFilled(service: Service, upload: Upload): boolean {
  const { batch, fileName } = upload;
  if (fileName !== null && isNameTaken(service, batch, fileName)) return true;
  return upload.bodies > 0 && service.state.settings.repeatedPut === 'refused';
}

/** Streams the body to the store at disk speed; memory use stays at a few MiB. */
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
    // One write at a time, while the next one is collected.
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

function commit(service: Service, upload: Upload, body: Blob, exchange: Exchange): void {
  const { fault } = exchange;
  const isTaken =
    upload.shard === null
      ? commitVideo(service, upload, body, exchange)
      : commitShard(service, upload, upload.shard, body, exchange);
  // Throwing an upload away frees its address again, unless only the path from the storage to the batch is broken.
  const isKept = fault?.kind === 'acknowledgedAndDropped' && fault.keptInStorage === true;
  if (isTaken || isKept) upload.bodies += 1;
}

function isReplaced(service: Service, upload: Upload): boolean {
  return upload.bodies > 0 && service.state.settings.repeatedPut === 'replaces';
}

function commitShard(
  service: Service,
  upload: Upload,
  shard: Shard,
  body: Blob,
  exchange: Exchange,
): boolean {
  if (exchange.fault?.kind === 'acknowledgedAndDropped') {
    drop(service, upload.batch, null, body.sha256());
    return false;
  }
  if (isReplaced(service, upload))
    forget(upload.batch, (object) => object.shardId === shard.shardId);
  shard.archive = body;
  receiveShard(service, shard);
  scheduleIndexing(service, upload.batch, shard, body);
  return true;
}

function commitVideo(service: Service, upload: Upload, body: Blob, exchange: Exchange): boolean {
  const name = upload.fileName ?? upload.uploadId;
  const video = newObject(service, body, { name, contentType: 'videos' });
  if (isReplaced(service, upload)) forget(upload.batch, (object) => object === upload.object);
  const isTaken = takeIn(service, upload.batch, video, exchange);
  upload.object = isTaken ? video : null;
  return isTaken;
}

function forget(batch: Batch, isGone: (object: StoredObject) => boolean): void {
  const kept = batch.objects.filter((object) => !isGone(object));
  batch.objects.splice(0, batch.objects.length, ...kept);
}

/** Answers like an object storage. The body is read first, because a client that is still sending would miss an early answer. */
async function sendXml(exchange: Exchange, status: number, code: string): Promise<void> {
  if (!exchange.request.complete) await receive(exchange, () => null);
  const text = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`;
  exchange.response.writeHead(status, {
    'content-type': 'application/xml; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
  });
  exchange.response.end(text);
}
