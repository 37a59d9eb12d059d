/** Data staging beyond the specification: the key's workspace, lists and metadata of batches, ingest by reference. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { instant, mount, page, type Answer, type Call } from './api.ts';
import { batchForUpload, existingBatch } from './batches.ts';
import { imageFacts, kindByName } from './imageFacts.ts';
import { Refusal } from './refusal.ts';
import { BATCH_PATH } from './routesStaging.ts';
import { newObject, type Service } from './service.ts';
import { endShard, openShard, receiveShard } from './shards.ts';
import type { Batch, Shard, StoredObject } from './state.ts';
import { announceRefusedIngest, announceShard, type FailedFile } from './webhooks.ts';

export function mountStagingExtras(app: FastifyInstance, service: Service): void {
  const extra = { isExtra: true } as const;
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: '/',
    run: () => ({ body: { workspace: service.state.workspace } }),
  });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: '/data-staging/v1/external/:workspace/batches',
    query: ['pageSize', 'nextPageToken'],
    run: list,
  });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: BATCH_PATH,
    run: metadata,
  });
  mount(app, service, {
    ...extra,
    method: 'POST',
    path: `${BATCH_PATH}/bulk-upload/image-references`,
    query: ['displayName'],
    run: (call) => ingest(call, 'images'),
  });
  mount(app, service, {
    ...extra,
    method: 'POST',
    path: `${BATCH_PATH}/bulk-upload/video-references`,
    query: ['displayName'],
    run: (call) => ingest(call, 'videos'),
  });
}

function metadata(call: Call): Answer {
  const { service } = call;
  const batch = existingBatch(service, call.param('batchId'));
  if (!service.state.settings.statesTimes) throw new Refusal(404, 'Not found.');
  return { body: { status: 'ok', batch: record(service, batch) } };
}

function record(service: Service, batch: Batch): Readonly<Record<string, unknown>> {
  const dates = {
    createdDate: instant(batch.createdAt),
    expiryDate: instant(batch.expiresAt),
  };
  return {
    displayName: batch.displayName,
    batchId: batch.batchId,
    batchType: batch.type,
    batchContentType: batch.contentType,
    ...(service.state.settings.statesTimes ? dates : {}),
  };
}

function list(call: Call): Answer {
  const { state } = call.service;
  const alive = [...state.batches.keys()].flatMap((batchId) => state.batch(batchId) ?? []);
  const { items, nextPageToken } = page(call, alive, state.settings.pageSize);
  return {
    body: { status: 'ok', nextPageToken, batches: items.map((one) => record(call.service, one)) },
  };
}

const reference = z.strictObject({ name: z.string().min(1), url: z.url() });
const references = z.array(reference).min(1);
const ingestRequest = z.strictObject({
  imageReferences: references.optional(),
  videoReferences: references.optional(),
  imageReferencesURL: z.url().optional(),
  videoReferencesURL: z.url().optional(),
  ingestId: z.string().min(1).optional(),
  notificationsURL: z.url().optional(),
  notificationCategories: z.array(z.enum(['ingest-status', 'files-status'])).optional(),
});

type Reference = z.infer<typeof reference>;

interface Ingest {
  readonly ingestId: string;
  readonly notifyUrl: string | null;
  readonly batch: Batch;
  readonly shard: Shard | null;
}

/** Accepts a list of addresses and fetches them in the background. Only addresses on this computer are trusted. */
async function ingest(call: Call, kind: 'images' | 'videos'): Promise<Answer> {
  const { service } = call;
  const parsed = ingestRequest.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'The body is no references ingest.');
  const request = parsed.data;
  const listed = kind === 'images' ? request.imageReferences : request.videoReferences;
  const listUrl = kind === 'images' ? request.imageReferencesURL : request.videoReferencesURL;
  if ((listed === undefined) === (listUrl === undefined))
    throw new Refusal(400, 'Either references or the address of a list of them is needed.');
  const ingestId = request.ingestId ?? service.state.newId('ingest-');
  if (service.state.ingests.has(ingestId))
    return { body: { status: 'ok', ingestId, duplicated: true } };
  const batch = batchForUpload(service, call.exchange, {
    batchId: call.param('batchId'),
    displayName: call.query.get('displayName'),
    type: kind === 'images' ? 'sharded-batch' : 'simple-batch',
    contentType: kind,
  });
  service.state.ingests.add(ingestId);
  const shard = kind === 'images' ? openShard(service, batch, 'client') : null;
  if (shard !== null) receiveShard(service, shard);
  const notifyUrl = request.notificationsURL ?? null;
  const accepted: Ingest = { ingestId, notifyUrl, batch, shard };
  const found = listed ?? (await fetchList(listUrl ?? ''));
  const { clock, settings } = service.state;
  clock.after(settings.indexingMs, () => takeIn(service, accepted, found, kind));
  return {
    body: { status: 'ok', ingestId, ...(shard === null ? {} : { shardIds: [shard.shardId] }) },
  };
}

