/**
 * A service may list files under names that it chose, such as ids: then none of our names is listed, but as many names that seem to be
 * others'. So before a file counts as absent, it is compared with the objects behind those names.
 */
import { ok, type Result } from '../../core/errors.ts';
import { isSampled } from '../../core/ids.ts';
import { ODD_BATCH_MS } from '../../core/limits.ts';
import type { RemoteFile } from '../../core/model.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import {
  awaitedIn,
  type AwaitedTransfer,
  itemsNamed,
  type ListedObject,
  type OwnFile,
  ownFiles,
  takeListedName,
} from '../../store/queue/awaited.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { type Batch, nameHolder } from '../../store/tables/batches.ts';
import { readNames } from '../presence/inventory.ts';
import { isRefusal, ownHash, remoteContent } from '../presence/sameContent.ts';
import { createTurns } from '../turns.ts';
import type { Pipeline } from '../context.ts';
import type { KnownObject, Polled } from './pollState.ts';

/** Objects read at the same time. Our choice. */
const AT_ONCE = 16;
/** Files looked for in one pass; the others wait for the next one. Our choice. */
const MOST = 20_000;
/** Up to this many names of others are read without a delay if no name of ours was ever listed. Our choice. */
const FEW = 1000;
/** How many objects a poll state remembers. Our choice. */
const REMEMBERED = 50_000;

/** True once the service was seen to list a file under a name that it chose. */
function namesFiles({ store, connectionId }: Pipeline): boolean {
  return readMeta(store, `namesFiles:${connectionId}`) !== null;
}

/** How long after its last byte a transfer that is not listed is looked for under other names, in ms. */
function delayMs(pipeline: Pipeline, { batch, poll }: Polled): number {
  // If our names were listed before, or there are many names of others, it is more likely that the list is slow.
  const isFirst = batch.lagMs === null && poll.objects.size === 0 && poll.foreign <= FEW;
  return isFirst || namesFiles(pipeline) ? 0 : pipeline.times.unmeasuredLagMs;
}

/**
 * When an unlisted transfer must be looked for under other names, in engine time; null if no names of others are listed, or if it was
 * looked for just before.
 */
export function createSeekDates(pipeline: Pipeline, polled: Polled) {
  const { foreign, sought } = polled.poll;
  const delay = delayMs(pipeline, polled);
  return ({ id, lastByteAt }: AwaitedTransfer): number | null =>
    foreign === 0 || sought.has(id) ? null : Math.max(pipeline.time.now(), lastByteAt + delay);
}

/** The transfers to look for now, with the files of their members; only as many as one pass can compare. */
function wantedIn(pipeline: Pipeline, polled: Polled) {
  const { store, time } = pipeline;
  const latest = time.now() - delayMs(pipeline, polled);
  const transfers: AwaitedTransfer[] = [];
  const itemIds: number[] = [];
  for (const transfer of awaitedIn(store, polled.batch.id, time.service())) {
    if (transfer.lastByteAt > latest || itemIds.length >= MOST) continue;
    transfers.push(transfer);
    itemIds.push(...transfer.missing.map(({ itemId }) => itemId));
  }
  return { transfers, files: ownFiles(store, itemIds) };
}

/**
 * Reads the content of an object if the object is as long as a file of ours. Errors: those of reading. If the storage refuses, the result
 * is null.
 */
async function readObject(
  pipeline: Pipeline,
  url: string,
  known: KnownObject | undefined,
  sizes: { readonly all: ReadonlySet<number>; readonly largest: number },
): Promise<Result<KnownObject | null>> {
  let lengthBytes = known?.lengthBytes ?? null;
  if (known === undefined) {
    const described = await pipeline.client.describeSigned(url, pipeline.signal);
    if (!described.ok) return isRefusal(described.error) ? ok(null) : described;
    ({ lengthBytes } = described.value);
  }
  if (typeof known?.content === 'string') return ok(known);
  if (lengthBytes !== null && !sizes.all.has(lengthBytes))
    return ok({ lengthBytes, content: null });
  const content = await remoteContent(pipeline, url, lengthBytes, sizes.largest);
  if (!content.ok) return isRefusal(content.error) ? ok(null) : content;
  return ok({ lengthBytes, content: content.value });
}

