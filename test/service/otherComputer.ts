/** A second computer that writes into the same batches: without requests, under the same rules, and marked in the state. */
import { tinyJpeg, withJpegComment } from '../helpers/media.ts';
import { tarOf } from '../helpers/tar.ts';
import { isNameTaken, takeIn } from './arrivals.ts';
import { batchForUpload, legalFileName } from './batches.ts';
import { imageFacts, kindByName } from './imageFacts.ts';
import { scheduleIndexing } from './indexing.ts';
import { Refusal } from './refusal.ts';
import type { LogEntry } from './requestLog.ts';
import { newObject, type Service } from './service.ts';
import { openShard, receiveShard } from './shards.ts';
import type { Shard, StoredObject } from './state.ts';

interface OtherMember {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Every method rejects with a Refusal where the service would refuse the request. */
export interface OtherComputer {
  uploadImage(batchId: string, name: string, bytes: Uint8Array): Promise<StoredObject>;
  uploadVideo(batchId: string, name: string, bytes: Uint8Array): Promise<StoredObject>;
  /** Resolves when the archive has arrived; its members are in the batch once it is indexed. */
  uploadShard(batchId: string, members: readonly OtherMember[]): Promise<Shard>;
  /** Writes before an upload of the client, if the settings say that it is due. */
  joinIn(entry: LogEntry): Promise<void>;
}

/** An image that only the other computer has, of another length than `tinyJpeg` makes them. */
export function otherImage(number: number): Buffer {
  return withJpegComment(tinyJpeg(0), `other computer ${number}`, 100);
}

function legal(name: string, kind: 'images' | 'videos'): string {
  const isRight = kindByName(name) === kind;
  return legalFileName(name, isRight ? null : `The file type is not one of ${kind}.`);
}

export function createOtherComputer(service: Service): OtherComputer {
  const { state, blobs } = service;
  let uploads = 0;

  const add = async (
    batchId: string,
    contentType: 'images' | 'videos',
    { name, bytes }: OtherMember,
  ): Promise<StoredObject> => {
    const facts = contentType === 'images' ? imageFacts(Buffer.from(bytes)) : null;
    if (contentType === 'images' && facts === null)
      throw new Refusal(400, 'The file is no readable image.');
    legal(name, contentType);
    const blob = await blobs.put(bytes);
    const type = 'simple-batch';
    const batch = batchForUpload(service, null, { batchId, displayName: null, type, contentType });
    if (isNameTaken(service, batch, name)) throw new Refusal(409, 'The batch holds this name.');
    const object = newObject(service, blob, {
      name,
      contentType,
      width: facts?.width ?? null,
      height: facts?.height ?? null,
      writer: 'other',
    });
    takeIn(service, batch, object, null);
    return object;
  };

  const uploadShard: OtherComputer['uploadShard'] = async (batchId, members) => {
    const body = await blobs.put(await archiveOf(members));
    const batch = batchForUpload(service, null, {
      batchId,
      displayName: null,
      type: 'sharded-batch',
      contentType: 'images',
    });
    const shard = openShard(service, batch, 'other');
    shard.archive = body;
    receiveShard(service, shard);
    scheduleIndexing(service, batch, shard, body);
    return shard;
  };

  const uploadImage: OtherComputer['uploadImage'] = (batchId, name, bytes) =>
    add(batchId, 'images', { name, bytes });
  const uploadVideo: OtherComputer['uploadVideo'] = (batchId, name, bytes) =>
    add(batchId, 'videos', { name, bytes });

  const joinIn = async (entry: LogEntry): Promise<void> => {
    const { otherEvery, otherNames } = state.settings;
    if (otherEvery === 0) return;
    const upload = uploadOf(service, entry);
    if (upload === null) return;
    uploads += 1;
    if ((uploads - 1) % otherEvery !== 0) return;
    const ending = upload.kind === 'video' ? 'mp4' : 'jpg';
    const own = `other-${String(uploads).padStart(5, '0')}.${ending}`;
    const name = otherNames === 'same' && upload.name !== null ? upload.name : own;
    const bytes = otherImage(uploads);
    if (upload.kind === 'shard') await uploadShard(upload.batchId, [{ name, bytes }]);
    else if (upload.kind === 'image') await uploadImage(upload.batchId, name, bytes);
    else await uploadVideo(upload.batchId, name, bytes);
  };

  return {
    uploadImage,
    uploadVideo,
    uploadShard,
    joinIn: (entry) =>
      joinIn(entry).catch((problem: unknown) => {
        // If the second computer is refused, because the batch is of another kind, it gives up.
        if (!(problem instanceof Refusal)) throw problem;
      }),
  };
}

interface SeenUpload {
  readonly kind: 'image' | 'video' | 'shard';
  readonly batchId: string;
  /** null for a shard. */
  readonly name: string | null;
}

const IMAGE = /^\/data-staging\/v1\/external\/[^/]+\/batches\/([^/]+)\/upload\/image$/;
const BODY = /^\/storage\/uploads\/[^/]+\/([^/]+)$/;

/** The upload that a request carries; null for any other request. */
function uploadOf({ state }: Service, entry: LogEntry): SeenUpload | null {
  const batchId = IMAGE.exec(entry.path)?.[1];
  if (entry.method === 'POST' && batchId !== undefined)
    return { kind: 'image', batchId, name: entry.query.get('fileName') };
  const upload = state.uploads.get(BODY.exec(entry.path)?.[1] ?? '');
  if (entry.method !== 'PUT' || upload === undefined) return null;
  const kind = upload.shard === null ? 'video' : 'shard';
  return { kind, batchId: upload.batch.batchId, name: upload.fileName };
}

async function archiveOf(members: readonly OtherMember[]): Promise<Buffer> {
  return tarOf(members.map(({ name, bytes }) => ({ name, content: bytes })));
}
