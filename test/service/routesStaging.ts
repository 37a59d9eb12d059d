/** Data staging: the seven operations of the specification on batches. */
import type { FastifyInstance } from 'fastify';
import { instant, mount, page, requiredQuery, type Answer, type Call } from './api.ts';
import { batchForUpload, existingBatch, legalBatchId, legalFileName } from './batches.ts';
import { beforeCommit, receiveWhole } from './exchange.ts';
import { isNameTaken, takeIn } from './arrivals.ts';
import { damaged } from './damage.ts';
import { imageFacts, kindByName } from './imageFacts.ts';
import { boundaryOf, firstFilePart } from './multipart.ts';
import { Refusal } from './refusal.ts';
import { shownObjects, shownShards } from './listing.ts';
import { openShard } from './shards.ts';
import { downloadUrl, newObject, violate, type Service } from './service.ts';
import type { Batch, StoredObject, Upload } from './state.ts';

/** Path of everything about one batch. */
export const BATCH_PATH = '/data-staging/v1/external/:workspace/batches/:batchId';
/** How much a form may add to its image, bytes. */
const FORM_FRAME_BYTES = 64 * 1024;

/** Mounts uploads, count, shards, parts and list. */
export function mountStaging(app: FastifyInstance, service: Service): void {
  const post = { method: 'POST', readsBody: true } as const;
  const get = { method: 'GET' } as const;
  const at = (tail: string): string => `${BATCH_PATH}/${tail}`;
  const named = ['fileName', 'displayName'];
  const paged = ['pageSize', 'nextPageToken'];
  mount(app, service, { ...post, path: at('upload/image'), query: named, run: uploadImage });
  mount(app, service, {
    method: 'POST',
    path: at('upload/video'),
    query: named,
    run: registerVideo,
  });
  mount(app, service, {
    method: 'POST',
    path: at('bulk-upload/image-files'),
    query: ['displayName'],
    run: registerShard,
  });
  mount(app, service, { ...get, path: at('count'), query: ['partName'], run: count });
  mount(app, service, { ...get, path: at('shards'), query: paged, run: shards });
  mount(app, service, { ...get, path: at('parts'), run: parts });
  mount(app, service, { ...get, path: at('list'), query: [...paged, 'partName'], run: list });
}

async function uploadImage(call: Call): Promise<Answer> {
  const { service, exchange } = call;
  const { state } = service;
  const body = await receiveWhole(exchange, state.settings.maxImageBytes + FORM_FRAME_BYTES);
  const batchId = legalBatchId(call.param('batchId'));
  const fileName = uploadName(call, 'images');
  if (body === null) throw new Refusal(413, 'The image is too large.');
  const part = firstFilePart(body, boundaryOf(exchange.request.headers['content-type'] ?? ''));
  if (part.bytes.byteLength > state.settings.maxImageBytes)
    throw new Refusal(413, 'The image is too large.');
  const bytes = exchange.fault?.kind === 'damagesBody' ? damaged(part.bytes) : part.bytes;
  const facts = imageFacts(bytes);
  if (facts === null) throw new Refusal(400, 'The file is no readable image.');
  const { width, height } = facts;
  const object = newObject(service, await service.blobs.put(bytes), {
    name: fileName,
    contentType: 'images',
    width,
    height,
  });
  await beforeCommit(exchange);
  if (isNameTaken(service, state.batch(batchId), fileName))
    throw new Refusal(409, 'The batch holds an image of this name already.');
  const batch = batchForUpload(service, exchange, {
    batchId,
    displayName: call.query.get('displayName'),
    type: 'simple-batch',
    contentType: 'images',
  });
  takeIn(service, batch, object, exchange);
  return { body: { status: 'ok' } };
}

function uploadName(call: Call, kind: 'images' | 'videos'): string {
  const fileName = requiredQuery(call, 'fileName');
  const isRight = kindByName(fileName) === kind;
  return legalFileName(fileName, isRight ? null : `The file type is not one of ${kind}.`);
}

function registerVideo(call: Call): Answer {
  const { service, exchange } = call;
  const fileName = uploadName(call, 'videos');
  noBody(call);
  const batch = batchForUpload(service, exchange, {
    batchId: call.param('batchId'),
    displayName: call.query.get('displayName'),
    type: 'simple-batch',
    contentType: 'videos',
  });
  const { maxVideoBytes } = service.state.settings;
  return register(service, { batch, shard: null, fileName, maxBytes: maxVideoBytes }, {});
}