function isTrusted(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);
}

async function fetchBytes(url: string): Promise<Buffer | null> {
  try {
    const answer = await fetch(url, { redirect: 'error' });
    return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

async function fetchList(url: string): Promise<readonly Reference[]> {
  if (!isTrusted(url)) throw new Refusal(400, 'The address of the list is not trusted.');
  const text = (await fetchBytes(url))?.toString('utf8');
  if (text === undefined) throw new Refusal(400, 'The list cannot be fetched.');
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => reference.parse(JSON.parse(line)));
  } catch {
    throw new Refusal(400, 'The list is no JSONL of references.');
  }
}

async function takeIn(
  service: Service,
  accepted: Ingest,
  found: readonly Reference[],
  kind: 'images' | 'videos',
): Promise<void> {
  const { batch, shard, notifyUrl, ingestId } = accepted;
  const ingested: string[] = [];
  const failed: FailedFile[] = [];
  const unsafe = found.find((one) => !isTrusted(one.url));
  for (const one of unsafe === undefined ? found : []) {
    const object = await fetchObject(service, one, kind, shard);
    if ('reason' in object) failed.push(object);
    else {
      service.state.addObject(batch, object);
      ingested.push(object.name);
    }
  }
  const isGood = unsafe === undefined && failed.length === 0;
  if (shard !== null) {
    const metadata = isGood ? null : { failedFiles: failed, contentTruncated: false };
    const statusName = isGood ? 'indexed' : 'indexed-with-errors';
    endShard(service, shard, statusName, ingested.length, metadata);
  }
  if (notifyUrl === null) return;
  const { batchId } = batch;
  if (unsafe !== undefined)
    return announceRefusedIngest(service, notifyUrl, {
      batchId,
      ingestId,
      reason: `${unsafe.name} is not on a trusted domain`,
    });
  const shardId = shard?.shardId ?? null;
  announceShard(service, notifyUrl, { batchId, shardId, ingestId, ingested, failed });
}

async function fetchObject(
  service: Service,
  one: Reference,
  kind: 'images' | 'videos',
  shard: Shard | null,
): Promise<StoredObject | FailedFile> {
  const failure = (type: string, reason: string): FailedFile => ({
    type,
    fileName: one.name,
    reason,
  });
  const { state, blobs } = service;
  if (kindByName(one.name) !== kind)
    return failure('unsupported-file-type', 'the name has another ending');
  const bytes = await fetchBytes(one.url);
  if (bytes === null) return failure('download-failed', 'the address did not answer');
  if (kind === 'images' && bytes.byteLength > state.settings.maxImageBytes)
    return failure('file-size-limit-exceeded', 'the image is too large');
  const facts = kind === 'images' ? imageFacts(bytes) : null;
  if (kind === 'images' && facts === null)
    return failure('image-decoding-failed', 'not a readable image');
  return newObject(service, await blobs.put(bytes), {
    name: one.name,
    contentType: kind,
    width: facts?.width ?? null,
    height: facts?.height ?? null,
    shardId: shard?.shardId ?? null,
  });
}
