/** Background work after a shard has arrived: its archive is opened and its images are added, one by one. */
import type { Blob, BlobStore } from './blobStore.ts';
import { imageFacts, kindByName } from './imageFacts.ts';
import { isNameTaken, takeIn } from './arrivals.ts';
import { newObject, type Service } from './service.ts';
import { endShard } from './shards.ts';
import type { Batch, Shard, StoredObject } from './state.ts';
import { readTar, TarDamage, type ReadAt, type TarMember } from './tarReader.ts';
import { announceShard, type FailedFile } from './webhooks.ts';

/** The member that registers a webhook instead of being an image. */
const NOTIFICATION_MEMBER = 'notification_config.json';
const WINDOW_BYTES = 1024 * 1024;

/** Schedules the indexing of a shard after the time in the settings. */
export function scheduleIndexing(service: Service, batch: Batch, shard: Shard, blob: Blob): void {
  const { clock, settings } = service.state;
  clock.after(settings.indexingMs, () => index(service, batch, shard, blob));
}

async function index(service: Service, batch: Batch, shard: Shard, blob: Blob): Promise<void> {
  let contents: Contents;
  try {
    contents = await open(service, batch, shard, blob);
  } catch (problem) {
    if (!(problem instanceof TarDamage)) throw problem;
    endShard(service, shard, 'rejected', 0, { reason: problem.message });
    return;
  }
  for (const image of contents.images) takeIn(service, batch, image, null);
  const isGood = contents.failed.length === 0;
  endShard(
    service,
    shard,
    isGood ? 'indexed' : 'indexed-with-errors',
    contents.images.length,
    isGood ? null : { failedFiles: contents.failed, contentTruncated: false },
  );
  if (contents.notification === null) return;
  announceShard(service, contents.notification.url, {
    batchId: batch.batchId,
    shardId: shard.shardId,
    ingestId: contents.notification.ingestId,
    ingested: contents.images.map((image) => image.name),
    failed: contents.failed,
  });
}

async function open(service: Service, batch: Batch, shard: Shard, blob: Blob) {
  const { maxShardMembers } = service.state.settings;
  const readAt = windowed(service.blobs, blob);
  const members = await readTar(blob.lengthBytes, readAt);
  if (members.length === 0) throw new TarDamage('the archive holds no files');
  if (members.length > maxShardMembers)
    throw new TarDamage(`more than ${maxShardMembers} files in one archive`);
  const images: StoredObject[] = [];
  const failed: FailedFile[] = [];
  let notification: Notification | null = null;
  for (const member of members) {
    if (member.name === NOTIFICATION_MEMBER && member.type === 'file') {
      notification = parseNotification(await readAt(member.offset, member.sizeBytes));
      continue;
    }
    const early = earlyFailure(member, service.state.settings.maxImageBytes);
    const bytes = early === null ? await readAt(member.offset, member.sizeBytes) : null;
    const facts = bytes === null ? null : imageFacts(bytes);
    if (bytes === null || facts === null) {
      failed.push(early ?? failure(member, 'image-decoding-failed', 'not a readable image'));
      continue;
    }
    if (isNameTaken(service, batch, member.name)) {
      failed.push(failure(member, 'duplicate-file-name', 'the batch holds this name already'));
      continue;
    }
    images.push(
      newObject(service, service.blobs.slice(blob, member.offset, member.sizeBytes), {
        name: member.name,
        contentType: 'images',
        width: facts.width,
        height: facts.height,
        shardId: shard.shardId,
        writer: shard.writer,
      }),
    );
  }
  return { images, failed, notification };
}

type Contents = Awaited<ReturnType<typeof open>>;

function failure(member: TarMember, type: string, reason: string): FailedFile {
  return { type, fileName: member.name, reason };
}

function earlyFailure(member: TarMember, maxImageBytes: number): FailedFile | null {
  if (member.type !== 'file')
    return failure(member, 'not-a-regular-file', 'only regular files are taken');
  if (member.name.includes('/') || member.name.includes('\\'))
    return failure(member, 'nested-directory', 'archives must be flat');
  if (member.sizeBytes > maxImageBytes)
    return failure(member, 'file-size-limit-exceeded', `larger than ${maxImageBytes} bytes`);
  if (kindByName(member.name) !== 'images')
    return failure(member, 'unsupported-file-type', 'the name has no image ending');
  return null;
}

function parseNotification(bytes: Buffer) {
  let config: unknown;
  try {
    config = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new TarDamage(`${NOTIFICATION_MEMBER} is no JSON`);
  }
  const read = (name: string): string | null => {
    const value: unknown =
      typeof config === 'object' && config !== null ? Reflect.get(config, name) : undefined;
    return typeof value === 'string' ? value : null;
  };
  const url = read('notificationsURL');
  if (url === null || !URL.canParse(url))
    throw new TarDamage(`${NOTIFICATION_MEMBER} names no address`);
  return { url, ingestId: read('ingestId') };
}

type Notification = ReturnType<typeof parseNotification>;

/** Reads ahead: headers and small members of an archive are adjacent. */
function windowed(blobs: BlobStore, blob: Blob): ReadAt {
  let from = 0;
  let window: Buffer = Buffer.alloc(0);
  return async (offset, lengthBytes) => {
    if (lengthBytes > WINDOW_BYTES) return blobs.read(blob, offset, lengthBytes);
    if (offset < from || offset + lengthBytes > from + window.length) {
      from = offset;
      window = await blobs.read(blob, offset, WINDOW_BYTES);
    }
    return window.subarray(offset - from, offset - from + lengthBytes);
  };
}