function registerShard(call: Call): Answer {
  const { service, exchange } = call;
  noBody(call);
  const { state } = service;
  const batch = batchForUpload(service, exchange, {
    batchId: call.param('batchId'),
    displayName: call.query.get('displayName'),
    type: 'sharded-batch',
    contentType: 'images',
  });
  const shard = openShard(service, batch, 'client');
  const { maxShardBytes, maxShardMembers } = state.settings;
  return register(
    service,
    { batch, shard, fileName: null, maxBytes: maxShardBytes },
    { maxFilesInArchive: maxShardMembers },
  );
}

function noBody(call: Call): void {
  const { entry, request } = call.exchange;
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (chunked || (entry.declaredBytes ?? 0) > 0)
    violate(call.service, call.exchange, 'body-at-registration', entry.path);
}

function register(
  service: Service,
  given: Pick<Upload, 'batch' | 'shard' | 'fileName' | 'maxBytes'>,
  limits: Readonly<Record<string, number>>,
): Answer {
  const { state, signer } = service;
  const uploadId = state.newId('u');
  state.uploads.set(uploadId, { ...given, uploadId, bodies: 0, object: null });
  const extensionHeaders = {
    'x-goog-content-length-range': `0,${given.maxBytes}`,
    ...(state.settings.repeatedPut === 'refused' ? { 'x-goog-if-generation-match': '0' } : {}),
  };
  const uploadURL = signer.sign({
    method: 'PUT',
    path: `/storage/uploads/${given.batch.batchId}/${uploadId}`,
    at: state.clock.now(),
    lifeMs: state.settings.signedUrlMs,
    headers: extensionHeaders,
  });
  const details = { uploadURL, method: 'PUT', extensionHeaders, maxFileSizeBytes: given.maxBytes };
  return { body: { status: 'ok', signedURLDetails: { ...details, ...limits } } };
}

/** The batch that a request names; null for an unknown one if the settings treat that like an empty batch. */
function batchOf(call: Call): Batch | null {
  const { service } = call;
  const batchId = call.param('batchId');
  const isMissing = service.state.batch(legalBatchId(batchId)) === null;
  if (isMissing && service.state.settings.unknownBatch === 'zero') return null;
  return existingBatch(service, batchId);
}

/** The objects that a request about a batch refers to: those of one part if it names one. */
function objectsOf(call: Call): readonly StoredObject[] {
  const batch = batchOf(call);
  if (batch === null) return [];
  const shown = shownObjects(call.service, batch);
  const partName = call.query.get('partName');
  if (partName === null) return shown;
  if (!batch.parts.some((part) => part.partName === partName))
    throw new Refusal(404, 'The batch has no such part.');
  return shown.filter((object) => object.partName === partName);
}

function count(call: Call): Answer {
  return { body: { status: 'ok', count: objectsOf(call).length } };
}

function shards(call: Call): Answer {
  const { settings } = call.service.state;
  const batch = batchOf(call);
  const shown = batch === null ? [] : shownShards(call.service, batch);
  const { items, nextPageToken } = page(call, shown, settings.pageSize);
  return {
    body: {
      status: 'ok',
      // Unlike the list of files, which ends with null: both endings are documented.
      ...(nextPageToken === null ? {} : { nextPageToken }),
      shards: items.map((shard) => ({
        shardId: shard.shardId,
        statusName: shard.statusName,
        statusType: shard.statusType,
        ...(settings.statesTimes ? { eventTimestamp: instant(shard.eventAt) } : {}),
        shardObjectsCount: shard.objectsCount,
        statusMetadata: shard.metadata,
      })),
    },
  };
}

function parts(call: Call): Answer {
  return { body: { status: 'ok', batchParts: batchOf(call)?.parts ?? [] } };
}

function list(call: Call): Answer {
  const batchId = call.param('batchId');
  const { items, nextPageToken } = page(
    call,
    objectsOf(call),
    call.service.state.settings.pageSize,
  );
  return {
    body: {
      status: 'ok',
      nextPageToken,
      filesMetadata: items.map((object) => ({
        downloadURL: downloadUrl(call.service, batchId, object),
        fileName: object.name,
        partName: object.partName,
        shardId: object.shardId,
        contentType: object.contentType,
        nestedContentType: object.contentType === 'archives' ? 'metadata' : null,
      })),
    },
  };
}
