/** Batches on the service: uploads, counts, shards, parts, files. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { API_ANSWER_MS, STALL_MS } from '../../core/limits.ts';
import type { ShardDetails, SignedUpload } from '../../core/model.ts';
import { uptimeMs } from '../../core/uptime.ts';
import { addressOf, type KeyCarrier, stagingPlace, type Place } from './address.ts';
import { isNotOffered, type Caller, UNCLEAR } from './caller.ts';
import type { CarrierFinder } from './keyCarrier.ts';
import { allPages } from './paging.ts';
import { isPlainWebAddress } from '../schemas/parts.ts';
import {
  acceptedAnswer,
  batchAnswer,
  batchesAnswer,
  countAnswer,
  filesAnswer,
  partsAnswer,
  shardsAnswer,
} from '../schemas/staging.ts';
import type { Connection, Learned, ServiceClient } from '../serviceClient.ts';
import { signedUploadAnswer } from '../schemas/signedUpload.ts';
import { drain } from './sending.ts';
import { createRead, inWorkspace, type Root } from './workspace.ts';

/** Replaces "not found" with `absent`, but only when the service itself says so: a 404 as JSON. A page with this status proves nothing. */
export function orWhenAbsent<T>(result: Result<T>, absent: T): Result<T> {
  return !result.ok && result.error.code === 'service.notFound' ? ok(absent) : result;
}

/** Replaces the error with null when the service does not offer this extra. */
export function orWhenNotOffered<T>(result: Result<T>): Result<T | null> {
  return !result.ok && isNotOffered(result.error) ? ok(null) : result;
}

function register(
  caller: Caller,
  operation: string,
  place: Place,
  signal: AbortSignal,
): Promise<Result<SignedUpload>> {
  const change = { operation, requestClass: 'register', method: 'POST', place } as const;
  return caller.change(change, signedUploadAnswer, signal);
}

export function createUploads(
  caller: Caller,
  root: Root,
  connection: Connection,
  carrierMemory: Learned<KeyCarrier>,
) {
  return {
    uploadImage: ({ batchId, fileName, displayName }, { contentType, body }, signal) =>
      inWorkspace(root, signal, async (workspace) => {
        const place = stagingPlace(workspace, [batchId, 'upload', 'image'], {
          fileName,
          displayName,
        });
        const address = addressOf(connection, place, carrierMemory.read() ?? 'query');
        if (address === null) return fail('service.notFound', { operation: 'uploadImage' });
        const headers = { accept: 'application/json', 'content-type': contentType };
        const request = {
          method: 'POST',
          url: address.url,
          headers: { ...headers, ...address.headers },
          body,
          stallMs: STALL_MS,
          answerMs: API_ANSWER_MS,
          signal,
        } as const;
        const sent = await caller.upload('uploadImage', request, acceptedAnswer);
        return sent.ok ? ok({ alreadyThere: false, headers: {} }) : sent;
      }),
    registerVideo: ({ batchId, fileName, displayName }, signal) =>
      inWorkspace(root, signal, (workspace) => {
        const query = { fileName, displayName };
        const place = stagingPlace(workspace, [batchId, 'upload', 'video'], query);
        return register(caller, 'registerVideo', place, signal);
      }),
    registerShard: ({ batchId, displayName }, signal) =>
      inWorkspace(root, signal, (workspace) => {
        const rest = [batchId, 'bulk-upload', 'image-files'];
        const place = stagingPlace(workspace, rest, { displayName });
        return register(caller, 'registerShard', place, signal);
      }),
    async putSigned({ url, headers }, body, signal) {
      if (!isPlainWebAddress(url)) return fail('service.unexpectedAnswer', { reason: 'address' });
      const limits = { stallMs: STALL_MS, answerMs: API_ANSWER_MS };
      const request = { method: 'PUT', url, headers, body, ...limits, signal } as const;
      const sent = await caller.send('putSigned', 'signedUpload', request);
      if (!sent.ok) return sent;
      await drain(sent.value);
      const { status, headers: stated } = sent.value;
      return ok({ alreadyThere: status === 412, headers: stated });
    },
  } satisfies Partial<ServiceClient>;
}

