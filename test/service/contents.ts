/** What the client under test sent twice or lost, by the contents of batches. Files of the other computer do not count. */
import type { Batch, Replaced, StoredObject } from './state.ts';

export interface Double {
  readonly batchId: string;
  readonly by: 'name' | 'content';
  readonly value: string;
  readonly times: number;
}

function isOurs(object: StoredObject): boolean {
  return object.writer === 'client';
}

function repeated(batchId: string, by: Double['by'], values: readonly string[]): readonly Double[] {
  const times = new Map<string, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times]
    .filter(([, count]) => count > 1)
    .map(([value, count]) => ({ batchId, by, value, times: count }));
}

/**
 * Names and contents that the client put into the batch more than once. Content that the client itself replaced with the same
 * content counts twice: it was sent twice, although only one object is left.
 */
export function doublesOf(batch: Batch, replaced: readonly Replaced[]): readonly Double[] {
  const ours = batch.objects.filter(isOurs);
  const names = ours.map(({ name, partName }) =>
    partName === null ? name : `${partName}/${name}`,
  );
  const hidden = replaced
    .filter(({ batchId, object, by }) => batchId === batch.batchId && isOurs(object) && isOurs(by))
    .filter(({ object, by }) => object.sha256 === by.sha256)
    .map(({ object }) => object.sha256);
  return [
    ...repeated(batch.batchId, 'name', names),
    ...repeated(batch.batchId, 'content', [...ours.map(({ sha256 }) => sha256), ...hidden]),
  ];
}

/**
 * Objects of the client that were replaced and whose content no batch holds any more. A file that was replaced in a batch that
 * has since been closed goes to the next one.
 */
export function lostOf(
  batches: readonly Batch[],
  replaced: readonly Replaced[],
): readonly Replaced[] {
  return replaced.filter(
    ({ object }) =>
      isOurs(object) &&
      !batches.some(({ objects }) => objects.some(({ sha256 }) => sha256 === object.sha256)),
  );
}