/** Whether a file of ours has this content, see remoteContent. */
async function hasContent(pipeline: Pipeline, file: OwnFile, content: string): Promise<boolean> {
  if (isSampled(content)) return file.fingerprint === content;
  return (await ownHash(pipeline, file, 'b3')) === content;
}

/** One pass through a list: which of our files are listed under which names of others, and which under their own. */
function createSearch(
  pipeline: Pipeline,
  batch: Batch,
  objects: Map<string, KnownObject>,
  files: ReadonlyMap<number, OwnFile>,
) {
  const all = new Set([...files.values()].map(({ sizeBytes }) => sizeBytes));
  const sizes = { all, largest: [...all].reduce((most, size) => Math.max(most, size), 0) };
  const bySize = Map.groupBy(files.keys(), (id) => files.get(id)?.sizeBytes);
  const found = new Map<number, ListedObject>();
  const listed = new Set<number>();
  const inTurn = createTurns(() => AT_ONCE);
  let isSure = true;

  const match = async (name: string, { lengthBytes, content }: KnownObject): Promise<void> => {
    if (content === null) return;
    const ids = lengthBytes === null ? files.keys() : (bySize.get(lengthBytes) ?? []);
    for (const id of ids) {
      const file = files.get(id);
      if (file === undefined || found.has(id)) continue;
      // Each of several equal files needs an object of its own, so the object is assigned before anything else is awaited.
      if ((await hasContent(pipeline, file, content)) && !found.has(id)) {
        found.set(id, { name, key: nameKey(name), proof: isSampled(content) ? null : 'content' });
        return;
      }
    }
  };

  const look = async ({ fileName, url }: RemoteFile): Promise<void> => {
    if (pipeline.signal.aborted) return;
    const key = nameKey(fileName);
    const object = await readObject(pipeline, url, objects.get(key), sizes);
    if (!object.ok) isSure = false;
    else if (object.value !== null) {
      if (objects.size < REMEMBERED || objects.has(key)) objects.set(key, object.value);
      await match(fileName, object.value);
    }
  };

  return {
    onPage: async (page: readonly RemoteFile[]): Promise<void> => {
      const byKey = new Map(page.map((file) => [nameKey(file.fileName), file]));
      for (const [key, { itemId }] of itemsNamed(pipeline.store, batch.id, [...byKey.keys()])) {
        byKey.delete(key);
        listed.add(itemId);
      }
      await Promise.all([...byKey.values()].map((file) => inTurn(() => look(file))));
    },
    /** The items that are not listed under their own names, with the names that they have instead. */
    found: () => [...found].filter(([id]) => !listed.has(id)),
    /** False when an object could not be read now. */
    isSure: () => isSure,
  };
}

/**
 * Looks among the names of others for items that the list does not show under their own, and gives them those names: the next listing
 * confirms them. Errors: those of reading the list. An object that cannot be read only delays the items that may be behind it.
 */
export async function seekOtherNames(pipeline: Pipeline, polled: Polled): Promise<Result<void>> {
  const { batch, poll } = polled;
  const { store, connectionId, ports, time } = pipeline;
  poll.sought = new Set();
  if (batch.state === 'expired' || (poll.foreign === 0 && !namesFiles(pipeline)))
    return ok(undefined);
  const { transfers, files } = wantedIn(pipeline, polled);
  if (transfers.length === 0) return ok(undefined);
  const search = createSearch(pipeline, batch, poll.objects, files);
  const names = await readNames(pipeline, batch, search.onPage);
  if (!names.ok) return names;
  if (pipeline.signal.aborted) return ok(undefined);
  const found = search.found();
  await store.soon(() => {
    for (const [itemId, listed] of found) {
      if (nameHolder(store, batch.id, listed.key) === null)
        takeListedName(store, { id: itemId, batchRow: batch.id }, listed);
    }
    if (found.length > 0) writeMeta(store, `namesFiles:${connectionId}`, batch.batchId);
  });
  if (found.length > 0)
    ports.log.write('warn', 'batch.otherNames', { batch: batch.batchId, files: found.length });
  // A storage that cannot be read for this long must not keep files from being sent again.
  const patienceMs = namesFiles(pipeline) ? ODD_BATCH_MS : pipeline.times.sentPatienceMs;
  const decided = transfers.filter(
    ({ lastByteAt }) => search.isSure() || time.now() - lastByteAt >= patienceMs,
  );
  poll.sought = new Set(decided.map(({ id }) => id));
  return ok(undefined);
}
