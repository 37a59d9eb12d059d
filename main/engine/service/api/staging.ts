/** Batches on the service: uploads, counts, shards, parts, files. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { API_ANSWER_MS, STALL_MS } from '../../core/limits.ts';
import type { ShardDetails, SignedUpload } from '../../core/model.ts';
import { type KeyCarrier, stagingPlace, type Place } from './address.ts';
import { isNotOffered, type Caller, UNCLEAR } from './caller.ts';
import { createPageReader, createShortLists, OWN_TOKEN } from './largePages.ts';
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
import type { Learned, ServiceClient } from '../serviceClient.ts';
import { signedUploadAnswer } from '../schemas/signedUpload.ts';
import { drain } from './sending.ts';

/**
 * Replaces "not found" with `absent`, but only if the service itself says so, with a 404 in JSON. An HTML page with this status proves
 * nothing.
 */
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
  return caller.change({ operation, requestClass: 'register', place }, signedUploadAnswer, signal);
}

export function createUploads(caller: Caller) {
  return {
    uploadImage: async ({ batchId, fileName, displayName }, content, signal) => {
      const place = stagingPlace([batchId, 'upload', 'image'], { fileName, displayName });
      const sent = await caller.upload('uploadImage', place, content, acceptedAnswer, signal);
      return sent.ok ? ok({ alreadyThere: false, headers: {} }) : sent;
    },
    registerVideo: ({ batchId, fileName, displayName }, signal) => {
      const place = stagingPlace([batchId, 'upload', 'video'], { fileName, displayName });
      return register(caller, 'registerVideo', place, signal);
    },
    registerShard: ({ batchId, displayName }, signal) => {
      const place = stagingPlace([batchId, 'bulk-upload', 'image-files'], { displayName });
      return register(caller, 'registerShard', place, signal);
    },
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

/**
 * Learns where the service accepts the key: requests a count that the service has just answered once more, with the key in a header. The
 * same number proves that the header works, unless it is zero, which a service that ignores the header may also answer. If the key is
 * refused, only the query works. At most one request per client; never fails.
 */
function createCarrierFinder({ read }: Caller, memory: Learned<KeyCarrier>) {
  let asked = false;
  return async (place: Place, count: number, signal: AbortSignal): Promise<void> => {
    if (asked || count === 0 || memory.read() !== null) return;
    asked = true;
    const again = await read('findKeyCarrier', place, countAnswer, signal, 'header');
    if (again.ok && again.value === count) memory.write('header');
    else if (!again.ok && again.error.code === 'auth.rejected') memory.write('query');
  };
}

/** Every file of a list that is begun with `start`, without its address, which is most of what the service says of it. */
function allFiles(
  askPage: ServiceClient['askFilesPage'],
  start: string | null,
  id: string,
  partName: string | null,
  signal: AbortSignal,
): ReturnType<ServiceClient['batchFiles']> {
  return allPages(
    async (token) => {
      const page = await askPage(id, partName, token ?? start, signal);
      if (!page.ok) return page;
      const { items, nextPageToken } = page.value ?? { items: [], nextPageToken: null };
      return ok({ items: items.map(({ url: _, ...file }) => file), nextPageToken });
    },
    ({ fileName, partName: part, shardId }) => `${part ?? ''}/${shardId ?? ''}/${fileName}`,
  );
}

/** What is in a batch: counts, shards, files. */
export function createContents(caller: Caller, carrierMemory: Learned<KeyCarrier>) {
  const { read } = caller;
  const findCarrier = createCarrierFinder(caller, carrierMemory);
  const filesPages = createPageReader(read);
  const shardsPages = createPageReader(read);
  const shortLists = createShortLists();
  const askFilesPage: ServiceClient['askFilesPage'] = async (
    id,
    partName,
    nextPageToken,
    signal,
  ) => {
    // The files of a part without a name are only listed together with all others.
    const part = partName === '' ? null : partName;
    const key = `${id}\n${part ?? ''}`;
    const token = nextPageToken ?? shortLists.start(key);
    const place = stagingPlace([id, 'list'], { partName: part, nextPageToken: token });
    const page = await filesPages.read('batchFiles', place, filesAnswer, signal);
    if (page.ok) shortLists.noteRead(key, token, page.value);
    return orWhenAbsent(page, null);
  };
  const askCount: ServiceClient['askCount'] = async (id, partName, signal) => {
    const place = stagingPlace([id, 'count'], { partName });
    const count = await read('batchCount', place, countAnswer, signal);
    if (count.ok) {
      shortLists.noteCount(`${id}\n${partName ?? ''}`, count.value);
      await findCarrier(place, count.value, signal);
    }
    return orWhenAbsent<number | null>(count, null);
  };
  return {
    askCount,
    async askShards(id, signal) {
      const shards = await allPages(
        (nextPageToken) =>
          shardsPages.read(
            'batchShards',
            stagingPlace([id, 'shards'], { nextPageToken }),
            shardsAnswer,
            signal,
          ),
        ({ shardId }) => shardId,
      );
      return orWhenAbsent<readonly ShardDetails[] | null>(shards, null);
    },
    askFilesPage,
    async batchFiles(...batch) {
      const files = await allFiles(askFilesPage, null, ...batch);
      if (!files.ok || !filesPages.areLarge()) return files;
      const count = await askCount(...batch);
      // Large pages may be cut short.
      const isShort = count.ok && (count.value ?? 0) > files.value.length;
      return isShort ? allFiles(askFilesPage, OWN_TOKEN, ...batch) : files;
    },
  } satisfies Partial<ServiceClient>;
}

export function createBatches({ read }: Caller) {
  return {
    async batchParts(id, signal) {
      const parts = await read('batchParts', stagingPlace([id, 'parts']), partsAnswer, signal);
      // Only results have parts: a service may refuse the request for any other batch.
      const isRefused = !parts.ok && parts.error.code === 'service.refused';
      return isRefused ? ok([]) : orWhenAbsent(parts, []);
    },
    async listBatches(signal) {
      const list = await allPages(
        (nextPageToken) =>
          read('listBatches', stagingPlace([], { nextPageToken }), batchesAnswer, signal),
        ({ batchId }) => batchId,
      );
      return orWhenNotOffered(list);
    },
    async batchMetadata(id, signal) {
      const asked = await read('batchMetadata', stagingPlace([id]), batchAnswer, signal);
      // An extra: if the service does not offer it, anything may answer. A real interception also shows in the requests that follow.
      return !asked.ok && UNCLEAR.includes(asked.error.code) ? ok(null) : orWhenNotOffered(asked);
    },
  } satisfies Partial<ServiceClient>;
}
