/** Sort keys of lists: the same order in the database and here. Pure. */
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
import { nameOf } from './itemPages.ts';

/** The sort key of an entry; null comes last in both directions. */
export type SortKey = number | string | null;

/** Compares two keys as the database does: texts byte by byte. */
export function compareKeys(one: SortKey, other: SortKey, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order =
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  return descending ? -order : order;
}

/** A text as the database's lower() returns it: only ASCII letters become lower case. */
function sortText(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export const BATCH_SORT_SQL: Readonly<Record<BatchSort, string>> = {
  started: 'created_at',
  name: 'lower(coalesce(display_name, batch_id))',
  uploaded: `(SELECT count(*) FROM items WHERE batch_row = batches.id AND state = 'confirmed')`,
  expires: 'expires_at',
};

/** The same for a batch that only the service knows: none of it was uploaded from here. */
export const REMOTE_BATCH_KEY: Readonly<Record<BatchSort, (batch: RemoteBatch) => SortKey>> = {
  started: ({ createdAt }) => createdAt,
  name: ({ displayName, batchId }) => sortText(displayName === '' ? batchId : displayName),
  uploaded: () => null,
  expires: ({ expiresAt }) => (expiresAt === 0 ? null : expiresAt),
};

export const JOB_KEY: Readonly<Record<JobSort, (job: JobRow, now: number) => SortKey>> = {
  started: ({ createdAt }) => createdAt,
  name: ({ name }) => sortText(name),
  batch: ({ batchId }) => (batchId === null ? null : sortText(batchId)),
  duration: jobDurationMs,
};

export const LEFT_OUT_SORT_SQL: Readonly<Record<LeftOutSort, string>> = {
  found: 'left_item.id',
  name: nameOf('left_item.path'),
  size: 'left_item.size_bytes',
};

/** Sorts result files. There may be 200,000: the sort key of each is computed only once. */
export function sortedResultFiles(
  files: readonly ResultFile[],
  sort: ResultFileSort,
  descending: boolean,
): readonly ResultFile[] {
  if (sort === 'listed') return descending ? files.toReversed() : files;
  return files
    .map((file) => ({ file, key: sort === 'name' ? sortText(file.name) : fileType(file.name) }))
    .toSorted((one, other) => compareKeys(one.key, other.key, descending))
    .map(({ file }) => file);
}