/** Rows on a page: more than services give by themselves, since each page waits for the network. Our choice: the service may have to sign an address for each. */
const PAGE_ROWS = '1000';
/** How long pages are as large as the service makes them after it did not answer with one of ours, in ms: it may be for the size. */
const OWN_PAGES_MS = 3_600_000;

/** Reads like `read`, but in pages of our size, unless the service does not give them. */
function createPageReader(read: ReturnType<typeof createRead>): typeof read {
  let ownPagesUntil = 0;
  return async (operation, rest, query, schema, signal) => {
    const isSized = uptimeMs() >= ownPagesUntil;
    const sized = isSized ? { ...query, pageSize: PAGE_ROWS } : query;
    const page = await read(operation, rest, sized, schema, signal);
    if (page.ok || !isSized || signal.aborted || isNotOffered(page.error)) return page;
    ownPagesUntil = uptimeMs() + OWN_PAGES_MS;
    const isRefused = page.error.code === 'service.refused' && query?.['nextPageToken'] === null;
    return isRefused ? read(operation, rest, query, schema, signal) : page;
  };
}

export function createBatches(caller: Caller, root: Root, findCarrier: CarrierFinder) {
  const read = createRead(caller, root, stagingPlace);
  const readPage = createPageReader(read);
  const askFilesPage: ServiceClient['askFilesPage'] = async (
    id,
    partName,
    nextPageToken,
    signal,
  ) => {
    // The files of a part without a name are only listed along with all others.
    const query = { partName: partName === '' ? null : partName, nextPageToken };
    const page = await readPage('batchFiles', [id, 'list'], query, filesAnswer, signal);
    return orWhenAbsent(page, null);
  };
  return {
    askCount: (id, partName, signal) =>
      inWorkspace(root, signal, async (workspace) => {
        const place = stagingPlace(workspace, [id, 'count'], { partName });
        const count = await caller.read('batchCount', place, countAnswer, signal);
        if (count.ok) await findCarrier(place, count.value, signal);
        return orWhenAbsent<number | null>(count, null);
      }),
    async askShards(id, signal) {
      const shards = await allPages(
        (nextPageToken) =>
          readPage('batchShards', [id, 'shards'], { nextPageToken }, shardsAnswer, signal),
        ({ shardId }) => shardId,
      );
      return orWhenAbsent<readonly ShardDetails[] | null>(shards, null);
    },
    askFilesPage,
    async batchParts(id, signal) {
      const parts = await read('batchParts', [id, 'parts'], {}, partsAnswer, signal);
      // Only results have parts: a service may refuse the question for any other batch.
      const isRefused = !parts.ok && parts.error.code === 'service.refused';
      return isRefused ? ok([]) : orWhenAbsent(parts, []);
    },
    batchFiles: (id, partName, signal) =>
      allPages(
        async (token) => {
          const page = await askFilesPage(id, partName, token, signal);
          return page.ok ? ok(page.value ?? { items: [], nextPageToken: null }) : page;
        },
        ({ fileName, partName: part, shardId }) => `${part ?? ''}/${shardId ?? ''}/${fileName}`,
      ),
    async listBatches(signal) {
      const list = await allPages(
        (nextPageToken) => read('listBatches', [], { nextPageToken }, batchesAnswer, signal),
        ({ batchId }) => batchId,
      );
      return orWhenNotOffered(list);
    },
    async batchMetadata(id, signal) {
      const asked = await read('batchMetadata', [id], {}, batchAnswer, signal);
      // An extra: where it is not offered, anything may answer. A real interception also shows in the requests that follow.
      return !asked.ok && UNCLEAR.includes(asked.error.code) ? ok(null) : orWhenNotOffered(asked);
    },
  } satisfies Partial<ServiceClient>;
}
