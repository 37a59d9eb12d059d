/**
 * Files that stand in a batch under the bare name of one of ours, though this ledger does not know why: a ledger that
 * was lost, or another writer. Whether it is the same content is proved by reading it, so that nothing is sent twice.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Result } from '../../../preload/errorCodes.ts';
import { ok, SluiceFailure } from '../errors.ts';
import { nameAtService, nameKey } from '../files/safeNames.ts';
import { type Batch, nameHolder, remoteFileUrl } from '../store/batches.ts';
import { type Item } from '../store/items.ts';
import { confirmUnsent } from '../store/waiting.ts';
import type { Line } from './line.ts';

/** Proofs made at the same time. */
const AT_ONCE = 6;

/** SHA-256 of what an address brings, if it has the expected size; null when it differs or cannot be read. */
async function remoteHash(line: Line, url: string, sizeBytes: number): Promise<string | null> {
  const answer = await line.client.getSigned(url, null, line.signal);
  if (!answer.ok) return null;
  const stated = answer.value.headers['content-length'];
  const hash = createHash('sha256');
  let size = 0;
  try {
    if (stated !== undefined && Number(stated) !== sizeBytes) return null;
    for await (const chunk of answer.value.body) {
      size += chunk.length;
      if (size > sizeBytes) return null;
      hash.update(chunk);
    }
    return size === sizeBytes ? hash.digest('hex') : null;
  } catch (error) {
    if (error instanceof SluiceFailure) return null;
    throw error;
  } finally {
    answer.value.body.dispose();
  }
}

interface Claim {
  readonly item: Item;
  readonly name: string;
  readonly key: string;
  readonly url: string;
}

function claimsOf(line: Line, batch: Batch, items: readonly Item[]): Claim[] {
  return items.flatMap((item) => {
    const kept = item.batchRow === batch.id ? item.name : null;
    const name = kept ?? nameAtService({ baseName: basename(item.path), unique: null });
    const key = nameKey(name);
    const url = remoteFileUrl(line.store, batch.id, key);
    if (url === null || !isFree(line, batch, key, item)) return [];
    return [{ item, name, key, url }];
  });
}

/** True when no other item of ours holds the name. */
function isFree(line: Line, batch: Batch, key: string, item: Item): boolean {
  const holder = nameHolder(line.store, batch.id, key);
  return holder === null || holder === item.id;
}

async function prove(line: Line, batch: Batch, claim: Claim): Promise<void> {
  const { item, name, key, url } = claim;
  const theirs = await remoteHash(line, url, item.sizeBytes);
  if (theirs === null) return;
  const ours = item.sha256 ?? (await ownHash(line, item));
  if (ours !== theirs) return;
  await line.store.soon(() => {
    if (!isFree(line, batch, key, item)) return;
    confirmUnsent(line.store, item.id, { batchRow: batch.id, name, key }, line.ports.clock.now());
  });
}

async function ownHash(line: Line, item: Item): Promise<string | null> {
  const hash = await line.ports.files.hash(item.path);
  return hash.ok ? hash.value : null;
}

/** Confirms items whose content is proved to stand in the batch under their bare name. What cannot be proved is sent. */
export async function adoptByContent(
  line: Line,
  batch: Batch,
  items: readonly Item[],
): Promise<void> {
  if (batch.createdHere) return;
  const claims = claimsOf(line, batch, items);
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let claim = claims.shift(); claim !== undefined; claim = claims.shift()) {
      if (line.signal.aborted) return;
      await prove(line, batch, claim);
    }
  });
  await Promise.all(lanes);
}

/**
 * Confirms items that had a place in the batch before and stand there after all: a shard that was taken in late, a
 * delivery that could not be proved. Only then is the rest sent again. Errors of reading the list.
 */
export async function confirmPresent(
  line: Line,
  batch: Batch,
  items: readonly Item[],
): Promise<Result<void>> {
  const again = items.filter((item) => item.batchRow === batch.id && item.tries > 0);
  if (again.length === 0) return ok(undefined);
  const files = await line.client.batchFiles(batch.batchId, null, line.signal);
  if (!files.ok) return files;
  const keys = new Set(files.value.map((file) => nameKey(file.fileName)));
  await line.store.soon(() => {
    for (const { id, name } of again) {
      const key = name === null ? null : nameKey(name);
      if (name === null || key === null || !keys.has(key)) continue;
      confirmUnsent(line.store, id, { batchRow: batch.id, name, key }, line.ports.clock.now());
    }
  });
  return ok(undefined);
}
