/** What lists are sorted by: the same order in the database and here. Pure. */
import { fileType, jobDurationMs } from '../core/contract.ts';
import type {
  BatchSort,
  JobRow,
  JobSort,
  LeftOutSort,
  RemoteBatch,
  ResultFile,
  ResultFileSort,
} from '../core/model.ts';

/** What an entry is sorted by; null comes last in either direction. */
export type SortKey = number | string | null;

/** The order of two keys, the same as the database's: texts byte by byte. */
export function compareKeys(one: SortKey, other: SortKey, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order =
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  return descending ? -order : order;
}

/** A text as lower() of the database makes it: only its Latin letters are small. */
function sortText(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** What batches of the ledger are sorted by, as SQL. */
export const BATCH_SORT_SQL: Readonly<Record<BatchSort, string>> = {
  started: 'created_at',
  name: 'lower(coalesce(display_name, batch_id))',
  uploaded: `(SELECT count(*) FROM items WHERE batch_row = batches.id AND state = 'confirmed')`,
  expires: 'expires_at',
};

/** The same of a batch that only the service knows: nothing of it was uploaded here. */
export function remoteBatchKey(sort: BatchSort, batch: RemoteBatch): SortKey {
  switch (sort) {
    case 'started':
      return batch.createdAt;
    case 'name':
      return sortText(batch.displayName === '' ? batch.batchId : batch.displayName);
    case 'uploaded':
      return null;
    case 'expires':
      return batch.expiresAt === 0 ? null : batch.expiresAt;
  }
}

/** What a job is sorted by. */
export function jobKey(sort: JobSort, job: JobRow, now: number): SortKey {
  switch (sort) {
    case 'started':
      return job.createdAt;
    case 'name':
      return sortText(job.name);
    case 'batch':
      return job.batchId === null ? null : sortText(job.batchId);
    case 'duration':
      return jobDurationMs(job, now);
  }
}

/** The path behind its last separator, as SQL: what is trimmed from its end is whatever else is in it. */
const BASE_NAME = String.raw`substr(left_item.path, 1 + length(rtrim(left_item.path, replace(replace(left_item.path, '/', ''), '\', ''))))`;

/** What files that were left out are sorted by, as SQL. */
export const LEFT_OUT_SORT_SQL: Readonly<Record<LeftOutSort, string>> = {
  found: 'left_item.id',
  name: `lower(${BASE_NAME})`,
  size: 'left_item.size_bytes',
};

/** Result files in their order. They may be 200,000: what they are sorted by is made once of each. */
export function sortedResultFiles(
  files: readonly ResultFile[],
  sort: ResultFileSort,
  descending: boolean,
): readonly ResultFile[] {
  if (sort === 'listed') return descending ? files.toReversed() : files;
  return files
    .map((file) => ({ file, key: resultFileKey(sort, file) }))
    .toSorted((one, other) => compareKeys(one.key, other.key, descending))
    .map(({ file }) => file);
}

function resultFileKey(sort: 'name' | 'type', { name }: ResultFile): SortKey {
  return sort === 'name' ? sortText(name) : fileType(name);
}
